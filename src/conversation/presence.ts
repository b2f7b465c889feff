/** Who is online, when they were last heard, and how far they have read (§4 "Presence", "Receipts"): kept, and told to the other side. */
import type { Participant } from '../protocol/envelope.ts';
import type { Committer } from './commit.ts';
import type { Connection } from './connection.ts';
import type { Delivery } from './delivery.ts';
import { controlFrame, isoTime } from './effects.ts';
import type { Roster } from './roster.ts';

/** The participants of one conversation, as they come, read and go. */
export class Presence {
  readonly #roster: Roster;
  readonly #committer: Committer;
  readonly #delivery: Delivery;

  constructor(roster: Roster, committer: Committer, delivery: Delivery) {
    this.#roster = roster;
    this.#committer = committer;
    this.#delivery = delivery;
  }

  /**
   * Judges who is online at `now` (ms), and tells what changed.
   * @param force judge even when it was done a moment ago
   */
  settle(now: number, force: boolean): void {
    for (const { participant, online } of this.#roster.judge(now, force)) {
      const { participants } = this.#committer.ledger;
      participants.seen(participant.id, online ? now : this.#lastHeard(participant.id));
      const member = participants.get(participant.id);
      if (!member) continue;
      const { kind, id, name, seen_at } = member;
      this.#delivery.tellOtherSide(
        participant,
        controlFrame('system.presence', { peer: { kind, id, name }, online, last_seen: isoTime(seen_at ?? now) }),
      );
    }
  }

  /** A participant's cursor moved (`system.received`, or its resume). */
  received(connection: Connection, participant: Participant, seq: number): void {
    if (seq > connection.state.received) connection.update({ received: seq });
    if (!this.#committer.ledger.participants.received(participant.id, seq)) return;
    this.#delivery.tellOtherSide(participant, controlFrame('system.receipt', { participant, seq }));
  }

  /** What a connection that outlived a sleep still knows of its participant, and memory no longer does. */
  recall({ participant, state, welcomed }: Connection): void {
    if (!participant || !welcomed) return;
    const { participants } = this.#committer.ledger;
    participants.received(participant.id, state.received);
    participants.seen(participant.id, state.heardAt);
  }

  /** A connection has gone: with the last one of its participant, cursor and time are written down. */
  left(connection: Connection, now: number): void {
    const { participant } = connection;
    if (!participant || !connection.welcomed) return;
    this.#committer.ledger.participants.seen(participant.id, connection.lastHeardAt());
    if (this.#roster.of(participant.id).length === 0) this.#committer.change(({ participants }) => participants.save(participant.id));
    this.settle(now, true);
  }

  #lastHeard(participantId: string): number {
    return Math.max(0, ...this.#roster.of(participantId).map((connection) => connection.lastHeardAt()));
  }
}
