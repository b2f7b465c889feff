/** The object's one alarm, over the table of what is due: set when something is due earlier than it, and never twice for the same. */
import type { DueTable } from './due.ts';

/** How long after a failure the alarm rings again, in ms. */
const RETRY_MS = 60_000;

/** Knows for when the alarm is set. */
export class Alarm {
  readonly #set: (at: number) => void;
  #at: number | undefined;

  /**
   * @param set sets the platform's alarm (ms)
   * @param due what is due: the alarm for it is taken as set, unless its time has passed and it may have been lost
   * @param now ms
   */
  constructor(set: (at: number) => void, due: DueTable, now: number) {
    this.#set = set;
    const next = due.next();
    this.#at = next !== undefined && next > now ? next : undefined;
  }

  /** Sets it for what is due next. Part of the transaction that made it so. */
  arm(due: DueTable): void {
    const next = due.next();
    if (next === undefined || (this.#at !== undefined && this.#at <= next)) return;
    this.#at = next;
    this.#set(next);
  }

  /** It rang, or the transaction that set it was rolled back: whatever is due has to be set anew. */
  unset(): void {
    this.#at = undefined;
  }

  /** What it rang for could not be done at `now` (ms): it rings again a little later. */
  again(now: number): void {
    this.#at = now + RETRY_MS;
    this.#set(this.#at);
  }
}
