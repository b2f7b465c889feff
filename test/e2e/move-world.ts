/** What the journeys of a move need: an agent at a relay and in direct mode, in one home, and something to have been said. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSetup, type Setup } from '../../client/agent/setup.ts';
import { RelayHttp, type PostedEnvelope } from '../../client/core/http.ts';
import type { Delivered } from '../../src/protocol/envelope.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { DirectProcess, lineup } from './direct-process.ts';

/** Somebody with a token at one of the relays. */
export interface Person {
  http: RelayHttp;
  conversationId: string;
  say(envelope: Partial<PostedEnvelope> & { id: string }): Promise<unknown>;
}

/** What `lineup --json move` says. */
export interface Moved {
  to: { conversation_id: string; relay: string };
  moved: number;
  already: number;
  files: number;
  bytes: number;
  stayed: Record<string, number>;
  /** Whether the program's session went along. */
  session: boolean;
  url: string;
  announced: boolean;
}

export function person(origin: string, token: string, conversationId: string): Person {
  const http = new RelayHttp({ origin, token: () => token });
  return {
    http,
    conversationId,
    say: ({ id, type = 'text', payload = { content: id }, target }) =>
      http.postMessage(conversationId, { id, type, payload, ...(target && { target }) }),
  };
}

/** Redeems the code of a pairing link. */
export async function phoneBy(link: string, name = 'Phone'): Promise<Person> {
  const { origin, hash } = new URL(link);
  const code = new URLSearchParams(hash.slice(1)).get('pair') ?? '';
  const { token, conversation_id } = await RelayHttp.redeem(origin, code, { name, platform: 'test' });
  return person(origin, token, new URLSearchParams(hash.slice(1)).get('conversation') ?? conversation_id);
}

/** Everything that somebody sees. */
export async function historyOf({ http, conversationId }: Person): Promise<Delivered[]> {
  const all: Delivered[] = [];
  for (let after = 0, more = true; more;) {
    const page = await http.history(conversationId, { after, limit: 100 });
    all.push(...page.messages);
    after = all.at(-1)?.seq ?? after;
    more = page.has_more;
  }
  return all;
}

/** A home with a profile at a relay, `default`, and one in direct mode, `direct`. */
export class MoveWorld {
  readonly relay = new RelayProcess({ LINEUP_RATE_PER_S: '0' });
  home = '';
  direct!: DirectProcess;
  /** The agent at the relay. */
  agent!: Person;

  async start(...directArguments: string[]): Promise<void> {
    this.home = await mkdtemp(join(tmpdir(), 'lineup-move-'));
    // The command gets it as its user would give it: in its environment.
    process.env.LINEUP_OWNER_KEY = OWNER_KEY;
    await this.relay.start();
    const set = await lineup(this.home, ['setup', this.relay.origin, '--name', 'Hermes']);
    if (set.code !== 0) throw new Error(set.text);
    this.agent = this.personOf(await this.setup('default'));
    this.direct = await DirectProcess.start(this.home, 0, ...directArguments);
  }

  setup(profile: string): ReturnType<typeof readSetup> {
    return readSetup(join(this.home, profile));
  }

  personOf({ relay, token, conversationId = '' }: Setup): Person {
    return person(relay, token, conversationId);
  }

  /** A new conversation of the agent at the relay, and a phone in it. */
  async conversation(title: string): Promise<{ agent: Person; phone: Person }> {
    const { http } = this.agent;
    const { relay, token } = await this.setup('default');
    const { conversation_id } = await http.createConversation(title);
    const phone = await phoneBy((await http.createPairing()).url);
    return { agent: person(relay, token, conversation_id), phone: person(relay, await tokenOf(phone), conversation_id) };
  }

  async move(...args: string[]): Promise<Moved> {
    const { code, text } = await lineup(this.home, ['--json', ...args]);
    if (code !== 0) throw new Error(`ended with ${code}: ${text}`);
    return JSON.parse(text) as Moved;
  }

  /** The same words, as a person runs it; for what fails. */
  run(...args: string[]): ReturnType<typeof lineup> {
    return lineup(this.home, args);
  }

  async end(): Promise<void> {
    delete process.env.LINEUP_OWNER_KEY;
    await this.direct.end();
    await this.relay.dispose();
    await rm(this.home, { recursive: true, force: true });
  }
}

async function tokenOf({ http }: Person): Promise<string> {
  return (await http.refreshToken()).token;
}
