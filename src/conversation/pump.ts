/**
 * Brings logged messages to sockets (§4). Replay and live are one thing: frames in seq order within the flow window. A socket
 * that is caught up gets them from memory, one that is not reads them from the log when its cursor moves.
 */
import type { Participant } from '../protocol/envelope.ts';
import { canSee } from './audience.ts';
import type { Connection } from './connection.ts';
import { controlFrame, type LoggedEffect } from './effects.ts';
import type { Ledger } from './ledger.ts';
import type { ReadEntry } from './log.ts';

/** Rows read from the log at once. */
const PAGE_ROWS = 64;

/** Splices what became of a call into its stored frame (§2 `settled`). */
export function stamped({ calls }: Ledger, entry: Pick<ReadEntry, 'type' | 'ref' | 'frame'>): string {
  if ((entry.type !== 'tool.call' && entry.type !== 'lineup.v1.app.call') || entry.ref === null) return entry.frame;
  const settled = calls.settledStamp(entry.ref);
  return settled === undefined ? entry.frame : `${entry.frame.slice(0, -1)},"settled":${settled}}`;
}

/** A new message for a connection. One that has fallen behind, or whose window is full, will read it from the log. */
export function offer(connection: Connection, message: LoggedEffect, ledger: Ledger): void {
  const { state, participant } = connection;
  if (!participant || state.phase !== 'live' || state.sentSeq !== message.seq - 1) return;
  if (message.origin === state.id || !canSee(message.audience, message.sender, participant)) {
    connection.advance(message.seq);
    return;
  }
  countUnacknowledged(connection, ledger);
  if (!fits(connection, message.bytes, ledger.limits.window_bytes)) return;
  deliver(connection, message.seq, message.bytes, message.frame);
}

/** Sends what the log has for a connection, as far as its window goes. `system.synced` stands behind the replay. */
export function pump(connection: Connection, ledger: Ledger): void {
  const { state, participant } = connection;
  if (!participant || state.phase === 'hello') return;
  const { log } = ledger;
  countUnacknowledged(connection, ledger);
  while (state.sentSeq < log.head) {
    const page = log.read(participant, { after: state.sentSeq, limit: PAGE_ROWS });
    for (const entry of page) {
      if (entry.seq > state.syncedAt) finishReplay(connection, ledger);
      if (entry.origin === state.id) {
        connection.advance(entry.seq);
        continue;
      }
      if (!fits(connection, entry.bytes, ledger.limits.window_bytes)) return;
      deliver(connection, entry.seq, entry.bytes, stamped(ledger, entry));
    }
    if (page.length < PAGE_ROWS) connection.advance(log.head);
  }
  finishReplay(connection, ledger);
}

/** A cursor moved (`system.received`): the window opens by what was received, and the pump goes on. */
export function acknowledge(connection: Connection, seq: number, ledger: Ledger): void {
  countUnacknowledged(connection, ledger);
  if (seq > connection.state.cursor) connection.update({ cursor: seq });
  const { unacknowledged } = connection;
  if (!unacknowledged) return;
  let received = 0;
  while (received < unacknowledged.length && (unacknowledged[received] as [number, number])[0] <= seq) {
    connection.unacknowledgedBytes -= (unacknowledged[received] as [number, number])[1];
    received++;
  }
  if (received > 0) unacknowledged.splice(0, received);
  pump(connection, ledger);
}

/** Whether a connection waits for its window, with messages up to `after` on their way: it then gets no ephemeral frames (§4). */
export function waits({ state }: Connection, after: number): boolean {
  return state.phase !== 'live' || state.sentSeq < after;
}

function finishReplay(connection: Connection, ledger: Ledger): void {
  const { state, participant } = connection;
  if (state.phase === 'replay') {
    connection.send(controlFrame('system.synced', { seq: state.syncedAt }));
    connection.update({ phase: 'live' });
  }
  if (state.owesKept && participant && state.sentSeq === ledger.log.head) {
    connection.update({ owesKept: false });
    for (const frame of keptFor(ledger, participant)) connection.send(frame);
  }
}

/** The kept frames that a participant gets. */
export function keptFor({ declarations }: Ledger, participant: Participant): string[] {
  if (participant.kind === 'app') return [declarations.statusFor(participant) ?? []].flat();
  return (['inventory:', 'apps:', 'tools:'] as const).flatMap((slots) => declarations.keptAll(slots).map(({ frame }) => frame));
}

function fits(connection: Connection, bytes: number, windowBytes: number): boolean {
  return connection.unacknowledgedBytes === 0 || connection.unacknowledgedBytes + bytes <= windowBytes;
}

function deliver(connection: Connection, seq: number, bytes: number, frame: string): void {
  connection.send(frame);
  connection.unacknowledged?.push([seq, bytes]);
  connection.unacknowledgedBytes += bytes;
  connection.advance(seq);
}

/** After a wake: what was sent beyond the cursor is in the log, and is counted from there. */
function countUnacknowledged(connection: Connection, { log }: Ledger): void {
  const { state, participant } = connection;
  if (connection.unacknowledged !== undefined || !participant) return;
  connection.unacknowledged = log.sentBetween(participant, state.cursor, state.sentSeq, state.id);
  connection.unacknowledgedBytes = connection.unacknowledged.reduce((sum, [, bytes]) => sum + bytes, 0);
}
