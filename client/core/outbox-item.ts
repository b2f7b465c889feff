/** One message in an outbox: what it is, and how far it has come. */
import type { Ack } from '../../src/protocol/handshake.ts';
import { canonicalJson, utf8Bytes, type Json } from '../../src/protocol/json.ts';
import type { SentState } from './connection-events.ts';
import type { OutboxEntry } from './outbox-store.ts';

const nothing = () => undefined;

/** Moved about by the outbox; decides nothing. */
export class OutboxItem {
  readonly entry: OutboxEntry;
  /** Place in the order of sending. */
  readonly order: number;
  /** Settled by whoever takes the item out. */
  readonly done: Promise<Ack>;
  status: SentState = { state: 'queued' };
  /** The store has it, or never will. */
  kept: boolean;
  /** Handed to a socket that still lives, and not answered. */
  inFlight = false;
  /** Handed to a socket at some time, perhaps by an earlier process: the relay may have it. */
  tried: boolean;
  cancelDeadline: () => void = nothing;
  resolve: (ack: Ack) => void = nothing;
  reject: (error: Error) => void = nothing;
  #text = '';
  #bytes = 0;

  constructor(entry: OutboxEntry, order: number, kept: boolean, text: string) {
    this.entry = entry;
    this.order = order;
    this.kept = kept;
    this.tried = kept;
    this.text = text;
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever does not wait for it hears of a failure by the update.
    this.done.catch(nothing);
  }

  /** The frame; empty until it is needed. */
  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#bytes = utf8Bytes(text);
  }

  /** UTF-8 bytes of the frame. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether another entry says the same (§4, "same id again"). */
  hasContentOf(other: OutboxEntry): boolean {
    return content(this.entry) === content(other);
  }
}

function content({ type, payload, target }: OutboxEntry): string {
  return canonicalJson({ type, payload, target: (target ?? null) as Json });
}
