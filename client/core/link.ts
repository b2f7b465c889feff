/** Keeps one socket open, whatever happens: tokens, backoff, the page's comings and goings (§4). Knows nothing of messages. */
import type { Delivered } from '../../src/protocol/envelope.ts';
import { CLOSE } from '../../src/protocol/close-codes.ts';
import { retryDelay } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { ConnectionState, StopReason } from './connection-events.ts';
import type { CredentialStore } from './connection-options.ts';
import { RelayError } from './errors.ts';
import type { PageSignal, PageSignals } from './page.ts';
import { RelaySocket } from './relay-socket.ts';
import type { WebSocketConstructor } from './websocket.ts';

/** A socket that lasted this long, in ms, was a stable connection: the next failure is the first again. */
export const STABLE_AFTER_MS = 10_000;
/** A page that comes back after more than this silence, in ms, does not trust its socket. */
export const SILENCE_LIMIT_MS = 45_000;
/** Pause between two looks at who is online, in ms, while somebody watches the page. */
export const LOOK_INTERVAL_MS = 60_000;
/** A relay that said "too fast" is not asked again at once. */
const FAILURES_WHEN_TOO_FAST = 4;
/** Without a network the first try, which is made at once, can only fail. */
const FAILURES_WITHOUT_NETWORK = 1;

/** Where a link's news go. */
export interface LinkHandlers {
  state(state: ConnectionState): void;
  frame(frame: Delivered, length: number): void;
  /** The socket is gone; frames can no longer be sent. */
  down(): void;
  /** The text of the first frame of a connection. */
  hello(attempt: number): string;
  /** The text of a `system.ping`. */
  look(): string;
  /** The credential store failed. */
  credentialsFailed(error: unknown): void;
  fault(error: unknown, during: string): void;
}

/** What a link is made of. */
export interface LinkOptions {
  /** `wss://…/socket` */
  url: string;
  credentials: CredentialStore;
  /** Fetches a fresh token for the one that the relay did not take. */
  refresh: (token: string) => Promise<string>;
  WebSocket: WebSocketConstructor;
  page: PageSignals | null;
  clock: Clock;
  random: () => number;
  handlers: LinkHandlers;
}

/** The connection without its messages. */
export class Link {
  readonly #options: LinkOptions;
  #state: ConnectionState = { name: 'idle' };
  #socket: RelaySocket | null = null;
  /** Counts up with every change of mind, so that what was awaited before is not acted upon. */
  #turn = 0;
  #attempt = 0;
  #failures = 0;
  #token: string | null = null;
  /** A fresh token that the store could not keep: better than the one that it still has. */
  #unsaved: string | null = null;
  /** A fresh token was fetched and has not been welcomed yet. */
  #refreshed = false;
  readonly #cancels = new Map<'retry' | 'stable' | 'look' | 'page', () => void>();

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Whether frames can be sent. */
  get ready(): boolean {
    return this.#socket?.ready ?? false;
  }

