/** The connections of a conversation and who of the participants is online (§4 "Presence"). */
import { CLOSE, type CloseCode } from '../protocol/close-codes.ts';
import type { Participant } from '../protocol/envelope.ts';
import { SILENT_AFTER_MS } from '../protocol/limits.ts';
import type { Connection } from './connection.ts';

/** Presence is judged at most this often, in ms. */
const JUDGE_EVERY_MS = 1_000;

/** A participant that came or went. */
export interface PresenceChange {
  participant: Participant;
  online: boolean;
}

/** All connections, and what was last said of their participants. */
export class Roster {
  #connections = new Map<string, Connection>();
  /** Participants that the others believe to be online. */
  #online = new Map<string, Participant>();
  #judgedAt = 0;

  /** Takes in a connection. One that survived a sleep counts as it was last told. */
  add(connection: Connection): void {
    this.#connections.set(connection.state.id, connection);
    const { participant } = connection;
    if (participant && connection.welcomed && !connection.state.silent) this.#online.set(participant.id, participant);
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection.state.id);
  }

  get(id: string): Connection | undefined {
    return this.#connections.get(id);
  }

  has(connection: Connection): boolean {
    return this.#connections.get(connection.state.id) === connection;
  }

  all(): IterableIterator<Connection> {
    return this.#connections.values();
  }

  /** The connections of one participant that have said hello, oldest first. */
  of(participantId: string): Connection[] {
    return [...this.#connections.values()].filter(({ participant, welcomed }) => welcomed && participant?.id === participantId);
  }

  isOnline(participantId: string): boolean {
    return this.#online.has(participantId);
  }

  onlineIds(): string[] {
    return [...this.#online.keys()];
  }

  /**
   * Judges who is online: has a connection that was heard within 75 s. By heart-beat, not by the state of the socket: a dead
   * peer's socket stays open for long.
   * @param now ms
   * @param force judge even when it was done a moment ago
   */
  judge(now: number, force = false): PresenceChange[] {
    if (!force && now - this.#judgedAt < JUDGE_EVERY_MS) return [];
    this.#judgedAt = now;
    const online = new Map<string, Participant>();
    for (const connection of this.#connections.values()) {
      const { participant, state } = connection;
      if (!participant || !connection.welcomed) continue;
      const silent = now - connection.lastHeardAt() > SILENT_AFTER_MS;
      if (silent !== state.silent) connection.update({ silent });
      if (!silent) online.set(participant.id, participant);
    }
    const changes: PresenceChange[] = [];
    for (const participant of online.values()) if (!this.#online.has(participant.id)) changes.push({ participant, online: true });
    for (const participant of this.#online.values()) if (!online.has(participant.id)) changes.push({ participant, online: false });
    this.#online = online;
    return changes;
  }

  /**
   * Decides which connections a new hello replaces (§4): the same session's older one, every other one of an agent, and the
   * oldest of a device that has too many.
   * @returns the ones to close with 4409; the new one itself when it is the stale one
   */
  replacedBy(
    connection: Connection,
    participant: Participant,
    { session, attempt, maxSockets }: { session: string; attempt: number; maxSockets: number },
  ): Connection[] {
    const others = this.of(participant.id);
    const same = others.filter(({ state }) => state.session === session);
    if (same.some(({ state }) => attempt < state.attempt)) return [connection];
    if (participant.kind === 'agent') return others;
    const rest = others.filter((other) => !same.includes(other)).sort((a, b) => a.state.openedAt - b.state.openedAt);
    return [...same, ...rest.slice(0, Math.max(0, rest.length - maxSockets + 1))];
  }
}

/** Reasons as they are sent with a close: short ASCII. */
export const CLOSE_REASONS: Readonly<Record<CloseCode, string>> = {
  [CLOSE.handshake]: 'handshake broken',
  [CLOSE.unauthorized]: 'token missing, invalid or expired',
  [CLOSE.revoked]: 'revoked',
  [CLOSE.notFound]: 'no such conversation',
  [CLOSE.helloTimeout]: 'no hello in time',
  [CLOSE.replaced]: 'replaced by a newer socket',
  [CLOSE.tooFast]: 'too fast',
  [CLOSE.fellBehind]: 'fell behind',
};
