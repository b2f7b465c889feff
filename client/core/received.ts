/** Tells the relay how far this client has come (§4, Flow and Receipts): often enough to keep the flow window open, seldom enough to be cheap. */
import type { Clock } from './clock.ts';

const INTERVAL_MS = 1_000;
/** A third of 1 MiB: a UTF-16 unit takes at most three bytes on the wire. */
const MAX_LENGTH = Math.floor(1_048_576 / 3);

/** Sends `system.received` while the cursor moves. */
export class ReceivedReporter {
  readonly #clock: Clock;
  readonly #send: (seq: number) => boolean;
  #seq = 0;
  #told = 0;
  #length = 0;
  #cancel: (() => void) | null = null;

  /** @param send returns whether there was a socket to send on */
  constructor(clock: Clock, send: (seq: number) => boolean) {
    this.#clock = clock;
    this.#send = send;
  }

  /** A new socket, to which the hello has told `seq`. */
  begin(seq: number): void {
    this.stop();
    this.#seq = this.#told = seq;
    this.#length = 0;
  }

  /**
   * The cursor came to `seq`.
   * @param length of the frame that moved it, in UTF-16 units
   */
  moved(seq: number, length: number): void {
    if (seq <= this.#told) return;
    this.#seq = seq;
    this.#length += length;
    if (this.#length >= MAX_LENGTH) this.tell();
    else this.#cancel ??= this.#clock.after(INTERVAL_MS, () => this.tell());
  }

  /** Tells now what has not been told yet. */
  tell(): void {
    this.stop();
    this.#length = 0;
    if (this.#seq > this.#told && this.#send(this.#seq)) this.#told = this.#seq;
  }

  /** Tells nothing more until the cursor moves again. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
