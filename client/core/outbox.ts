/** Messages on their way to the relay: kept until they are acknowledged, sent in order, sent again when nobody knows (§4). */
import type { Ack, ErrorFrame, Welcome } from '../../src/protocol/handshake.ts';
import { MAX_RETRY_DELAY_MS } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { SentState, SentUpdate } from './connection-events.ts';
import { DiscardedError, RelayError, UnsendableError } from './errors.ts';
import { OutboxItem } from './outbox-item.ts';
import type { OutboxEntry, OutboxStore } from './outbox-store.ts';
import type { Pacer } from './pacer.ts';

/** How long an answer may take before the user is told, in ms. */
export const ACK_DEADLINE_MS = 10_000;
/** How much may be on its way unanswered. One message always may. */
export const MAX_IN_FLIGHT = 64;
const MAX_BYTES_IN_FLIGHT = 1_048_576;
const FIRST_PAUSE_MS = 1_000;

/** A way to the relay, for as long as one socket lives. */
export interface Outlet {
  send(text: string): void;
  pacer: Pacer;
  /** What the relay takes, as its welcome told it. */
  limits: Pick<Welcome['limits'], 'max_frame_bytes'>;
}

/** What an outbox is made of. */
export interface OutboxOptions {
  store: OutboxStore;
  clock: Clock;
  /** The text of an entry's frame; always the same for the same entry. Throws what says that it can never be sent. */
  frame: (entry: OutboxEntry) => string;
  updated: (update: SentUpdate) => void;
  /** An answer is overdue. */
  overdue: () => void;
  /** The store failed; entries live in memory from now on. */
  storeFailed: (error: unknown) => void;
}

