/** A directory in memory, with a clock that stands still and conversations that hear, or do not, as a test says. */
import type { Claims, TokenSubject } from '../../src/worker/auth/claims.ts';
import { AUDIENCE, TOKEN_TTL_S } from '../../src/worker/auth/claims.ts';
import { enrol } from '../../src/worker/directory/enrolling.ts';
import { makePairing, redeem } from '../../src/worker/directory/pairing.ts';
import { Registry } from '../../src/worker/directory/registry.ts';
import type { Letter } from '../../src/worker/directory/tidings-outbox.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/protocol/limits.ts';
import { NodeSql } from './node-sql.ts';

/** A registry and what a test sees of its surroundings. */
export class DirectoryWorld {
  readonly sql = new NodeSql('directory');
  readonly clock = { at: Date.parse('2026-11-29T12:00:00.000Z'), now: () => this.clock.at };
  readonly limits: Limits = { ...DEFAULT_LIMITS };
  /** What conversations have heard. */
  readonly heard: { to: string; letter: Letter }[] = [];
  /** Conversations that do not hear. */
  readonly deaf = new Set<string>();
  wakeAt: number | null = null;
  registry = this.start();

  /** A new registry over the same storage, as after an eviction. */
  start(): Registry {
    return new Registry({
      sql: this.sql,
      clock: this.clock,
      limits: () => this.limits,
      courier: async (to, letter) => {
        await Promise.resolve();
        if (this.deaf.has(to)) throw new Error('not heard');
        this.heard.push({ to, letter });
      },
      wakeAt: (at) => {
        this.wakeAt = at;
      },
    });
  }

  /** What one conversation has heard, by kind. */
  kinds(conversationId: string): string[] {
    return this.heard.filter(({ to }) => to === conversationId).map(({ letter }) => letter.kind);
  }

  /** Claims as a token that was signed just now would carry. */
  claims(subject: TokenSubject): Claims {
    const iat = Math.floor(this.clock.at / 1000);
    return { ...subject, iss: 'rl_test', aud: AUDIENCE, jti: 'j', iat, exp: iat + TOKEN_TTL_S[subject.role] };
  }

  async agent(name = 'Hermes') {
    const { agent_id: id, conversation_id: conversation } = await enrol(this.registry, { name, agent: null, version: null });
    return { id, conversation, token: this.claims({ role: 'agent', sub: id, gen: 0 }) };
  }

  /** A fresh code of an agent. */
  code(agent: { token: Claims }, ttl_s = 600): { code: string; pairing_id: string } {
    const made = makePairing(this.registry, agent.token, { ttl_s, label: null });
    if (!made.ok) throw new Error(made.error.message);
    return made.value;
  }

  redeem(code: string, address = '198.51.100.1') {
    return redeem(this.registry, { code, device: { name: 'Phone', platform: 'web' }, address });
  }

  async device(agent: { id: string; token: Claims }) {
    const redeemed = await this.redeem(this.code(agent).code);
    if (!redeemed.ok) throw new Error(redeemed.error.message);
    const id = redeemed.value.device_id;
    return { id, token: this.claims({ role: 'app', sub: id, aid: agent.id }) };
  }
}
