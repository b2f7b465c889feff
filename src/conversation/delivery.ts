/** Carries out what follows from messages: each effect to every socket that it concerns, in order. */
import type { Participant } from '../protocol/envelope.ts';
import type { Refusal } from '../protocol/errors.ts';
import { jsonText, type JsonObject } from '../protocol/json.ts';
import { canSee } from './audience.ts';
import type { Committer } from './commit.ts';
import { deliveredFrame, type BroadcastEffect, type Effect } from './effects.ts';
import { audienceFor, type Inbound } from './message.ts';
import { offer, waits } from './pump.ts';
import type { Roster } from './roster.ts';

/** The way out of one conversation. */
export class Delivery {
  readonly #roster: Roster;
  readonly #committer: Pick<Committer, 'ledger'>;

  constructor(roster: Roster, committer: Pick<Committer, 'ledger'>) {
    this.#roster = roster;
    this.#committer = committer;
  }

  /** Carries out what a transaction led to, after it. */
  apply(effects: readonly Effect[]): void {
    const { ledger } = this.#committer;
    for (const effect of effects) {
      switch (effect.kind) {
        case 'answer':
          effect.answered(effect.answer);
          break;
        case 'reply':
          if (effect.connection !== null) this.#roster.get(effect.connection)?.send(effect.frame);
          break;
        case 'resent':
          for (const connection of this.#roster.of(effect.participant)) {
            const { id, sentSeq } = connection.state;
            if ((effect.connection === null || effect.connection === id) && effect.seq <= sentSeq) connection.send(effect.frame);
          }
          break;
        case 'logged':
          for (const connection of this.#roster.all()) offer(connection, effect, ledger);
          break;
        case 'broadcast':
          this.broadcast(effect);
      }
    }
  }

  /** Sends a frame without a seq to everyone in its audience. */
  broadcast(effect: BroadcastEffect): void {
    for (const connection of this.#roster.all()) {
      const { participant, state } = connection;
      if (!participant || !connection.welcomed || state.id === effect.origin || !canSee(effect.audience, effect.sender, participant)) continue;
      if (effect.class === 'control' || !waits(connection, effect.after)) connection.send(effect.frame);
      else if (effect.class === 'kept') connection.update({ owesKept: true });
    }
  }

  /** Delivers an ephemeral message to who is there; it never touches the disk and waits for no commit. */
  route(message: Inbound, now: number): Refusal | null {
    const { ledger } = this.#committer;
    const { envelope, from, connection: origin } = message;
    const audience = audienceFor({ ledger, message });
    if (!audience.ok) return audience.error;
    const frame = deliveredFrame({
      id: envelope.id,
      type: envelope.type,
      conversationId: ledger.meta.conversationId,
      sender: from,
      target: envelope.target && jsonText({ ...envelope.target } as JsonObject),
      seq: null,
      at: now,
      payload: jsonText(envelope.payload),
    });
    this.broadcast({ kind: 'broadcast', class: 'ephemeral', after: ledger.log.head, sender: from.id, audience: audience.value, origin, frame });
    return null;
  }

  /** Tells the other side something about a participant: the devices about their agent, the agent about a device. */
  tellOtherSide({ kind }: Participant, frame: string): void {
    this.broadcast({ kind: 'broadcast', class: 'control', sender: 'relay', audience: kind === 'agent' ? 'devices' : 'agent', origin: null, frame });
  }
}
