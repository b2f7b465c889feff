/** Who takes part in a test: a real relay, agents and devices that got in as everybody does, and their sockets. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { Participant } from '../../src/protocol/envelope.ts';
import type { AuditEntry, HistoryPage } from '../../src/protocol/http.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { freshId, hello, Wire, type Extra, type Frame, type Joined } from './wire.ts';

/** Somebody with a token. */
export interface Person extends Participant {
  token: string;
  /** The conversation it started with. */
  conversation: string;
}

/** An HTTP answer, read. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** Of a refusal. */
  code: string | undefined;
  json: Record<string, unknown>;
}

/** What an HTTP call brings along. */
export interface CallOptions {
  as?: Person | string;
  body?: unknown;
  /** In place of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** An agent and its devices, with a socket each. */
export interface Room {
  agent: Person;
  devices: Person[];
  a: Joined;
  d: Joined[];
}

/** A relay of a test file, and everybody who uses it. */
export class Relay {
  readonly process: RelayProcess;
  readonly #wires = new Set<Wire>();

  constructor(variables: Record<string, string>) {
    this.process = new RelayProcess({ LINEUP_RATE_PER_S: '0', ...variables });
  }

  async call(method: string, path: string, { as, body, raw, headers = {} }: CallOptions = {}): Promise<HttpAnswer> {
    const token = typeof as === 'object' ? as.token : as;
    const answer = await fetch(this.process.origin + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(raw !== undefined ? { body: raw } : body !== undefined ? { body: JSON.stringify(body) } : {}),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = bytes.toString();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    const json = (isJson && text !== '' ? JSON.parse(text) : {}) as Record<string, unknown>;
    const error = json.error as { code?: string } | undefined;
    return { status: answer.status, headers: answer.headers, bytes, text, code: error?.code, json };
  }

  async #made(method: string, path: string, options: CallOptions): Promise<Record<string, unknown>> {
    const { status, json, text } = await this.call(method, path, options);
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  }

  async enrol(name = 'Hermes'): Promise<Person> {
    const made = await this.#made('POST', '/v1/agents', { as: OWNER_KEY, body: { name, agent: 'Test', version: '1.0.0' } });
    return { kind: 'agent', id: String(made.agent_id), token: String(made.token), conversation: String(made.conversation_id) };
  }

  async pair(agent: Person, name = 'Phone'): Promise<Person> {
    const { code } = await this.#made('POST', '/v1/pairings', { as: agent, body: {} });
    const made = await this.#made('POST', '/v1/pairings/redeem', { body: { code, device: { name, platform: 'web' } } });
    return { kind: 'app', id: String(made.device_id), token: String(made.token), conversation: String(made.conversation_id) };
  }

  async conversation(who: Person, title: string | null = null): Promise<string> {
    return String((await this.#made('POST', '/v1/conversations', { as: who, body: { title } })).conversation_id);
  }

  /** A socket that has not said hello. */
  connect(who: Person, conversation = who.conversation): Wire {
    const wire = new Wire(`${this.process.origin.replace('http', 'ws')}/v1/conversations/${conversation}/socket`, who.token);
    this.#wires.add(wire);
    return wire;
  }

  /** A socket that is live. */
  async join(who: Person, payload: object = {}, conversation = who.conversation): Promise<Joined> {
    return await hello(this.connect(who, conversation), { name: who.kind, version: '1.0.0', session: randomUUID(), ...payload });
  }

  /** The agent and so many devices, all live. */
  async room(count = 1): Promise<Room> {
    const agent = await this.enrol();
    const devices: Person[] = [];
    for (let i = 0; i < count; i++) devices.push(await this.pair(agent, `Phone ${i}`));
    const a = await this.join(agent);
    const d: Joined[] = [];
    for (const device of devices) d.push(await this.join(device));
    return { agent, devices, a, d };
  }

  /** One envelope over HTTP. */
  async post(who: Person, type: string, payload: object = {}, extra: Extra = {}, conversation = who.conversation): Promise<HttpAnswer> {
    return await this.call('POST', `/v1/conversations/${conversation}/messages`, {
      as: who,
      body: { v: 1, id: freshId(), type, payload, ...extra },
    });
  }

  /** The whole log as somebody may see it. */
  async history(who: Person, conversation = who.conversation): Promise<Frame[]> {
    const all: Frame[] = [];
    for (let after = 0; ;) {
      const page = await this.page(who, `?after=${after}&limit=100`, conversation);
      all.push(...page.messages);
      if (!page.has_more) return all;
      after = all.at(-1)?.seq ?? 0;
    }
  }

  /** One page of it. */
  async page(who: Person, query = '', conversation = who.conversation): Promise<HistoryPage<Frame>> {
    return (await this.#made('GET', `/v1/conversations/${conversation}/messages${query}`, { as: who })) as unknown as HistoryPage<Frame>;
  }

  async audit(who: Person, query = ''): Promise<AuditEntry[]> {
    const { entries } = await this.#made('GET', `/v1/conversations/${who.conversation}/audit${query}`, { as: who });
    return entries as AuditEntry[];
  }

  /** Uploads a file. @returns its id */
  async upload(who: Person, bytes: string, type = 'text/plain', conversation = who.conversation): Promise<string> {
    const options = { as: who, raw: bytes, headers: { 'content-type': type } };
    return String((await this.#made('POST', `/v1/conversations/${conversation}/files`, options)).file_id);
  }

  /** Kills it in the middle of whatever it does, and starts it again on the same folder. */
  async crash(): Promise<void> {
    await this.process.end('SIGKILL');
    await this.process.start();
  }

  /** Cuts every socket that was opened, but for those that stay. */
  hangUp(...staying: readonly Wire[]): void {
    for (const wire of this.#wires) {
      if (staying.includes(wire)) continue;
      wire.cut();
      this.#wires.delete(wire);
    }
  }
}

/** The relay of a test file, without a rate limit unless `variables` say otherwise. */
export function useRelay(variables: Record<string, string> = {}): Relay {
  const relay = new Relay(variables);
  beforeAll(() => relay.process.start());
  afterAll(async () => {
    relay.hangUp();
    await relay.process.dispose();
  });
  return relay;
}

/** An ISO time so many ms from now. */
export function isoIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
