/** Who is at work on a call: a lock that the browser lets go of when its tab dies, however it dies. */

export interface Exclusion {
  /** Runs while holding the lock; does nothing and gives null when somebody else holds it. */
  tryWith<T>(name: string, run: () => Promise<T>): Promise<T | null>;
  /** Runs as soon as nobody else holds the lock. */
  waitWith<T>(name: string, run: () => Promise<T>): Promise<T>;
}

/** Web Locks: one holder in all tabs of this browser. Where there are none (a page not served securely), one holder in this tab. */
export class BrowserExclusion implements Exclusion {
  readonly #locks = (navigator as { locks?: LockManager }).locks;
  readonly #here = new TabExclusion();

  async tryWith<T>(name: string, run: () => Promise<T>): Promise<T | null> {
    if (!this.#locks) return this.#here.tryWith(name, run);
    return this.#locks.request(lockName(name), { ifAvailable: true }, async (lock) => (lock ? run() : null));
  }

  async waitWith<T>(name: string, run: () => Promise<T>): Promise<T> {
    if (!this.#locks) return this.#here.waitWith(name, run);
    return this.#locks.request(lockName(name), async () => run());
  }
}

/** Locks among those who share this object. */
export class TabExclusion implements Exclusion {
  readonly #held = new Map<string, Promise<unknown>>();

  tryWith<T>(name: string, run: () => Promise<T>): Promise<T | null> {
    return this.#held.has(name) ? Promise.resolve(null) : this.waitWith(name, run);
  }

  async waitWith<T>(name: string, run: () => Promise<T>): Promise<T> {
    const before = this.#held.get(name);
    const work = (before ?? Promise.resolve()).then(run);
    const over = work.catch(() => undefined);
    this.#held.set(name, over);
    try {
      return await work;
    } finally {
      if (this.#held.get(name) === over) this.#held.delete(name);
    }
  }
}

function lockName(name: string): string {
  return `lineup-capability ${name}`;
}
