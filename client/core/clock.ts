/** Time as the client core sees it: a port, so that tests can move it. */

/** Wall clock and timers. */
export interface Clock {
  /** Milliseconds since the epoch. Compared with itself only, never with the relay's clock. */
  now(): number;
  /** Runs `fn` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, fn: () => void): () => void;
}

/** The platform's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};
