/** One conversation of one participant: the connection that browser and Node share (§4). */
import type { Delivered, Target } from '../../src/protocol/envelope.ts';
import type { Ack, ErrorFrame, Welcome } from '../../src/protocol/handshake.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { DEFAULT_LIMITS } from '../../src/protocol/limits.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import { systemClock, type Clock } from './clock.ts';
import { eventOfControl, type ConnectionEvents, type ConnectionState, type SentUpdate } from './connection-events.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { controlText, helloText } from './control-frames.ts';
import { CursorKeeper } from './cursor-keeper.ts';
import { Delivery } from './delivery.ts';
import { Emitter } from './events.ts';
import type { DurableType, EphemeralType } from './frames.ts';
import { RelayHttp } from './http.ts';
import { Link } from './link.ts';
import { Outbox } from './outbox.ts';
import type { OutboxEntry } from './outbox-store.ts';
import { Pacer } from './pacer.ts';
import { documentSignals } from './page.ts';
import { randomId } from './random-id.ts';
import { ReceivedReporter } from './received.ts';
import { frameText } from './sendable.ts';
import { platformWebSocket, socketUrl } from './websocket.ts';

/** A message that is in the outbox. */
export interface Sent {
  id: string;
  /**
   * Resolves when the relay has it for good. Rejects with RelayError when the relay refuses it for good, with UnsendableError when the
   * relay's limits turn out to be too low for it, and with DiscardedError. Whoever does not wait for it may ignore it: the `sent` event
   * tells the same.
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
  readonly #options: ConnectionOptions;
  readonly #clock: Clock;
  readonly #events: Emitter<ConnectionEvents>;
  readonly #link: Link;
  readonly #outbox: Outbox;
  readonly #keeper: CursorKeeper;
  readonly #received: ReceivedReporter;
  #delivery: Delivery | null = null;
  #welcome: Welcome | null = null;
  #pacer: Pacer | null = null;
  /** Counts the starts and closes, so that a start that was overtaken does nothing. */
  #turn = 0;

