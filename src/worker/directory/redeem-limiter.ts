/**
 * Stops the guessing of pairing codes (§3): after 10 failed redemptions in a minute from one address, or 100 in an hour in all,
 * nobody there may try until the oldest of them is old enough. While limited nothing is counted, so trying on never extends it.
 */
import type { Clock, Sql } from '../../conversation/ports.ts';

/** One sliding window: no more than `failures` within `ms`. */
interface Window {
  failures: number;
  ms: number;
}

/** Failures from one address. */
export const PER_ADDRESS: Window = { failures: 10, ms: 60_000 };
/** Failures from everywhere. */
export const IN_TOTAL: Window = { failures: 100, ms: 3_600_000 };

/** Counts failed redemptions in the directory's own storage, so an eviction gives no fresh tries. */
export class RedeemLimiter {
  readonly #sql: Sql;
  readonly #clock: Clock;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  /** How long this address still has to wait, in ms; 0 when it may try. Exact: it may try when that much has passed. */
  waitMs(address: string): number {
    // The nth newest failure is the one whose leaving of the window makes room for the next.
    const [here] = this.#sql.exec<FailureRow>(
      'SELECT failed_at FROM redeem_failures WHERE address = ? ORDER BY failed_at DESC LIMIT 1 OFFSET ?',
      address,
      PER_ADDRESS.failures - 1,
    );
    const [anywhere] = this.#sql.exec<FailureRow>(
      'SELECT failed_at FROM redeem_failures ORDER BY failed_at DESC LIMIT 1 OFFSET ?',
      IN_TOTAL.failures - 1,
    );
    return Math.max(this.#remaining(here, PER_ADDRESS), this.#remaining(anywhere, IN_TOTAL));
  }

  /** Counts one failed redemption. */
  fail(address: string): void {
    const now = this.#clock.now();
    this.#sql.exec('DELETE FROM redeem_failures WHERE failed_at <= ?', now - Math.max(PER_ADDRESS.ms, IN_TOTAL.ms));
    this.#sql.exec('INSERT INTO redeem_failures (failed_at, address) VALUES (?, ?)', now, address);
  }

  #remaining(failure: FailureRow | undefined, window: Window): number {
    return failure ? Math.max(0, failure.failed_at + window.ms - this.#clock.now()) : 0;
  }
}

type FailureRow = { failed_at: number };
