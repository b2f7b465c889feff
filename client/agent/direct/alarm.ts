/** One alarm: what a Durable Object has from its platform, as a timer. What is due after a restart, its owner asks for again. */

/** Timers take no longer waits; and a clock that was set is noticed within this, in ms. */
const LONGEST_WAIT_MS = 60 * 60 * 1_000;

/** Rings once, at the time that was asked for last. */
export class Alarm {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** @param at ms since 1970; null for never */
  set(at: number | null): void {
    clearTimeout(this.#timer);
    if (at === null) return;
    const left = Math.max(0, at - Date.now());
    this.#timer = left <= LONGEST_WAIT_MS ? setTimeout(this.#ring, left) : setTimeout(() => this.set(at), LONGEST_WAIT_MS);
    // Sockets and the server keep the process; an alarm alone does not.
    this.#timer.unref();
  }
}
