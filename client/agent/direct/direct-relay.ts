/** The relay of direct mode: the Worker's own routes over a directory and conversations that are files in one folder. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readLimits, type Limits } from '../../../src/protocol/limits.ts';
import { admitToken } from '../../../src/worker/auth/admit.ts';
import type { Claims } from '../../../src/worker/auth/claims.ts';
import type { Env } from '../../../src/worker/env.ts';
import { makePairing, redeem } from '../../../src/worker/directory/pairing.ts';
import type { Registry } from '../../../src/worker/directory/registry.ts';
import type { Letter } from '../../../src/worker/directory/tidings-outbox.ts';
import type { RedeemAnswer } from '../../../src/worker/directory-api.ts';
import { directoryOver, openRegistry } from './local-directory.ts';
import { LocalConversation } from './local-conversation.ts';
import { readMigrations } from './package-folder.ts';
import { SqliteFile } from './sqlite.ts';
import { V1Apps } from './v1-apps.ts';

/** What the relay is made of. */
export interface DirectRelayOptions {
  /** Where everything is kept; made when missing. */
  folder: string;
  /** The secret that enrols agents (§3). */
  ownerKey: string;
  /** `LINEUP_*` limits (§8). @throws RangeError from {@link DirectRelay} when one is out of range */
  variables: Readonly<Record<string, string>>;
  assets: Env['ASSETS'];
  /** Hears of errors that are no client's. */
  report: (error: unknown) => void;
}

/** How long a code lives that only this process ever sees, in seconds. */
const OWN_CODE_TTL_S = 30;
/** Where redemptions come from that this process makes itself. */
const OWN_ADDRESS = 'direct';

/** See the file's head. One process at a time has the folder. */
export class DirectRelay {
  /** What the routes reach for. */
  readonly env: Env;
  readonly registry: Registry;
  readonly limits: Limits;
  readonly #folder: string;
  readonly #directory: SqliteFile;
  readonly report: (error: unknown) => void;
  readonly v1Apps: V1Apps;
  readonly #migrations = readMigrations('conversation');
  readonly #conversations = new Map<string, LocalConversation>();

  /** @throws Error for which `isInUse` holds when another process has the folder */
  constructor({ folder, ownerKey, variables, assets, report }: DirectRelayOptions) {
    this.limits = readLimits(variables);
    this.#folder = join(folder, 'conversations');
    this.report = report;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#directory = new SqliteFile(join(folder, 'directory.sqlite'));
    this.registry = openRegistry(this.#directory, { limits: () => this.limits, courier: (id, letter) => this.#take(id, letter), report });
    this.v1Apps = new V1Apps(this.#directory, this);
    const directory = directoryOver(this.registry);
    this.env = {
      ...variables,
      ASSETS: assets,
      CONVERSATIONS: { getByName: (id) => this.conversation(id) },
      DIRECTORY: { getByName: () => directory },
      LINEUP_OWNER_KEY: ownerKey,
    };
    // What is due in a conversation is due whether somebody comes for it or not.
    for (const { agent_id } of this.registry.agents.list()) {
      for (const { conversation_id } of this.registry.conversations.listOf(agent_id)) this.conversation(conversation_id);
    }
  }

  /** A conversation that the directory knows; of any other this would make a file. */
  conversation(id: string): LocalConversation {
    const known = this.#conversations.get(id);
    if (known) return known;
    const conversation = new LocalConversation(join(this.#folder, `${id}.sqlite`), {
      limits: () => this.limits,
      migrations: this.#migrations,
      admitToken: (token, conversationId) => admitToken(this.env, token, conversationId),
      report: this.report,
      forgotten: () => this.#conversations.delete(id),
    });
    this.#conversations.set(id, conversation);
    return conversation;
  }

  /** A code for one device of an agent, good for `ttl_s` seconds; null when there is no such agent, or it has too many. */
  makeCode(agentId: string, ttl_s = OWN_CODE_TTL_S): string | null {
    const agent = this.registry.agents.find(agentId);
    if (!agent) return null;
    const made = makePairing(this.registry, claimsOf(agentId, agent.generation), { ttl_s, label: null });
    return made.ok ? made.value.code : null;
  }

  /** Pairs a device that has already shown that it may be paired. */
  async pair(agentId: string, device: { name: string; platform: string }): Promise<RedeemAnswer | null> {
    const code = this.makeCode(agentId);
    return code === null ? null : await redeem(this.registry, { code, device, address: OWN_ADDRESS });
  }

  /** Lets go of all files. To be called when every socket is gone. */
  close(): void {
    for (const conversation of this.#conversations.values()) conversation.close();
    this.#conversations.clear();
    this.#directory.close();
  }

  async #take(conversationId: string, letter: Letter): Promise<void> {
    try {
      const conversation = this.conversation(conversationId);
      if (letter.kind === 'create') await conversation.create(letter.conversation);
      else await conversation.tell(letter);
    } catch (error) {
      this.report(error);
      throw error;
    }
  }
}

/** What a token of an agent would say: the directory asks for claims and this process for no token. */
function claimsOf(agentId: string, generation: number): Claims {
  return { role: 'agent', sub: agentId, gen: generation, iss: '', aud: 'lineup', jti: OWN_ADDRESS, iat: 0, exp: 0 };
}
