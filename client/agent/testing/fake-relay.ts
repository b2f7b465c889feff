/** A relay for unit tests of an agent: connections that record what is sent and deliver what a test says, and the list of conversations. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivered, Sender } from '../../../src/protocol/envelope.ts';
import type { Ack, Peer, Welcome } from '../../../src/protocol/handshake.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { DEFAULT_LIMITS } from '../../../src/protocol/limits.ts';
import type { ConnectionEvents } from '../../core/connection-events.ts';
import type { ConnectionOptions } from '../../core/connection-options.ts';
import { RelayError, UnsendableError } from '../../core/errors.ts';
import { Emitter } from '../../core/events.ts';
import { frameText } from '../../core/sendable.ts';
import type { AgentConnection } from '../agent-conversation.ts';
import type { AgentEvent, LineUpAgentOptions } from '../agent-options.ts';
import { LineUpAgent } from '../lineup-agent.ts';

export const AGENT = `ag_${'a'.repeat(20)}`;
export const DEVICE = `dv_${'d'.repeat(20)}`;
export const HOME = `cv_${'h'.repeat(20)}`;

/** Something that the agent sent. */
export interface SentFrame {
  type: string;
  id: string;
  payload: JsonObject;
  target?: { kind: string; id?: string };
}

/** A token as the relay would give it. */
export function tokenOf(agentId = AGENT, iat = 1_000): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'EdDSA' })}.${part({ sub: agentId, role: 'agent', iat })}.c2ln`;
}

/** The agent's side of one conversation. */
export class FakeConnection implements AgentConnection {
  readonly options: ConnectionOptions;
  readonly sent: SentFrame[] = [];
  readonly discarded: string[] = [];
  isStarted = false;
  isClosed = false;
  isOnline = true;
  /** What the relay refuses, by type. */
  readonly refuses = new Map<string, string>();
  readonly #events = new Emitter<ConnectionEvents>();
  readonly #waiting = new Set<() => void>();
  #seq = 0;
  #ids = 0;

  constructor(options: ConnectionOptions) {
    this.options = options;
  }

  on: AgentConnection['on'] = (event, listener) => this.#events.on(event, listener);

  emit<K extends keyof ConnectionEvents>(event: K, value: ConnectionEvents[K]): void {
    this.#events.emit(event, value);
  }

  start(): void {
    this.isStarted = true;
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  send: AgentConnection['send'] = async (type, payload, { id = `auto_${++this.#ids}`, target } = {}) => {
    await Promise.resolve();
    frameText({ id, type, payload, conversationId: this.options.conversationId }, DEFAULT_LIMITS);
    const frame: SentFrame = { type, id, payload: JSON.parse(JSON.stringify(payload)) as JsonObject, ...(target && { target }) };
    const before = this.sent.find((each) => each.id === id);
    if (before && JSON.stringify(before) !== JSON.stringify(frame)) throw new UnsendableError('id_conflict', 'id: another message waits');
    this.sent.push(frame);
    for (const done of this.#waiting) done();
    const code = this.refuses.get(type);
    if (code === undefined) return { id, done: Promise.resolve<Ack>({ ref: id, seq: ++this.#seq, duplicate: false }) };
    const error = new RelayError({ code, message: `${code} it is`, status: 0, retryable: false });
    const done = Promise.reject<Ack>(error);
    done.catch(() => undefined);
    queueMicrotask(() =>
      this.emit('sent', {
        entry: { id, type, payload: frame.payload, created_at: 0 },
        status: { state: 'failed', code, message: error.message, retryable: false },
      }),
    );
    return { id, done };
  };

  sendNow: AgentConnection['sendNow'] = (type, payload) => {
    if (!this.isOnline) return false;
    this.sent.push({ type, id: `now_${++this.#ids}`, payload: JSON.parse(JSON.stringify(payload)) as JsonObject });
    for (const done of this.#waiting) done();
    return true;
  };

  discard(id: string): void {
    this.discarded.push(id);
  }

  /** Everything of one type. */
  of(type: string): SentFrame[] {
    return this.sent.filter((frame) => frame.type === type);
  }

  /** Resolves when `count` frames of a type were sent, with the last of them. */
  async until(type: string, count = 1): Promise<SentFrame> {
    for (;;) {
      const frame = this.of(type)[count - 1];
      if (frame) return frame;
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#waiting.delete(done);
          resolve();
        };
        this.#waiting.add(done);
      });
    }
  }

  /** Delivers a frame; resolves when the agent is done with it. */
  deliver(type: string, payload: JsonObject, { id = `m_${++this.#ids}`, sender = { kind: 'app', id: DEVICE } as Sender } = {}): Promise<void> {
    const frame: Delivered = {
      v: 1,
      id,
      type,
      sender,
      conversation_id: this.options.conversationId,
      seq: ++this.#seq,
      ts: '2026-11-29T12:00:00.000Z',
      payload,
    };
    return Promise.resolve(this.options.process?.(frame));
  }

  welcome(peers: Peer[] = [{ kind: 'app', id: DEVICE, name: 'Phone', online: true, last_seen: null, received: 0 }]): void {
    this.emit('welcome', { peers } as Welcome);
  }
}

/** An agent's world. */
export class FakeRelay {
  readonly connections = new Map<string, FakeConnection>();
  readonly events: AgentEvent[] = [];
  readonly state = mkdtempSync(join(tmpdir(), 'lineup-agent-'));
  readonly uploads: { type: string | null; bytes: number }[] = [];
  /** Conversations that the relay lists; a status: the list fails with it. */
  list: string[] | number = [HOME];
  /** How many uploads fail before one succeeds. */
  failingUploads = 0;
  readonly #agents: LineUpAgent[] = [];

  /** A process of the agent. Several can follow each other over the same state. */
  agent(options: Partial<LineUpAgentOptions> = {}): LineUpAgent {
    const agent = new LineUpAgent({
      relay: 'http://relay.test',
      token: tokenOf(),
      state: this.state,
      name: 'Demo',
      conversationId: HOME,
      log: (event) => this.events.push(event),
      connect: (connection) => {
        const made = new FakeConnection(connection);
        this.connections.set(connection.conversationId, made);
        return made;
      },
      fetch: (input, init) => Promise.resolve(this.#fetch(new URL(input instanceof Request ? input.url : input), init)),
      ...options,
    });
    this.#agents.push(agent);
    return agent;
  }

  /** The connection of the newest process. */
  get home(): FakeConnection {
    const home = this.connections.get(HOME);
    if (!home) throw new Error('the agent has not opened its home conversation');
    return home;
  }

  get problems(): string[] {
    return this.events.flatMap((event) => (event.kind === 'problem' ? [event.problem] : []));
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.close()));
    rmSync(this.state, { recursive: true, force: true });
  }

  #fetch(url: URL, init: RequestInit | undefined): Response {
    if (url.pathname.endsWith('/files')) return this.#upload(init);
    if (typeof this.list === 'number') return Response.json({ error: { code: 'internal', message: 'no list' } }, { status: this.list });
    const conversations = this.list.map((conversation_id, i) => ({ conversation_id, created_at: `2026-01-0${i + 1}T00:00:00.000Z` }));
    return Response.json({ conversations });
  }

  #upload(init: RequestInit | undefined): Response {
    if (this.failingUploads-- > 0) return Response.json({ error: { code: 'storage_full', message: 'full' } }, { status: 503 });
    this.uploads.push({ type: new Headers(init?.headers).get('content-type'), bytes: init?.body instanceof Uint8Array ? init.body.byteLength : 0 });
    const file_id = `fl_${String(this.uploads.length).padStart(20, '0')}`;
    return Response.json({ file_id, url: `/v1/conversations/${HOME}/files/${file_id}`, size: 3, sha256: '' }, { status: 201 });
  }
}
