/** The directory's tables side by side, and the two things that every operation on them does: know who asks, and tell what changed. */
import type { Clock, Sql } from '../../conversation/ports.ts';
import type { Participant } from '../../protocol/envelope.ts';
import type { Result } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import { participantOf, type Claims, type TokenSubject } from '../auth/claims.ts';
import { DENIALS, type Denial } from '../auth/denial.ts';
import { issueToken, type IssuedToken, type RelayKey } from '../auth/token.ts';
import type { Tidings } from '../conversation-api.ts';
import { Agents } from './agents.ts';
import { Conversations } from './conversations.ts';
import { Devices } from './devices.ts';
import { Pairings } from './pairings.ts';
import { RedeemLimiter } from './redeem-limiter.ts';
import { loadRelayKey } from './signing-key.ts';
import { TidingsOutbox, type Courier, type Letter } from './tidings-outbox.ts';

/** What the directory needs of its surroundings. */
export interface DirectoryPorts {
  sql: Sql;
  clock: Clock;
  limits: () => Limits;
  courier: Courier;
  /** Asks for a call of {@link Registry.deliverDue} at that time (ms since 1970), in place of any asked for before; null: no call. */
  wakeAt: (at: number | null) => void;
}

/** A participant that the directory knows. */
export interface Known {
  participant: Participant;
  name: string;
  /** The agent it is, or is paired with. */
  agentId: string;
  /** What its next token says. */
  subject: TokenSubject;
}

/** Puts a letter to a conversation into the outbox, with the change that it tells. */
export type Tell = (conversationId: string, letter: Letter) => void;

/** Tables, outbox and key. */
export class Registry {
  readonly clock: Clock;
  readonly limits: () => Limits;
  readonly agents: Agents;
  readonly devices: Devices;
  readonly pairings: Pairings;
  readonly conversations: Conversations;
  readonly limiter: RedeemLimiter;
  readonly #sql: Sql;
  readonly #outbox: TidingsOutbox;
  readonly #wakeAt: (at: number | null) => void;
  #key: RelayKey | undefined;

  constructor({ sql, clock, limits, courier, wakeAt }: DirectoryPorts) {
    this.clock = clock;
    this.limits = limits;
    this.agents = new Agents(sql);
    this.devices = new Devices(sql);
    this.pairings = new Pairings(sql, clock);
    this.conversations = new Conversations(sql);
    this.limiter = new RedeemLimiter(sql, clock);
    this.#sql = sql;
    this.#outbox = new TidingsOutbox(sql, clock, courier);
    this.#wakeAt = wakeAt;
  }

  /** The relay's id and keys; made on first use. */
  async key(): Promise<RelayKey> {
    this.#key ??= await loadRelayKey(this.#sql, this.clock);
    return this.#key;
  }

  /** A token that begins now. */
  async issue(subject: TokenSubject): Promise<IssuedToken> {
    return await issueToken(await this.key(), subject, this.clock.now());
  }

  /** Who bears this token, if they are still here and the token was not replaced. */
  identify(token: Claims): { ok: true; value: Known } | { ok: false; denial: Denial } {
    const agent = this.agents.find(token.role === 'agent' ? token.sub : token.aid);
    if (!agent) return { ok: false, denial: 'revoked' };
    const participant = participantOf(token);
    if (token.role === 'agent') {
      if (token.gen !== agent.generation) return { ok: false, denial: 'replaced' };
      const subject = { role: token.role, sub: agent.agent_id, gen: agent.generation };
      return { ok: true, value: { participant, name: agent.name, agentId: agent.agent_id, subject } };
    }
    const device = this.devices.find(token.sub);
    if (!device || device.agent_id !== agent.agent_id) return { ok: false, denial: 'revoked' };
    const subject = { role: token.role, sub: device.device_id, aid: agent.agent_id };
    return { ok: true, value: { participant, name: device.name, agentId: agent.agent_id, subject } };
  }

  /** {@link identify} with the denial as the refusal that HTTP answers. */
  known(token: Claims): Result<Known> {
    const who = this.identify(token);
    return who.ok ? who : { ok: false, error: DENIALS[who.denial].error };
  }

  /**
   * Runs one change and what it tells as one transaction, then tries at once to have it heard.
   *
   * Resolves when every conversation has heard or has failed to; those that failed are told again until they have.
   */
  async change<T>(run: (tell: Tell) => T): Promise<T> {
    const told = new Set<string>();
    const value = this.#sql.transaction(() =>
      run((conversationId, letter) => {
        this.#outbox.put(conversationId, letter);
        told.add(conversationId);
      }),
    );
    if (told.size > 0) await this.#deliver(() => this.#outbox.deliver([...told]));
    return value;
  }

  /** Tells all conversations of an agent, but those left out. */
  tellAll(tell: Tell, agentId: string, tidings: Tidings, except?: string): void {
    for (const { conversation_id } of this.conversations.listOf(agentId)) if (conversation_id !== except) tell(conversation_id, tidings);
  }

  /** Tells a conversation its end, in place of all that it has not heard. */
  tellLast(tell: Tell, conversationId: string, tidings: Tidings): void {
    this.#outbox.drop(conversationId);
    tell(conversationId, tidings);
  }

  /** Asks to be woken for what has not been heard: a wake-up that failed too often is not repeated by the platform. */
  wakeForPending(): void {
    const next = this.#outbox.nextDueAt();
    if (next !== null) this.#wakeAt(next);
  }

  /** Tries again what has not been heard and is due. */
  async deliverDue(): Promise<void> {
    await this.#deliver(() => this.#outbox.deliverDue());
  }

  /**
   * Makes sure that a conversation exists before somebody enters it: its own object may have failed to hear of it at first.
   * @throws Error when it still cannot be told; whoever asked may try again
   */
  async ensureBorn(conversationId: string): Promise<void> {
    if (!this.#outbox.isUnborn(conversationId)) return;
    await this.#deliver(() => this.#outbox.deliver([conversationId]));
    if (this.#outbox.isUnborn(conversationId)) throw new Error('a new conversation could not be made yet');
  }

  async #deliver(delivery: () => Promise<void>): Promise<void> {
    // Armed before the attempt, so that a crash in the middle of it is made up for.
    this.#wakeAt(this.#outbox.nextDueAt());
    await delivery();
    this.#wakeAt(this.#outbox.nextDueAt());
  }
}
