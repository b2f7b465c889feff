/** What a view can watch: a value that is replaced, and listeners that are told at most once a frame. */

/** Runs a function soon; calls within one frame run it once. */
export type Schedule = (run: () => void) => void;

/** Before the next paint, or after a moment when the page is hidden and paints nothing. */
export const nextFrame: Schedule = (run) => {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    run();
  };
  requestAnimationFrame(once);
  setTimeout(once, 200);
};

/** A value that is made anew after changes. Fits `useSyncExternalStore`. */
export class Observable<T> {
  readonly #make: () => T;
  readonly #schedule: Schedule;
  readonly #listeners = new Set<() => void>();
  #value: T;
  #pending = false;

  constructor(make: () => T, schedule: Schedule = nextFrame) {
    this.#make = make;
    this.#schedule = schedule;
    this.#value = make();
  }

  /** The value as the listeners were last told. */
  readonly get = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Says that the value is another one now. */
  changed(): void {
    if (this.#pending) return;
    this.#pending = true;
    this.#schedule(() => this.flush());
  }

  /** Makes the value and tells the listeners at once. */
  flush(): void {
    this.#pending = false;
    this.#value = this.#make();
    for (const listener of [...this.#listeners]) listener();
  }
}