/** The outbox of one connection. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #items = new Map<string, OutboxItem>();
  /** What is to be sent next, in order. */
  #waiting: OutboxItem[] = [];
  #order = 0;
  #inFlight = 0;
  #bytesInFlight = 0;
  #outlet: Outlet | null = null;
  #isOpen = false;
  /** Opening and closing the store, one after the other. */
  #turns = Promise.resolve();
  #cancelPause: (() => void) | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #durable: boolean;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#durable = options.store.durable;
  }

  /** Whether everything in here survives the process. */
  get durable(): boolean {
    return this.#durable;
  }

  /** Everything that is not yet acknowledged, in the order of sending. */
  list(): SentUpdate[] {
    return [...this.#items.values()].sort((a, b) => a.order - b.order).map(({ entry, status }) => ({ entry, status }));
  }

  /** Takes over what earlier processes left. Never fails: a store that cannot be opened is replaced by memory. */
  open(): Promise<void> {
    return (this.#turns = this.#turns.then(() => this.#open()));
  }

  /** Lets go of the store. Entries stay in it, and here. */
  close(): Promise<void> {
    return (this.#turns = this.#turns.then(() => this.#close()));
  }

  /**
   * Adds a message behind all others; resolves when it is kept, with what resolves when the relay has it.
   * @param text its frame, as `frame` would make it
   * @throws UnsendableError `id_conflict`, when a message with this id and other content is in here
   */
  async add(entry: OutboxEntry, text: string): Promise<{ done: Promise<Ack> }> {
    await this.open();
    const known = this.#items.get(entry.id);
    if (known && !known.hasContentOf(entry)) throw new UnsendableError('id_conflict', 'id: another message with this id waits in the outbox');
    if (known) return { done: known.done };
    const item = this.#take(entry, false, text);
    try {
      await this.#options.store.put(entry);
    } catch (error) {
      this.#storeFailed(error);
    }
    item.kept = true;
    // Discarded while the store was busy with it.
    if (this.#items.get(entry.id) !== item) void this.#remove(entry.id);
    this.#pump();
    // Wrapped, since awaiting the addition must not be awaiting the answer.
    return { done: item.done };
  }

  /** A socket was welcomed: everything unanswered goes out again, in order. */
  connected(outlet: Outlet): void {
    this.#outlet = outlet;
    this.#pump();
  }

  /** The socket is gone; nobody knows what became of what was on its way. */
  disconnected(): void {
    this.#outlet = null;
    this.#cancelPause?.();
    this.#cancelPause = null;
    for (const item of this.#items.values()) {
      if (!item.inFlight) continue;
      this.#land(item);
      this.#waiting.push(item);
      // One that is overdue already says so until it is on its way again.
      if (item.status.state === 'sending') this.#update(item, { state: 'queued' });
    }
    this.#waiting.sort((a, b) => a.order - b.order);
  }

  /** The relay has a message for good. Returns whether it is one of this outbox. */
  acknowledged(ack: Ack): boolean {
    const item = this.#items.get(ack.ref);
    if (!item) return false;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#leave(item, { state: 'relayed', seq: ack.seq, duplicate: ack.duplicate });
    item.resolve(ack);
    this.#pump();
    return true;
  }

  /** The relay refused a message. Returns whether it is one of this outbox. */
  refused(error: ErrorFrame): boolean {
    const item = error.ref === null ? undefined : this.#items.get(error.ref);
    if (!item) return false;
    if (error.retryable) this.#postpone(item, error);
    else this.#fail(item, new RelayError({ ...error, status: 0 }));
    this.#pump();
    return true;
  }

  /** Sends a message again that is overdue. */
  retry(id: string): void {
    const item = this.#items.get(id);
    if (!item?.inFlight || item.status.state !== 'failed' || !this.#outlet) return;
    this.#land(item);
    this.#queueAgain(item);
    this.#pump();
  }

  /** Whether a message is in here and surely nowhere else: no socket was ever given it. */
  isUntried(id: string): boolean {
    return this.#items.get(id)?.tried === false;
  }

  /** Takes a message out. */
  discard(id: string): void {
    const item = this.#items.get(id);
    if (!item) return;
    this.#leave(item, { state: 'discarded' });
    item.reject(new DiscardedError());
    this.#pump();
  }

  async #open(): Promise<void> {
    if (this.#isOpen) return;
    this.#isOpen = true;
    try {
      for (const entry of await this.#options.store.open((entries) => this.#adopt(entries))) this.#take(entry, true);
    } catch (error) {
      this.#storeFailed(error);
    }
    this.#pump();
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      await this.#options.store.close();
    } catch (error) {
      this.#storeFailed(error);
    }
  }

  #adopt(entries: OutboxEntry[]): void {
    for (const entry of entries) this.#take(entry, true);
    this.#pump();
  }

  #take(entry: OutboxEntry, kept: boolean, text = ''): OutboxItem {
    const known = this.#items.get(entry.id);
    if (known) return known;
    const item = new OutboxItem(entry, ++this.#order, kept, text);
    this.#items.set(entry.id, item);
    this.#waiting.push(item);
    this.#update(item, item.status);
    return item;
  }

  /** Sends what may be sent. What is in front waits for the store, the pace or the window, and everything behind it waits too. */
  #pump(): void {
    while (this.#outlet && !this.#cancelPause) {
      const [item] = this.#waiting;
      if (!item?.kept) return;
      if (!this.#prepare(item, this.#outlet)) continue;
      if (this.#inFlight > 0 && (this.#inFlight >= MAX_IN_FLIGHT || this.#bytesInFlight + item.bytes > MAX_BYTES_IN_FLIGHT)) return;
      const wait = this.#outlet.pacer.take(this.#options.clock.now());
      if (wait > 0) return this.#pause(wait);
      this.#waiting.shift();
      this.#launch(item, this.#outlet);
    }
  }

  /** Makes an item's text. One that cannot be sent through this outlet leaves, and false is returned. */
  #prepare(item: OutboxItem, outlet: Outlet): boolean {
    try {
      if (item.text === '') item.text = this.#options.frame(item.entry);
      if (item.bytes > outlet.limits.max_frame_bytes) {
        const allowed = outlet.limits.max_frame_bytes;
        throw new UnsendableError('frame_too_large', `frame: larger than max_frame_bytes, ${allowed} bytes`, { limit: 'max_frame_bytes', allowed });
      }
      return true;
    } catch (error) {
      this.#fail(item, error instanceof UnsendableError ? error : new UnsendableError('invalid_payload', String(error)));
      return false;
    }
  }

  #launch(item: OutboxItem, outlet: Outlet): void {
    item.inFlight = true;
    item.tried = true;
    this.#inFlight += 1;
    this.#bytesInFlight += item.bytes;
    item.cancelDeadline = this.#options.clock.after(ACK_DEADLINE_MS, () => {
      this.#update(item, { state: 'failed', code: 'ack_timeout', message: 'No answer from the relay within 10 s.', retryable: true });
      this.#options.overdue();
    });
    outlet.send(item.text);
    this.#update(item, { state: 'sending' });
  }

  #land(item: OutboxItem): void {
    if (!item.inFlight) return;
    item.inFlight = false;
    item.cancelDeadline();
    this.#inFlight -= 1;
    this.#bytesInFlight -= item.bytes;
  }

  #postpone(item: OutboxItem, error: ErrorFrame): void {
    this.#land(item);
    this.#queueAgain(item);
    const paced = error.code === 'rate_limited';
    this.#update(item, paced ? { state: 'queued' } : { state: 'failed', code: error.code, message: error.message, retryable: true });
    if (this.#cancelPause) return;
    this.#pause(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_RETRY_DELAY_MS);
  }

  #queueAgain(item: OutboxItem): void {
    const before = this.#waiting.findIndex((other) => other.order >= item.order);
    if (this.#waiting[before] === item) return;
    this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, item);
  }

  #pause(ms: number): void {
    this.#cancelPause = this.#options.clock.after(ms, () => {
      this.#cancelPause = null;
      this.#pump();
    });
  }

  #fail(item: OutboxItem, error: RelayError | UnsendableError): void {
    this.#leave(item, { state: 'failed', code: error.code, message: error.message, retryable: false });
    item.reject(error);
  }

  #leave(item: OutboxItem, status: SentState): void {
    if (!item.inFlight) this.#waiting.splice(this.#waiting.indexOf(item), 1);
    this.#land(item);
    this.#items.delete(item.entry.id);
    if (item.kept) void this.#remove(item.entry.id);
    this.#update(item, status);
  }

  async #remove(id: string): Promise<void> {
    await this.open();
    try {
      await this.#options.store.remove(id);
    } catch (error) {
      this.#storeFailed(error);
    }
  }

  #update(item: OutboxItem, status: SentState): void {
    item.status = status;
    this.#options.updated({ entry: item.entry, status });
  }

  #storeFailed(error: unknown): void {
    this.#durable = false;
    this.#options.storeFailed(error);
  }
}
