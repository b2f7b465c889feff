/** A WebSocket whose other end is the test. */
import type { WebSocketLike } from '../websocket.ts';

type Listener = (event: { data: unknown; code: number; reason: string }) => void;

/** A frame as tests look at it. */
export interface SentFrame {
  v: number;
  id: string;
  type: string;
  conversation_id?: string;
  target?: unknown;
  payload: Record<string, unknown>;
}

export class FakeSocket implements WebSocketLike {
  readonly url: string;
  readonly protocols: string[];
  /** Everything the client sent, pings included. */
  readonly texts: string[] = [];
  bufferedAmount = 0;
  /** The client closed it. */
  closed = false;
  /** Called with everything the client sends. */
  onText: ((text: string) => void) | null = null;
  readonly #listeners = new Map<string, Listener[]>();

  constructor(url: string, protocols: string[]) {
    this.url = url;
    this.protocols = protocols;
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener as Listener]);
  }

  send(text: string): void {
    if (this.closed) return;
    this.texts.push(text);
    this.onText?.(text);
  }

  close(): void {
    this.closed = true;
  }

  /** What the client sent, without the keepalive. */
  get frames(): SentFrame[] {
    return this.texts.filter((text) => text !== 'ping').map((text) => JSON.parse(text) as SentFrame);
  }

  /** The frames of one type. */
  of(type: string): SentFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  get pings(): number {
    return this.texts.filter((text) => text === 'ping').length;
  }

  opens(): void {
    this.#tell('open', {});
  }

  says(data: unknown): void {
    this.#tell('message', { data });
  }

  breaks(code = 1006): void {
    this.#tell('error', {});
    this.#tell('close', { code });
  }

  #tell(type: string, event: Partial<{ data: unknown; code: number }>): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ data: undefined, code: 0, reason: '', ...event });
  }
}
