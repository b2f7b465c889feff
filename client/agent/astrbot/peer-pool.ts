/** Connections to several ACP servers, and the agents behind them: found by name, or by what they can do. */
import { isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';
import { Peer, PeerGone, type PeerPace, type PeerRequest } from './peer.ts';
import { addressText, type ServerAddress } from './address.ts';
import { ACP_CODES, RpcError } from './json-rpc.ts';

/** An agent behind a server. */
export interface RemoteAgent {
  name: string;
  capabilities: string[];
}

/** What a pool tells. */
export interface PoolEvents {
  /** The agents of a server are known: after each connection. */
  agents: (address: string, agents: RemoteAgent[]) => void;
  up: (address: string) => void;
  down: (address: string) => void;
  /** An agent said something by itself. */
  event: (agent: string, event: string, data: Json) => void;
  problem: (text: string) => void;
}

interface Entry {
  peer: Peer;
  agents: RemoteAgent[];
}

/** How long a server may take to list its agents, in ms. */
const LIST_DEADLINE_MS = 30_000;

/** One connection for each address. An agent that several servers have is reached through the first that is up. */
export class PeerPool {
  readonly #entries: Entry[];
  readonly #events: PoolEvents;

  constructor(addresses: readonly ServerAddress[], events: PoolEvents, pace?: PeerPace) {
    this.#events = events;
    this.#entries = addresses.map((address) => {
      const name = addressText(address);
      const entry: Entry = {
        agents: [],
        peer: new Peer(
          address,
          {
            up: () => {
              events.up(name);
              this.#look(entry).catch((error: unknown) => events.problem(`${name}: ${error instanceof Error ? error.message : String(error)}`));
            },
            down: () => events.down(name),
            notification: (method, params) => this.#notified(entry, method, params),
          },
          pace,
        ),
      };
      return entry;
    });
  }

  start(): void {
    for (const { peer } of this.#entries) peer.start();
  }

  close(): void {
    for (const { peer } of this.#entries) peer.close();
  }

  /** Every agent that is known, each name once. */
  get agents(): RemoteAgent[] {
    return [...new Map(this.#entries.flatMap(({ agents }) => agents).map((agent) => [agent.name, agent])).values()];
  }

  /** A request to whichever server has the agent. @throws RpcError agentNotFound, PeerGone, and as {@link Peer.request} */
  async request(agent: string, method: string, params: JsonObject, options: PeerRequest): Promise<Json> {
    const having = this.#entries.filter(({ agents }) => agents.some(({ name }) => name === agent));
    if (having.length === 0) throw new RpcError(ACP_CODES.agentNotFound, `Agent not found: ${agent}`);
    const entry = having.find(({ peer }) => peer.isUp);
    if (!entry) throw new PeerGone();
    return entry.peer.request(method, { agent, ...params }, options);
  }

  async #look(entry: Entry): Promise<void> {
    const listed = await entry.peer.request('agent/list', {}, { deadline: LIST_DEADLINE_MS });
    entry.agents = agentsOf(listed);
    for (const { name } of entry.agents) await this.#subscribe(entry, name);
    this.#events.agents(addressText(entry.peer.address), entry.agents);
  }

  async #subscribe({ peer }: Entry, agent: string): Promise<void> {
    try {
      await peer.request('agent/subscribe', { agent, events: ['message'] }, { deadline: LIST_DEADLINE_MS });
    } catch (error) {
      // A server without events, or without this one, is used without.
      if (!(error instanceof RpcError)) throw error;
    }
  }

  #notified({ agents }: Entry, method: string, params: JsonObject): void {
    const { agent, event = method, data = params } = params;
    const name = typeof agent === 'string' ? agent : agents.length === 1 ? agents[0]?.name : undefined;
    if (name !== undefined) this.#events.event(name, String(event), data);
  }
}

/** What servers answer to agent/list is not specified: a list, or one in `agents` or `data`, of names or of announcements. */
export function agentsOf(answer: Json): RemoteAgent[] {
  if (Array.isArray(answer)) return answer.flatMap(agentOf);
  if (!isJsonObject(answer)) return [];
  for (const key of ['agents', 'data', 'servers']) if (answer[key] !== undefined && answer[key] !== null) return agentsOf(answer[key]);
  return [];
}

function agentOf(entry: Json): RemoteAgent[] {
  if (typeof entry === 'string' && entry !== '') return [{ name: entry, capabilities: [] }];
  if (!isJsonObject(entry)) return [];
  const name = [entry.agent, entry.name, entry.id].find((each) => typeof each === 'string' && each !== '');
  if (typeof name !== 'string') return [];
  const { capabilities } = entry;
  return [{ name, capabilities: Array.isArray(capabilities) ? capabilities.filter((each) => typeof each === 'string') : [] }];
}

/** The words in an answer, a chunk or an event, wherever its server put them; empty when there are none. */
export function wordsOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(wordsOf).join('');
  if (value === undefined || !isJsonObject(value)) return '';
  for (const key of ['text', 'content', 'reply', 'message', 'response', 'result', 'data', 'chunk', 'delta', 'parts']) {
    const words = wordsOf(value[key]);
    if (words !== '') return words;
  }
  return '';
}
