/** A connection with everything around it in the test's hands. */
import type { Delivered, Sender } from '../../../src/protocol/envelope.ts';
import type { Welcome } from '../../../src/protocol/handshake.ts';
import { DEFAULT_LIMITS } from '../../../src/protocol/limits.ts';
import { Connection } from '../connection.ts';
import type { ConnectionEvents } from '../connection-events.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { MemoryCursorStore } from '../cursor-store.ts';
import { MemoryOutboxStore } from '../outbox-store.ts';
import type { PageSignal, PageSignals } from '../page.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { FakeSocket, type SentFrame } from './fake-socket.ts';

export const SELF = { kind: 'app', id: 'dv_self' } as const;
export const AGENT = { kind: 'agent', id: 'ag_1' } as const;
export const CONVERSATION = 'cv_1';

/** A page that can be shown and hidden. */
export class FakePage implements PageSignals {
  isVisible = true;
  readonly #listeners = new Set<(signal: PageSignal) => void>();

  visible(): boolean {
    return this.isVisible;
  }

  watch(listener: (signal: PageSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tells(signal: PageSignal): void {
    if (signal === 'shown' || signal === 'hidden') this.isVisible = signal === 'shown';
    for (const listener of this.#listeners) listener(signal);
  }
}

/** A welcome's payload. */
export function welcome(changes: Partial<Welcome> = {}): Welcome {
  return {
    you: SELF,
    conversation: { id: CONVERSATION, title: null },
    epoch: 'e1',
    head_seq: 0,
    oldest_seq: 1,
    resumed: false,
    gap: false,
    peers: [],
    status: null,
    pending_calls: [],
    surfaces: [],
    limits: DEFAULT_LIMITS,
    token: null,
    ...changes,
  };
}

/** A frame of the relay. */
export function control(type: string, payload: object): object {
  return { v: 1, id: 'r1', type, sender: { kind: 'relay' }, payload };
}

/** A delivered text. */
export function text(id: string, seq: number, sender: Sender = AGENT): Delivered {
  return { v: 1, id, type: 'text', conversation_id: CONVERSATION, sender, seq, ts: '2026-01-01T00:00:00.000Z', payload: { content: id } };
}

export class Rig {
  readonly clock = new FakeClock();
  readonly page = new FakePage();
  readonly sockets: FakeSocket[] = [];
  readonly connection: Connection;
  /** Everything the connection told, in order. */
  readonly told: { [K in keyof ConnectionEvents]: { event: K; value: ConnectionEvents[K] } }[keyof ConnectionEvents][] = [];
  token: string | null = 't1';
  saved: string[] = [];
  /** Answers of `POST /v1/token`, one after the other. */
  refreshes: Response[] = [];
  refreshed: string[] = [];

  constructor(options: Partial<ConnectionOptions> = {}) {
    const opened = (url: string, protocols: string[]) => {
      const socket = new FakeSocket(url, protocols);
      this.sockets.push(socket);
      return socket;
    };
    this.connection = new Connection({
      relay: 'https://relay.example',
      conversationId: CONVERSATION,
      self: SELF,
      credentials: {
        load: () => this.token,
        save: (token) => {
          this.token = token;
          this.saved.push(token);
        },
      },
      hello: { name: 'Phone', platform: 'web' },
      outbox: new MemoryOutboxStore(),
      cursor: new MemoryCursorStore(),
      WebSocket: function (this: unknown, url: string, protocols: string[]) {
        return opened(url, protocols);
      } as unknown as NonNullable<ConnectionOptions['WebSocket']>,
      fetch: (_input, init) => {
        this.refreshed.push(new Headers(init?.headers).get('authorization') ?? '');
        const answer = this.refreshes.shift();
        return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('offline'));
      },
      page: this.page,
      clock: this.clock,
      random: () => 0.5,
      ...options,
    });
    const events: (keyof ConnectionEvents)[] = [
      ...(['state', 'welcome', 'gap', 'message', 'synced', 'sent', 'receipt', 'presence'] as const),
      ...(['settled', 'paired', 'revoked', 'conversation', 'refused', 'storage', 'fault'] as const),
    ];
    for (const event of events) this.connection.on(event, (value) => this.told.push({ event, value } as never));
  }

  /** The latest socket. */
  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error('no socket was opened');
    return socket;
  }

  /** The values of one event. */
  of<K extends keyof ConnectionEvents>(event: K): ConnectionEvents[K][] {
    return this.told.filter((entry) => entry.event === event).map((entry) => entry.value as ConnectionEvents[K]);
  }

  /** The ids of the messages that were told. */
  get messages(): string[] {
    return this.of('message').map(({ id }) => id);
  }

  get hello(): SentFrame {
    const [hello] = this.socket.of('system.hello');
    if (!hello) throw new Error('no hello was sent');
    return hello;
  }

  /** The relay says something. */
  async says(...frames: object[]): Promise<void> {
    for (const frame of frames) this.socket.says(JSON.stringify(frame));
    await settle();
  }

  /** From nothing to a welcomed socket. */
  async greet(changes: Partial<Welcome> = {}): Promise<void> {
    this.connection.start();
    await settle();
    await this.accept(changes);
  }

  /** The relay accepts the latest socket. */
  async accept(changes: Partial<Welcome> = {}): Promise<void> {
    this.socket.opens();
    await this.says(control('system.welcome', welcome(changes)));
  }

  async online(changes: Partial<Welcome> = {}): Promise<void> {
    await this.greet(changes);
    await this.says(control('system.synced', { seq: changes.head_seq ?? 0 }));
  }

  async breaks(code = 1006): Promise<void> {
    this.socket.breaks(code);
    await settle();
  }
}
