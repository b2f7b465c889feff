/** Which device each bare v1 app is. It has no id of its own and keeps none for us, so it is known by how it calls itself. */
import type { Sql } from '../../../src/conversation/ports.ts';
import { refuse, type Result } from '../../../src/protocol/errors.ts';
import type { Registry } from '../../../src/worker/directory/registry.ts';
import type { RedeemAnswer } from '../../../src/worker/directory-api.ts';

/** What a v1 app says of itself in its hello. */
export interface V1AppName {
  name: string;
  platform: string;
}

/** The relay, as far as v1 apps need it. */
export interface V1Pairing {
  registry: Registry;
  /** Null when there is no such agent. */
  pair(agentId: string, device: V1AppName): Promise<RedeemAnswer | null>;
}

/** The table of v1 apps, beside the directory's own. */
export class V1Apps {
  readonly #sql: Sql;
  readonly #relay: V1Pairing;
  /** Ends when no pairing is under way: two sockets of one app must not become two devices. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(sql: Sql, relay: V1Pairing) {
    this.#sql = sql;
    this.#relay = relay;
    sql.exec(
      'CREATE TABLE IF NOT EXISTS direct_v1_apps (agent_id TEXT, name TEXT, platform TEXT, device_id TEXT NOT NULL, PRIMARY KEY (agent_id, name, platform)) WITHOUT ROWID',
    );
  }

  /** The device that an app is to an agent; one that is new, or was revoked, is paired. Errors: `not_found`, `too_many`. */
  async deviceOf(agentId: string, app: V1AppName): Promise<Result<string>> {
    const turn = this.#turn.then(() => this.#deviceOf(agentId, app));
    this.#turn = turn.catch(() => undefined);
    return await turn;
  }

  async #deviceOf(agentId: string, { name, platform }: V1AppName): Promise<Result<string>> {
    const [row] = this.#sql.exec<{ device_id: string }>(
      'SELECT device_id FROM direct_v1_apps WHERE agent_id = ? AND name = ? AND platform = ?',
      agentId,
      name,
      platform,
    );
    if (row && this.#relay.registry.devices.find(row.device_id)) return { ok: true, value: row.device_id };
    const paired = await this.#relay.pair(agentId, { name, platform });
    if (!paired) return refuse('not_found', 'agent: not found');
    if (!paired.ok) return paired;
    const { device_id } = paired.value;
    this.#sql.exec(
      'INSERT OR REPLACE INTO direct_v1_apps (agent_id, name, platform, device_id) VALUES (?, ?, ?, ?)',
      agentId,
      name,
      platform,
      device_id,
    );
    return { ok: true, value: device_id };
  }
}