  /** @throws TypeError when the platform has no WebSocket and none is given */
  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const session = options.session ?? randomId('s');
    this.#events = new Emitter((error, event) => this.#fault(error, `listening to ${String(event)}`));
    this.#keeper = new CursorKeeper(options.cursor, (error) => this.#events.emit('storage', { store: 'cursor', error }));
    this.#received = new ReceivedReporter(this.#clock, (seq) => this.#link.send(controlText('system.received', { seq })));
    this.#outbox = new Outbox({
      store: options.outbox,
      clock: this.#clock,
      frame: (entry) => this.#frameText(entry),
      updated: (update) => this.#events.emit('sent', update),
      overdue: () => this.#link.suspect(),
      storeFailed: (error) => this.#events.emit('storage', { store: 'outbox', error }),
    });
    this.#link = new Link({
      url: socketUrl(options.relay, options.conversationId),
      credentials: options.credentials,
      refresh: async (token) => (await this.#http(token).refreshToken()).token,
      WebSocket: options.WebSocket ?? platformWebSocket(),
      page: options.page === undefined ? documentSignals() : options.page,
      clock: this.#clock,
      random: options.random ?? Math.random,
      handlers: {
        state: (state) => this.#events.emit('state', state),
        frame: (frame, length) => this.#read(frame, length),
        down: () => this.#down(),
        hello: (attempt) =>
          helloText({
            introduction: options.hello,
            session,
            attempt,
            resume: this.#delivery?.resume(),
            isFirst: this.#welcome === null,
          }),
        look: () => controlText('system.ping', {}),
        credentialsFailed: (error) => this.#events.emit('storage', { store: 'credentials', error }),
        fault: (error, during) => this.#fault(error, during),
      },
    });
  }

  /** Listens to an event until the returned function is called. */
  on<K extends keyof ConnectionEvents>(event: K, listener: (value: ConnectionEvents[K]) => void): () => void {
    return this.#events.on(event, listener);
  }

  /** What the connection is doing now. */
  get state(): ConnectionState {
    return this.#link.state;
  }

  /** The latest welcome; null before the first. */
  get welcome(): Welcome | null {
    return this.#welcome;
  }

  /** What is in the outbox, in the order of sending. */
  get outbox(): SentUpdate[] {
    return this.#outbox.list();
  }

  /** Whether the outbox survives this process. */
  get durable(): boolean {
    return this.#outbox.durable;
  }

  /** Loads the outbox and connects. A connection that stopped starts again; one that runs stays as it is. */
  start(): void {
    const turn = ++this.#turn;
    void this.#load().then(() => {
      if (turn === this.#turn) this.#link.start();
    });
  }

  /** Tries again at once instead of waiting; does nothing while connected or stopped. */
  reconnect(): void {
    this.#link.hurry();
  }

  /** Says how far it got and closes the socket. What is in the outbox stays there. Resolves when everything is stored. */
  async close(): Promise<void> {
    this.#turn += 1;
    this.#received.tell();
    this.#link.stop('closed');
    await this.#keeper.settled();
    await this.#outbox.close();
  }

  /**
   * Puts a message into the outbox and sends it, in order, as soon as it can. It is kept when the promise resolves.
   * @throws UnsendableError when it is over a limit, not fit for JSON, or another one with its id waits; nothing is kept then
   */
  async send<T extends DurableType>(type: T, payload: Payloads[T], { id = randomId('m'), target }: SendOptions = {}): Promise<Sent> {
    const text = this.#frameText({ id, type, payload, ...(target && { target }) });
    // Read back from the text, so that it is what is sent whatever the caller does with its object.
    const sent = JSON.parse(text) as { payload: JsonObject; target?: Target };
    const entry: OutboxEntry = { id, type, payload: sent.payload, ...(sent.target && { target: sent.target }), created_at: this.#clock.now() };
    const { done } = await this.#outbox.add(entry, text);
    return { id, done };
  }

  /**
   * Sends an ephemeral message, if there is a connection and the relay's rate limit allows it now. Returns whether it was handed to the
   * socket; nothing tells whether it arrived.
   * @throws UnsendableError as {@link send}
   */
  sendNow<T extends EphemeralType>(type: T, payload: Payloads[T], { id = randomId('e'), target }: SendOptions = {}): boolean {
    const text = this.#frameText({ id, type, payload, ...(target && { target }) });
    if (!this.#link.ready || !this.#pacer || this.#pacer.take(this.#clock.now()) > 0) return false;
    return this.#link.send(text);
  }

  /** Sends a message again that got no ack in time. */
  retry(id: string): void {
    this.#outbox.retry(id);
  }

  /** Whether a message waits in the outbox and was never handed to a socket: discarded now, it has never been sent. */
  isUntried(id: string): boolean {
    return this.#outbox.isUntried(id);
  }

  /** Takes a message out of the outbox. One that was already handed to the socket may arrive all the same. */
  discard(id: string): void {
    this.#outbox.discard(id);
  }

  async #load(): Promise<void> {
    await this.#outbox.open();
    const cursor = this.#delivery ? null : await this.#keeper.load();
    this.#delivery ??= new Delivery(this.#options.self, this.#options.start ?? 'head', cursor);
  }

  #read(frame: Delivered, length: number): void {
    try {
      this.#frame(frame, length);
    } catch (error) {
      // A frame that is not what its type says must not take the connection with it.
      this.#fault(error, `reading ${frame.type}`);
    }
  }

  #frame(frame: Delivered, length: number): void {
    const payload: unknown = frame.payload;
    switch (frame.type) {
      case 'system.welcome':
        return this.#welcomed(payload as Welcome);
      case 'system.synced':
        return this.#synced((payload as { seq: number }).seq);
      case 'system.ack':
        return this.#acknowledged(payload as Ack);
      case 'system.error':
        if (!this.#outbox.refused(payload as ErrorFrame)) this.#events.emit('refused', payload as ErrorFrame);
        return;
      case 'system.pong':
        return;
      default:
        return this.#other(frame, length);
    }
  }

  #other(frame: Delivered, length: number): void {
    const event = eventOfControl(frame.type);
    // The payload is what the event's type says: both are the contract's.
    if (event) this.#events.emit(event, frame.payload as never);
    else this.#message(frame, length);
  }

  #welcomed(welcome: Welcome): void {
    const delivery = this.#delivery;
    if (!delivery) return;
    const gap = delivery.welcome(welcome);
    this.#welcome = { ...welcome, limits: { ...DEFAULT_LIMITS, ...welcome.limits } };
    const { limits } = this.#welcome;
    this.#pacer = new Pacer(limits.rate_per_s, limits.burst, this.#clock.now());
    this.#received.begin(delivery.cursor?.seq ?? 0);
    this.#moved(delivery, 0);
    this.#link.welcomed();
    this.#events.emit('welcome', this.#welcome);
    if (gap) this.#events.emit('gap', { epoch: welcome.epoch, oldest_seq: welcome.oldest_seq, head_seq: welcome.head_seq });
    if (welcome.token) void this.#link.renew(welcome.token);
    // A listener may have closed the connection.
    if (this.#link.ready) this.#outbox.connected({ send: (text) => this.#link.send(text), pacer: this.#pacer, limits });
  }

  #synced(seq: number): void {
    if (!this.#delivery) return;
    this.#delivery.synced(seq);
    this.#moved(this.#delivery, 0);
    this.#link.synced();
    this.#events.emit('synced', { seq });
  }

  #acknowledged(ack: Ack): void {
    if (this.#outbox.acknowledged(ack)) this.#delivery?.acknowledged(ack.ref, ack.seq);
  }

  #message(frame: Delivered, length: number): void {
    const delivery = this.#delivery;
    if (!delivery) return;
    // A replay brings an own message whose ack was lost: it is the ack.
    if (typeof frame.seq === 'number' && this.#isSelf(frame)) this.#acknowledged({ ref: frame.id, seq: frame.seq, duplicate: true });
    const before = delivery.cursor;
    const work = delivery.accept(frame) ? this.#deliver(frame) : undefined;
    if (delivery.cursor !== before) this.#moved(delivery, length, work);
  }

  #deliver(frame: Delivered): Promise<void> | undefined {
    let work: Promise<void> | undefined;
    try {
      work = this.#options.process?.(frame) ?? undefined;
    } catch (error) {
      this.#fault(error, 'processing a message');
    }
    this.#events.emit('message', frame);
    return work?.catch((error: unknown) => this.#fault(error, 'processing a message'));
  }

  #moved(delivery: Delivery, length: number, work?: Promise<void>): void {
    if (!delivery.cursor) return;
    this.#keeper.moved(delivery.cursor, work);
    this.#received.moved(delivery.cursor.seq, length);
  }

  #down(): void {
    this.#received.stop();
    this.#pacer = null;
    this.#outbox.disconnected();
  }

  #frameText(message: { id: string; type: string; payload: object; target?: Target }): string {
    return frameText({ ...message, conversationId: this.#options.conversationId }, this.#welcome?.limits ?? DEFAULT_LIMITS);
  }

  #isSelf({ sender }: Delivered): boolean {
    return sender !== undefined && 'id' in sender && sender.id === this.#options.self.id;
  }

  #http(token: string): RelayHttp {
    const { relay, fetch } = this.#options;
    return new RelayHttp({ origin: relay, token: () => token, ...(fetch && { fetch }) });
  }

  #fault(error: unknown, during: string): void {
    if (during !== 'listening to fault' && this.#events.has('fault')) return this.#events.emit('fault', { error, during });
    queueMicrotask(() => {
      throw error;
    });
  }
}
