/** One conversation of one participant: the connection that browser and Node share (§4). */
import type { Target } from '../../src/protocol/envelope.ts';
import type { Ack, Welcome } from '../../src/protocol/handshake.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import type { ConnectionEvents, ConnectionState, SentUpdate } from './connection-events.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { Emitter } from './events.ts';
import type { DurableType, EphemeralType } from './frames.ts';

/** A message that is in the outbox. */
export interface Sent {
  id: string;
  /**
   * Resolves when the relay has it for good. Rejects with RelayError when the relay refuses it for good, and with DiscardedError;
   * whoever does not wait for it may ignore it, the `sent` event tells the same.
   */
  done: Promise<Ack>;
}

/** How a message is sent. */
export interface SendOptions {
  /** Default: everyone on the other side (§2). */
  target?: Target;
  /** 1 to 128 of `[A-Za-z0-9._:-]`; default random. Sending the same id twice sends once. */
  id?: string;
}

/**
 * Keeps one participant connected to one conversation, whatever the network does: every message sent through it arrives once and in order,
 * and every message of the others is delivered once and in order, or a gap is announced.
 *
 * Lives from {@link start} to {@link close}; both may be called again.
 */
export class Connection {
  readonly #events = new Emitter<ConnectionEvents>();
  #state: ConnectionState = { name: 'idle' };

  constructor(options: ConnectionOptions) {
    void options;
  }

  /** Listens to an event until the returned function is called. */
  on<K extends keyof ConnectionEvents>(event: K, listener: (value: ConnectionEvents[K]) => void): () => void {
    return this.#events.on(event, listener);
  }

  /** What the connection is doing now. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** The latest welcome; null before the first. */
  get welcome(): Welcome | null {
    return null;
  }

  /** What is in the outbox, in the order of sending. */
  get outbox(): SentUpdate[] {
    return [];
  }

  /** Whether the outbox survives this process. */
  get durable(): boolean {
    return true;
  }

  /** Loads the outbox and connects. A connection that stopped starts again. */
  start(): void {}

  /** Tries again at once instead of waiting; does nothing while connected or stopped. */
  reconnect(): void {}

  /** Says how far it got and closes the socket. What is in the outbox stays there. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Puts a message into the outbox and sends it, in order, as soon as it can. It is kept when the promise resolves.
   * @throws UnsendableError when it is over a limit or not fit for JSON; nothing is kept then
   */
  send<T extends DurableType>(type: T, payload: Payloads[T], options: SendOptions = {}): Promise<Sent> {
    void type;
    void payload;
    void options;
    return Promise.reject(new Error('not connected'));
  }

  /**
   * Sends an ephemeral message, if there is a connection: whether it was handed to the socket. Nothing tells whether it arrived.
   * @throws UnsendableError as {@link send}
   */
  sendNow<T extends EphemeralType>(type: T, payload: Payloads[T], options: SendOptions = {}): boolean {
    void type;
    void payload;
    void options;
    return false;
  }

  /** Sends a message again that got no ack in time. */
  retry(id: string): void {
    void id;
  }

  /** Takes a message out of the outbox. One that was already handed to the socket may arrive all the same. */
  discard(id: string): void {
    void id;
  }
}
