/** One socket, from the attempt to open it to its end: hello, deadline, keepalive. What comes after its end is never heard (§4). */
import type { Delivered } from '../../src/protocol/envelope.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import type { Clock } from './clock.ts';
import type { WebSocketLike } from './websocket.ts';

/** How long opening and the relay's welcome may take together, in ms. */
export const CONNECT_DEADLINE_MS = 10_000;
/** Pause between two pings, in ms (§4). */
export const PING_INTERVAL_MS = 25_000;
/** How long a suspected socket has to prove that it lives, in ms. */
export const PROBE_DEADLINE_MS = 10_000;

const MISSED_PONGS = 2;
/** The code for ends that no relay announced. */
const ABNORMAL = 1006;

/** Where a socket's news go. */
export interface SocketHandlers {
  /** A frame, and the length of its text. */
  frame(frame: Delivered, length: number): void;
  /** Something that is no frame at all. */
  garbage(error: Error): void;
  /** The socket is over; said once, and nothing after it. `code` is a close code, 1006 when it was given up here. */
  ended(code: number): void;
}

/** What a socket is made of. */
export interface RelaySocketOptions {
  open: () => WebSocketLike;
  /** The text of the first frame. */
  hello: string;
  clock: Clock;
  handlers: SocketHandlers;
}

/** One attempt to be connected. */
export class RelaySocket {
  readonly #socket: WebSocketLike;
  readonly #clock: Clock;
  readonly #handlers: SocketHandlers;
  readonly #timers = new Map<'deadline' | 'ping' | 'probe', () => void>();
  #live = true;
  #welcomed = false;
  #heardAt: number;
  #unanswered = 0;

  /** @throws whatever `open` throws */
  constructor({ open, hello, clock, handlers }: RelaySocketOptions) {
    this.#clock = clock;
    this.#handlers = handlers;
    this.#heardAt = clock.now();
    this.#socket = open();
    this.#timer('deadline', CONNECT_DEADLINE_MS, () => this.#end(ABNORMAL));
    this.#socket.addEventListener('open', () => {
      if (!this.#live) return;
      this.#heard();
      this.#socket.send(hello);
      this.#timer('ping', PING_INTERVAL_MS, () => this.#ping());
    });
    this.#socket.addEventListener('message', (event) => this.#message(event.data));
    this.#socket.addEventListener('close', (event) => this.#end(event.code));
    // A close always follows and says more; but a socket without a listener may throw.
    this.#socket.addEventListener('error', () => undefined);
  }

  /** Whether the welcome has come and the end has not: frames may be sent. */
  get ready(): boolean {
    return this.#live && this.#welcomed;
  }

  /** How long nothing has been heard, in ms. */
  get silence(): number {
    return this.#clock.now() - this.#heardAt;
  }

  /** The handshake is done; the deadline no longer counts. */
  welcomed(): void {
    this.#welcomed = true;
    this.#cancel('deadline');
  }

  /** Hands a text to the socket. Nothing is sent after its end. */
  send(text: string): void {
    if (this.#live) this.#socket.send(text);
  }

  /** Asks for a sign of life; ends the socket when none comes and nothing more could be written meanwhile. */
  probe(): void {
    if (!this.ready || this.#timers.has('probe')) return;
    this.#socket.send('ping');
    this.#awaitProbe();
  }

  /** Lets go of the socket without a word to anybody. */
  abandon(): void {
    this.#over();
    this.#letGo();
  }

  /** Says goodbye to the relay, without telling `ended`. */
  close(): void {
    this.#over();
    this.#socket.close(1000);
  }

  #awaitProbe(): void {
    const buffered = this.#socket.bufferedAmount;
    this.#timer('probe', PROBE_DEADLINE_MS, () => {
      // Behind a large frame on a slow line an answer cannot have come yet.
      if (this.#socket.bufferedAmount < buffered) this.#awaitProbe();
      else this.#end(ABNORMAL);
    });
  }

  #ping(): void {
    // Silence without a missed answer: this process itself was asleep, and so was the socket.
    if (this.#unanswered >= MISSED_PONGS || this.silence >= PING_INTERVAL_MS * (MISSED_PONGS + 1)) {
      this.#end(ABNORMAL);
      return;
    }
    this.#unanswered += 1;
    this.#socket.send('ping');
    this.#timer('ping', PING_INTERVAL_MS, () => this.#ping());
  }

  #message(data: unknown): void {
    if (!this.#live) return;
    this.#heard();
    if (data === 'pong') return;
    const frame = typeof data === 'string' ? readFrame(data) : undefined;
    if (frame) this.#handlers.frame(frame, (data as string).length);
    else this.#handlers.garbage(new Error('The relay sent something that is no frame.'));
  }

  #heard(): void {
    this.#heardAt = this.#clock.now();
    this.#unanswered = 0;
    this.#cancel('probe');
  }

  #end(code: number): void {
    if (!this.#live) return;
    this.#over();
    this.#letGo();
    this.#handlers.ended(code);
  }

  /** A socket that was given up would linger for as long as the network likes. */
  #letGo(): void {
    if (this.#socket.terminate) this.#socket.terminate();
    else this.#socket.close();
  }

  #over(): void {
    this.#live = false;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #timer(name: 'deadline' | 'ping' | 'probe', ms: number, fn: () => void): void {
    this.#cancel(name);
    this.#timers.set(
      name,
      this.#clock.after(ms, () => {
        this.#timers.delete(name);
        fn();
      }),
    );
  }

  #cancel(name: 'deadline' | 'ping' | 'probe'): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}

function readFrame(text: string): Delivered | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isFrame = isJsonObject(value) && typeof value.type === 'string' && isJsonObject(value.payload);
  return isFrame ? (value as unknown as Delivered) : undefined;
}
