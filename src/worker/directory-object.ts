/** The relay's one directory: the shell that gives `directory/` its storage, its alarm and its way to the conversations. */
import { DurableObject } from 'cloudflare:workers';
import init from '../../migrations/directory/0001_init.sql';
import { readLimits } from '../protocol/limits.ts';
import type { Claims } from './auth/claims.ts';
import type { DirectoryApi, RedeemRequest } from './directory-api.ts';
import { admit, knows, refresh } from './directory/admitting.ts';
import { conversations, deleteConversation, makeConversation, renameConversation } from './directory/conversing.ts';
import { agents, enrol, ownAgent, replaceToken, revokeAgent } from './directory/enrolling.ts';
import { devices, makePairing, pairing, redeem, revokeDevice } from './directory/pairing.ts';
import { Registry } from './directory/registry.ts';
import type { Letter } from './directory/tidings-outbox.ts';
import type { Env } from './env.ts';
import { logFailure } from './log.ts';
import { migrate } from './migrate.ts';
import { durableSql } from './sql-storage.ts';
import { askConversation } from './stubs.ts';

const MIGRATIONS = [{ name: '0001_init', sql: init }];

/** An alarm that is set for now while one runs would be lost, in ms. */
const SOONEST_ALARM_MS = 1_000;

/** The Durable Object behind {@link DirectoryApi}. */
export class DirectoryObject extends DurableObject<Env> implements DirectoryApi {
  readonly #registry: Registry;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const sql = durableSql(ctx.storage);
    const clock = { now: () => Date.now() };
    migrate(sql, clock, MIGRATIONS);
    this.#registry = new Registry({
      sql,
      clock,
      limits: () => readLimits(env),
      courier: (id, letter) => this.#take(id, letter),
      wakeAt: (at) => this.#wakeAt(at),
    });
    this.#registry.wakeForPending();
  }

  override async alarm(): Promise<void> {
    await this.#registry.deliverDue();
  }

  async identity() {
    const { relayId, publicJwk } = await this.#registry.key();
    return { relay_id: relayId, keys: [publicJwk] };
  }

  async admit(token: Claims, conversationId: string | null) {
    return await admit(this.#registry, token, conversationId);
  }

  async knows(conversationId: string) {
    return await knows(this.#registry, conversationId);
  }

  async refresh(token: Claims) {
    return await refresh(this.#registry, token);
  }

  async enrol(agent: { name: string; agent: string | null; version: string | null }) {
    return await enrol(this.#registry, agent);
  }

  async agents() {
    return agents(this.#registry);
  }

  async ownAgent(token: Claims) {
    return ownAgent(this.#registry, token);
  }

  async revokeAgent(agentId: string) {
    return await revokeAgent(this.#registry, agentId);
  }

  async replaceToken(agentId: string) {
    return await replaceToken(this.#registry, agentId);
  }

  async makePairing(token: Claims, given: { ttl_s: number; label: string | null }) {
    return makePairing(this.#registry, token, given);
  }

  async pairing(token: Claims, pairingId: string) {
    return pairing(this.#registry, token, pairingId);
  }

  async redeem(request: RedeemRequest) {
    return await redeem(this.#registry, request);
  }

  async devices(token: Claims) {
    return devices(this.#registry, token);
  }

  async revokeDevice(token: Claims, deviceId: string) {
    return await revokeDevice(this.#registry, token, deviceId);
  }

  async conversations(token: Claims) {
    return conversations(this.#registry, token);
  }

  async makeConversation(token: Claims, title: string | null) {
    return await makeConversation(this.#registry, token, title);
  }

  async renameConversation(token: Claims, conversationId: string, title: string | null) {
    return await renameConversation(this.#registry, token, conversationId, title);
  }

  async deleteConversation(token: Claims, conversationId: string) {
    return await deleteConversation(this.#registry, token, conversationId);
  }

  async #take(conversationId: string, letter: Letter): Promise<void> {
    try {
      await askConversation(this.env, conversationId, async (conversation) => {
        if (letter.kind === 'create') await conversation.create(letter.conversation);
        else await conversation.tell(letter);
      });
    } catch (error) {
      logFailure('tidings_not_heard', error, { conversation: conversationId, tidings: letter.kind });
      throw error;
    }
  }

  #wakeAt(at: number | null): void {
    const { storage } = this.ctx;
    this.ctx.waitUntil(at === null ? storage.deleteAlarm() : storage.setAlarm(Math.max(at, Date.now() + SOONEST_ALARM_MS)));
  }
}