  /** Connects, and stays connected until {@link stop} or a fatal close. */
  start(): void {
    if (this.#state.name !== 'idle' && this.#state.name !== 'stopped') return;
    this.#failures = 0;
    this.#refreshed = false;
    const { page } = this.#options;
    if (page)
      this.#keep(
        'page',
        page.watch((signal) => this.#pageSignal(signal)),
      );
    void this.#connect();
  }

  /** Ends it for good. */
  stop(reason: StopReason): void {
    if (this.#state.name === 'stopped') return;
    this.#turn += 1;
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
    this.#drop(reason === 'closed');
    this.#enter({ name: 'stopped', reason });
  }

  /** Tries now instead of later. */
  hurry(): void {
    if (this.#state.name === 'waiting') void this.#connect();
  }

  /** Sends a frame, if there is a welcomed socket. Returns whether. */
  send(text: string): boolean {
    if (!this.#socket?.ready) return false;
    this.#socket.send(text);
    return true;
  }

  /** The relay welcomed this socket. */
  welcomed(): void {
    this.#refreshed = false;
    this.#socket?.welcomed();
    this.#after('stable', STABLE_AFTER_MS, () => (this.#failures = 0));
    this.#lookLater();
    this.#enter({ name: 'syncing' });
  }

  /** The replay is over. */
  synced(): void {
    if (this.#state.name === 'syncing') this.#enter({ name: 'online' });
  }

  /** An answer is overdue: find out whether the socket still lives. */
  suspect(): void {
    this.#socket?.probe();
  }

  /** Keeps a token that came with the welcome. */
  async renew(token: string): Promise<void> {
    try {
      await this.#options.credentials.save(token);
      this.#unsaved = null;
    } catch (error) {
      this.#unsaved = token;
      this.#options.handlers.credentialsFailed(error);
    }
  }

  async #connect(): Promise<void> {
    const turn = ++this.#turn;
    this.#forget('retry');
    this.#drop();
    this.#enter({ name: 'connecting' });
    const token = await this.#loadToken();
    if (turn !== this.#turn) return;
    if (token === null) this.stop('pair-again');
    else this.#open(token);
  }

  async #loadToken(): Promise<string | null> {
    if (this.#unsaved !== null) return this.#unsaved;
    try {
      return await this.#options.credentials.load();
    } catch (error) {
      this.#options.handlers.credentialsFailed(error);
      return this.#token;
    }
  }

  #open(token: string): void {
    this.#token = token;
    this.#attempt += 1;
    const { WebSocket, url, clock, handlers } = this.#options;
    try {
      this.#socket = new RelaySocket({
        open: () => new WebSocket(url, ['lineup.v1', `lineup.token.${token}`]),
        hello: handlers.hello(this.#attempt),
        clock,
        handlers: {
          frame: handlers.frame,
          garbage: (error) => handlers.fault(error, 'reading a frame'),
          ended: (code) => this.#ended(code),
        },
      });
    } catch (error) {
      handlers.fault(error, 'opening the socket');
      this.#retry();
    }
  }

  #ended(code: number): void {
    this.#drop();
    switch (code) {
      case CLOSE.handshake:
        return this.stop('protocol');
      case CLOSE.revoked:
        return this.stop('pair-again');
      case CLOSE.notFound:
        return this.stop('not-found');
      case CLOSE.replaced:
        return this.stop('replaced');
      case CLOSE.unauthorized:
        return void this.#unauthorized();
      case CLOSE.tooFast:
        this.#failures = Math.max(this.#failures, FAILURES_WHEN_TOO_FAST);
        return this.#retry();
      default:
        return this.#retry();
    }
  }

  async #unauthorized(): Promise<void> {
    const refused = this.#token;
    if (this.#refreshed || refused === null) return this.stop('pair-again');
    const turn = ++this.#turn;
    this.#enter({ name: 'connecting' });
    // Another tab or process may have renewed it meanwhile.
    const stored = await this.#loadToken();
    if (turn !== this.#turn) return;
    if (stored !== null && stored !== refused) return void this.#connect();
    try {
      const fresh = await this.#options.refresh(refused);
      if (turn !== this.#turn) return;
      await this.renew(fresh);
      if (turn !== this.#turn) return;
      this.#refreshed = true;
      void this.#connect();
    } catch (error) {
      if (turn !== this.#turn) return;
      if (error instanceof RelayError && !error.retryable) this.stop('pair-again');
      else this.#retry();
    }
  }

  #retry(): void {
    this.#failures += 1;
    const delay = retryDelay(this.#failures, this.#options.random());
    if (delay === 0) return void this.#connect();
    this.#after('retry', delay, () => void this.#connect());
    this.#enter({ name: 'waiting', retryAt: this.#options.clock.now() + delay, attempt: this.#failures });
  }

  #pageSignal(signal: PageSignal): void {
    if (signal === 'hidden') return this.#forget('look');
    if (signal === 'offline') return this.#lostNetwork();
    if (this.#state.name === 'waiting') return this.hurry();
    if (!this.#socket) return;
    if (this.#socket.silence > SILENCE_LIMIT_MS) {
      void this.#connect();
      return;
    }
    if (signal === 'network') this.#socket.probe();
    else if (!this.#cancels.has('look')) this.#lookLater();
  }

  /** Said at once, where a dead socket takes a minute to be found out. Tries go on: a relay on this machine needs no network. */
  #lostNetwork(): void {
    if (!this.#socket) return;
    this.#drop();
    this.#failures = Math.max(this.#failures, FAILURES_WITHOUT_NETWORK);
    this.#retry();
  }

  #lookLater(): void {
    if (!this.#options.page?.visible()) return;
    this.#after('look', LOOK_INTERVAL_MS, () => {
      this.send(this.#options.handlers.look());
      this.#lookLater();
    });
  }

  /** Lets go of the socket; nothing is heard of it any more. */
  #drop(politely = false): void {
    this.#forget('stable');
    this.#forget('look');
    if (!this.#socket) return;
    const socket = this.#socket;
    this.#socket = null;
    if (politely) socket.close();
    else socket.abandon();
    this.#options.handlers.down();
  }

  #enter(state: ConnectionState): void {
    if (state.name === this.#state.name && state.name === 'connecting') return;
    this.#state = state;
    this.#options.handlers.state(state);
  }

  #after(name: 'retry' | 'stable' | 'look', ms: number, fn: () => void): void {
    this.#keep(
      name,
      this.#options.clock.after(ms, () => {
        this.#cancels.delete(name);
        fn();
      }),
    );
  }

  #keep(name: 'retry' | 'stable' | 'look' | 'page', cancel: () => void): void {
    this.#forget(name);
    this.#cancels.set(name, cancel);
  }

  #forget(name: 'retry' | 'stable' | 'look' | 'page'): void {
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }
}
