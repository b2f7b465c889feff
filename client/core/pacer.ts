/** Keeps a socket below the relay's rate limit (§8), so that nothing is refused that only had to wait a moment. */

/** The relay measures when frames arrive, not when they leave: a network that delays and bunches them must not push us over. */
const SHARE = 0.9;

/** A token bucket. One for each socket. */
export class Pacer {
  readonly #rate: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  /**
   * @param ratePerS messages a second; 0 means no limit
   * @param burst messages at once
   * @param now ms
   */
  constructor(ratePerS: number, burst: number, now: number) {
    this.#rate = (ratePerS * SHARE) / 1000;
    this.#burst = Math.max(1, Math.floor(burst * SHARE));
    this.#tokens = this.#burst;
    this.#at = now;
  }

  /** Takes leave for one frame: 0 when it may go now, else how many ms to wait before asking again. */
  take(now: number): number {
    if (this.#rate <= 0) return 0;
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#at) * this.#rate);
    this.#at = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil((1 - this.#tokens) / this.#rate);
  }
}
