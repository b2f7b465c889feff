/**
 * Brings logged messages to sockets (§4). Replay and live are one thing: frames in seq order within the flow window. A socket
 * that is caught up gets them from memory, one that is not reads them from the log when its cursor moves.
 */
import type { Participant } from '../protocol/envelope.ts';
import { canSee } from './audience.ts';
import type { Connection } from './connection.ts';
import { controlFrame, type LoggedEffect } from './effects.ts';
import type { Ledger } from './ledger.ts';
import { IMPORTED, type ReadEntry } from './log.ts';

/** Rows read from the log at once: even of the largest frames not more than memory can bear. */
const PAGE_ROWS = 64;

/** A stored frame as it is sent: what became of a call is spliced into it (§2 `settled`). */
export function stamped({ calls }: Ledger, entry: ReadEntry): Pick<ReadEntry, 'frame' | 'bytes'> {
  if ((entry.type !== 'tool.call' && entry.type !== 'lineup.v1.app.call') || entry.ref === null) return entry;
  const settled = calls.settledStamp(entry.ref);
  if (settled === undefined) return entry;
  const stamp = `,"settled":${settled}`;
  // The stamp is ASCII.
  return { frame: `${entry.frame.slice(0, -1)}${stamp}}`, bytes: entry.bytes + stamp.length };
}

/** A new message for a connection. One that has fallen behind, or whose window is full, will read it from the log. */
export function offer(connection: Connection, message: LoggedEffect, ledger: Ledger): void {
  const { state, participant } = connection;
  if (!participant || state.phase !== 'live' || state.sentSeq !== message.seq - 1) return;
  if (withheld(connection, message.origin) || !canSee(message.audience, message.sender, participant)) {
    connection.advance(message.seq);
    return;
  }
  countUnacknowledged(connection, ledger);
  if (!fits(connection, message.seq, message.bytes, ledger.limits.window_bytes)) return;
  deliver(connection, message.seq, message);
}

/**
 * Sends what the log has for a connection, as far as its window goes. `system.synced` stands behind the replay.
 * @returns false when the log no longer has what comes next: a gap that only a new welcome can announce (§4)
 */
export function pump(connection: Connection, ledger: Ledger): boolean {
  const { state, participant } = connection;
  const { log } = ledger;
  if (!participant || state.phase === 'hello') return true;
  if (state.sentSeq < log.oldest - 1) return false;
  countUnacknowledged(connection, ledger);
  while (state.sentSeq < log.head) {
    const page = log.read(participant, { after: state.sentSeq, limit: PAGE_ROWS });
    for (const entry of page) {
      if (entry.seq > state.syncedAt) finishReplay(connection, ledger);
      if (withheld(connection, entry.origin)) {
        connection.advance(entry.seq);
        continue;
      }
      const sent = stamped(ledger, entry);
      if (!fits(connection, entry.seq, sent.bytes, ledger.limits.window_bytes)) return true;
      deliver(connection, entry.seq, sent);
    }
    if (page.length < PAGE_ROWS) connection.advance(log.head);
  }
  finishReplay(connection, ledger);
  return true;
}

/**
 * A cursor moved (`system.received`): the window opens by what was received, and the pump goes on.
 * @returns what {@link pump} does
 */
export function acknowledge(connection: Connection, seq: number, ledger: Ledger): boolean {
  countUnacknowledged(connection, ledger);
  if (seq > connection.state.cursor) connection.update({ cursor: seq });
  const { unacknowledged } = connection;
  if (!unacknowledged) return true;
  let received = 0;
  while (received < unacknowledged.length && (unacknowledged[received] as [number, number])[0] <= seq) {
    connection.state.unacknowledgedBytes -= (unacknowledged[received] as [number, number])[1];
    received++;
  }
  if (received > 0) unacknowledged.splice(0, received);
  return pump(connection, ledger);
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
  if (participant.kind === 'app') return [declarations.statusFor(participant.id) ?? []].flat();
  return (['inventory:', 'apps:', 'tools:'] as const).flatMap((slots) => declarations.keptAll(slots).map(({ frame }) => frame));
}

/**
 * Whether a connection never gets a message, for where it came from: its own, and for an agent what was imported. That was answered
 * where it was said, and whoever gets a text for the first time answers it.
 */
function withheld({ state, participant }: Connection, origin: string | null): boolean {
  return origin !== null && (origin === state.id || (origin === IMPORTED && participant?.kind === 'agent'));
}

function fits({ state }: Connection, seq: number, bytes: number, windowBytes: number): boolean {
  return seq <= state.cursor || state.unacknowledgedBytes === 0 || state.unacknowledgedBytes + bytes <= windowBytes;
}

function deliver(connection: Connection, seq: number, { frame, bytes }: Pick<ReadEntry, 'frame' | 'bytes'>): void {
  const { state, unacknowledged } = connection;
  connection.send(frame);
  if (seq > state.cursor) {
    unacknowledged?.push([seq, bytes]);
    state.unacknowledgedBytes += bytes;
    state.deliveredSeq = seq;
  }
  connection.advance(seq);
}

/**
 * After a wake: what was sent beyond the cursor is in the log, and is counted from there. What compaction or retention took since
 * counts until everything that was sent is received: nobody knows its seqs any more.
 */
function countUnacknowledged(connection: Connection, { log }: Ledger): void {
  const { state, participant } = connection;
  if (connection.unacknowledged !== undefined || !participant) return;
  const inLog = log.sentBetween(participant, state.cursor, state.sentSeq, state.id);
  const taken = state.unacknowledgedBytes - inLog.reduce((sum, [, bytes]) => sum + bytes, 0);
  connection.unacknowledged = taken > 0 ? [...inLog, [state.deliveredSeq, taken]] : inLog;
  if (taken < 0) state.unacknowledgedBytes -= taken;
}
