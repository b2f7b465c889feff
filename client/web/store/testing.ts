/** Stand-ins for the network, for the tests of the stores. */
import { Emitter } from '../../core/events.ts';
import type { ConnectionEvents, ConnectionState, SentUpdate } from '../../core/connection-events.ts';
import type { Sent } from '../../core/connection.ts';
import type { DurableType } from '../../core/frames.ts';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { Welcome } from '../../../src/protocol/handshake.ts';
import type { HistoryPage } from '../../../src/protocol/http.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { DEFAULT_LIMITS } from '../../../src/protocol/limits.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import type { ConversationHost } from '../capabilities/host.ts';
import type { ConversationHttp, ConversationOptions, Link } from './conversation-options.ts';
import { ConversationStore } from './conversation-store.ts';
import { LocalStore } from './local-store.ts';
import { Observable } from './observable.ts';

export const ME = { kind: 'app', id: 'dv_me' } as const;
export const AGENT = { kind: 'agent', id: 'ag_1' } as const;

/** A connection without a relay: a test says what comes, and sees what is sent. */
export class ScriptedLink implements Link {
  readonly #events = new Emitter<ConnectionEvents>();
  state: ConnectionState = { name: 'idle' };
  outbox: SentUpdate[] = [];
  readonly durable = true;
  readonly sent: { id: string; type: string; payload: JsonObject }[] = [];
  readonly calls: string[] = [];
  /** Thrown by the next send. */
  unsendable: Error | null = null;

  readonly on: Link['on'] = (event, listener) => this.#events.on(event, listener);

  emit<K extends keyof ConnectionEvents>(event: K, value: ConnectionEvents[K]): void {
    this.#events.emit(event, value);
  }

  become(state: ConnectionState): void {
    this.state = state;
    this.emit('state', state);
  }

  start(): void {
    this.calls.push('start');
  }

  reconnect(): void {
    this.calls.push('reconnect');
  }

  close(): Promise<void> {
    this.calls.push('close');
    return Promise.resolve();
  }

  send<T extends DurableType>(type: T, payload: Payloads[T]): Promise<Sent> {
    if (this.unsendable) return Promise.reject(this.unsendable);
    const id = `sent-${this.sent.length + 1}`;
    this.sent.push({ id, type, payload: payload as JsonObject });
    this.status(id, { state: 'queued' });
    return Promise.resolve({ id, done: new Promise(() => undefined) });
  }

  retry(id: string): void {
    this.calls.push(`retry ${id}`);
  }

  discard(id: string): void {
    this.calls.push(`discard ${id}`);
  }

  isUntried(): boolean {
    return false;
  }

  /** The outbox tells how far a message is. */
  status(id: string, status: SentUpdate['status']): void {
    const message = this.sent.find((sent) => sent.id === id);
    if (message) this.emit('sent', { entry: { ...message, created_at: 0 }, status });
  }

  /** What was sent of one type. */
  sentOf(type: string): JsonObject[] {
    return this.sent.flatMap((sent) => (sent.type === type ? [sent.payload] : []));
  }

  /** Comes online as on a first connection. */
  comeOnline(welcome: Partial<Welcome> = {}): void {
    this.become({ name: 'syncing' });
    this.emit('welcome', welcomeOf(welcome));
    this.become({ name: 'online' });
    this.emit('synced', { seq: welcome.head_seq ?? 0 });
  }
}

/** A welcome of a conversation in which the agent is there. */
export function welcomeOf(change: Partial<Welcome> = {}): Welcome {
  return {
    you: ME,
    conversation: { id: 'cv_1', title: null },
    epoch: 'e1',
    head_seq: 0,
    oldest_seq: 1,
    resumed: false,
    gap: false,
    peers: [{ ...AGENT, name: 'Hermes', online: true, last_seen: null, received: 0 }],
    status: null,
    pending_calls: [],
    surfaces: [],
    limits: DEFAULT_LIMITS,
    token: null,
    ...change,
  };
}

/** A logged frame of the agent's. */
export function frameOf(seq: number, type: string, payload: JsonObject, change: Partial<Delivered> = {}): Delivered {
  return { v: 1, id: `m${seq}`, type, sender: AGENT, seq, ts: '2026-11-29T09:41:00.000Z', payload, ...change };
}

/** A log that answers pages as the relay does. */
export class ScriptedHttp implements ConversationHttp {
  log: Delivered[] = [];
  /** Thrown by the next call. */
  failure: Error | null = null;
  readonly queries: object[] = [];

  history: ConversationHttp['history'] = (_id, { after, before, limit = 50 } = {}) => {
    this.queries.push({ after, before });
    if (this.failure) return Promise.reject(this.failure);
    const seq = (message: Delivered) => message.seq ?? 0;
    const within = this.log.filter((message) => (after === undefined || seq(message) > after) && (before === undefined || seq(message) < before));
    const messages = after === undefined ? within.slice(-limit) : within.slice(0, limit);
    const head = this.log.at(-1)?.seq ?? 0;
    const page: HistoryPage<Delivered> = {
      messages,
      head_seq: head,
      oldest_seq: this.log[0]?.seq ?? head + 1,
      has_more: messages.length < within.length,
    };
    return Promise.resolve(page);
  };

  upload: ConversationHttp['upload'] = () => Promise.reject(this.failure ?? new Error('no upload'));
  download: ConversationHttp['download'] = () => Promise.reject(this.failure ?? new Error('no download'));
}

/** A device that has the three components and nothing else. */
export const BARE_HOST: ConversationHost = {
  desk: {
    take: () => Promise.resolve(),
    settled: () => undefined,
    pending: () => undefined,
    leave: () => undefined,
    asking: () => [],
    view: { subscribe: () => () => undefined },
  },
  inventory: new Observable(
    () => ({
      revision: 'bare-1',
      standard_components: ['choice', 'confirm', 'input'].map((id) => ({ id, version: '1' })),
      applications: [],
      capabilities: [],
    }),
    (run) => run(),
  ),
};

/** A store over stand-ins, whose view is made at once. */
export function conversation(change: Partial<ConversationOptions> = {}): { store: ConversationStore; link: ScriptedLink; http: ScriptedHttp } {
  const link = new ScriptedLink();
  const http = new ScriptedHttp();
  const store = new ConversationStore({
    conversationId: 'cv_1',
    me: ME,
    agent: { id: AGENT.id, name: 'Hermes' },
    agentKey: `relay|${AGENT.id}`,
    host: BARE_HOST,
    title: null,
    link,
    http,
    local: new LocalStore(null),
    schedule: (run) => run(),
    now: () => 1_000,
    ...change,
  });
  return { store, link, http };
}

/** Lets everything that waits for a resolved promise run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
