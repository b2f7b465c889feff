/** A client for the tests of §3: calls the Worker as anyone outside would, and keeps what sockets got. */
import { env, exports } from 'cloudflare:workers';
import { expect } from 'vitest';

export const ORIGIN = 'https://relay.test';
export const OWNER_KEY = env.LINEUP_OWNER_KEY ?? '';
export const UNKNOWN_CONVERSATION = `cv_${'a'.repeat(24)}`;

/** An answer, read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  json: any;
}

export interface CallOptions {
  bearer?: string | undefined;
  body?: unknown;
  /** In place of `body`. */
  raw?: BodyInit;
  headers?: Record<string, string>;
}

/** One HTTP call. */
export async function call(method: string, path: string, { bearer, body, raw, headers = {} }: CallOptions = {}): Promise<Answer> {
  const request = new Request(ORIGIN + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(raw !== undefined ? { body: raw } : body !== undefined ? { body: JSON.stringify(body) } : {}),
  });
  return await read(await exports.default.fetch(request));
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Checks a refusal: its status, its code, and that its body is the one of §3. */
export function expectRefused(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, json: answer.json }).toEqual({ status, json: { error: { code, message: expect.stringMatching(/./) } } });
  expect(answer.text).not.toMatch(/\n\s+at |eyJ[\w-]{10,}\./);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
}

/** Somebody with a token. */
export interface Bearer {
  kind: 'agent' | 'app';
  id: string;
  token: string;
  conversation: string;
}

export async function enrol(name = 'Hermes'): Promise<Bearer> {
  const { status, json } = await call('POST', '/v1/agents', { bearer: OWNER_KEY, body: { name, agent: 'Test', version: '1.0.0' } });
  expect(status).toBe(201);
  return { kind: 'agent', id: json.agent_id, token: json.token, conversation: json.conversation_id };
}

export async function offer(agent: Bearer, body: object = {}): Promise<{ pairing_id: string; code: string; url: string; expires_at: string }> {
  const { status, json } = await call('POST', '/v1/pairings', { bearer: agent.token, body });
  expect(status).toBe(201);
  return json;
}

/** Redeems a code, from an address of its own unless one is given. */
export function redeem(code: string, { name = 'Phone', address = crypto.randomUUID() } = {}): Promise<Answer> {
  const headers = { 'cf-connecting-ip': address };
  return call('POST', '/v1/pairings/redeem', { body: { code, device: { name, platform: 'web' } }, headers });
}

export async function pair(agent: Bearer, name = 'Phone'): Promise<Bearer> {
  const { status, json } = await redeem((await offer(agent)).code, { name });
  expect(status).toBe(200);
  return { kind: 'app', id: json.device_id, token: json.token, conversation: json.conversation_id };
}

export async function conversation(who: Bearer, title: string | null = null): Promise<string> {
  const { status, json } = await call('POST', '/v1/conversations', { bearer: who.token, body: { title } });
  expect(status).toBe(201);
  return json.conversation_id;
}

/** One socket, with what came over it. */
export class TestSocket {
  readonly frames: { type: string; payload: Record<string, unknown> }[] = [];
  readonly texts: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
    });
    socket.addEventListener('message', ({ data }) => {
      const text = String(data);
      this.texts.push(text);
      if (text.startsWith('{')) this.frames.push(JSON.parse(text));
    });
    socket.accept();
  }

  send(frame: string | object): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify({ v: 1, id: crypto.randomUUID(), payload: {}, ...frame }));
  }

  end(): void {
    this.#socket.close(1000);
  }

  /** Waits for a frame of this type about whatever `about` names. */
  async wait(type: string, about = ''): Promise<Record<string, unknown>> {
    for (let i = 0; i < 200; i++) {
      const frame = this.frames.find((f) => f.type === type && JSON.stringify(f.payload).includes(about));
      if (frame) return frame.payload;
      await scheduler.wait(10);
    }
    throw new Error(`no ${type} about ${about}, only ${this.frames.map((f) => f.type).join(', ')}`);
  }
}

/** An upgrade request's answer. */
export async function upgrade(conversationId: string, headers: Record<string, string> = {}, query = ''): Promise<Response> {
  const request = new Request(`${ORIGIN}/v1/conversations/${conversationId}/socket${query}`, { headers: { upgrade: 'websocket', ...headers } });
  return await exports.default.fetch(request);
}

/** Opens a socket as a browser does, without saying hello. */
export async function connect(conversationId: string, token?: string, query = ''): Promise<TestSocket> {
  const protocols = token === undefined ? 'lineup.v1' : `lineup.v1, lineup.token.${token}`;
  const { status, webSocket, headers } = await upgrade(conversationId, { 'sec-websocket-protocol': protocols }, query);
  expect(status).toBe(101);
  expect(headers.get('sec-websocket-protocol')).toBe('lineup.v1');
  if (!webSocket) throw new Error('no socket');
  return new TestSocket(webSocket);
}

/** Opens a socket and waits until it is live. */
export async function join(who: Bearer, conversationId = who.conversation): Promise<TestSocket> {
  const socket = await connect(conversationId, who.token);
  socket.send({ type: 'system.hello', payload: { name: 'Test', session: crypto.randomUUID() } });
  await socket.wait('system.synced');
  return socket;
}

/** The close code of a socket that is opened with this token. */
export async function closeCodeFor(conversationId: string, token: string): Promise<number> {
  return (await (await connect(conversationId, token)).closed).code;
}
