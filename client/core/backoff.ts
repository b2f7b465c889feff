/** When to try again: the first time at once, then after ever longer random pauses, so that a crowd of clients spreads out. */

/** Longest pause between two attempts, in ms. */
export const MAX_RETRY_DELAY_MS = 30_000;

const FIRST_CEILING_MS = 1_000;

/**
 * The pause before the next attempt, in ms: full jitter below a ceiling that doubles.
 * @param failures failures in a row, this one included: 1 is the first
 * @param random 0 ≤ random < 1
 */
export function retryDelay(failures: number, random: number): number {
  if (failures <= 1) return 0;
  return Math.floor(random * Math.min(MAX_RETRY_DELAY_MS, FIRST_CEILING_MS * 2 ** Math.min(failures - 2, 16)));
}
