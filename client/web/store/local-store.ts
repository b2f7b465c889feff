/** The small things a browser remembers by itself: pairings, drafts, preferences. Works without storage too; then nothing outlives the page. */

const PREFIX = 'lineup.';

/** Keys and texts in localStorage, all under one prefix. */
export class LocalStore {
  readonly #storage: Storage | null;
  readonly #memory = new Map<string, string>();

  /** @param storage null where the browser denies it, or in tests */
  constructor(storage: Storage | null = browserStorage()) {
    this.#storage = storage;
  }

  /** Whether what is written survives the page. */
  get durable(): boolean {
    return this.#storage !== null;
  }

  read(key: string): string | null {
    return this.#memory.get(key) ?? this.#storage?.getItem(PREFIX + key) ?? null;
  }

  /** Writes a text, or removes it when it is null. What the browser has no room for is kept for the life of the page. */
  write(key: string, value: string | null): void {
    this.#memory.delete(key);
    if (value === null) {
      this.#storage?.removeItem(PREFIX + key);
      return;
    }
    try {
      if (this.#storage) this.#storage.setItem(PREFIX + key, value);
      else this.#memory.set(key, value);
    } catch {
      // Full: the page goes on with what it has in memory, which is what a user without storage gets as well.
      this.#memory.set(key, value);
    }
  }

  /** Reads JSON, or gives `fallback` when there is none that `check` takes. */
  readJson<T>(key: string, check: (value: unknown) => value is T, fallback: T): T {
    const text = this.read(key);
    if (text === null) return fallback;
    try {
      const value: unknown = JSON.parse(text);
      return check(value) ? value : fallback;
    } catch {
      // Not ours, or cut short: the same as not there.
      return fallback;
    }
  }

  /** Forgets everything that is filed under a name, such as a conversation's: `draft.<name>` and the like. */
  forget(name: string): void {
    for (const key of this.#keys()) if (key.endsWith(`.${name}`)) this.write(key, null);
  }

  /** Forgets everything under the prefix. */
  wipe(): void {
    for (const key of this.#keys()) this.write(key, null);
  }

  #keys(): string[] {
    const stored = Array.from({ length: this.#storage?.length ?? 0 }, (_, i) => this.#storage?.key(i) ?? '');
    const ours = stored.flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));
    return [...ours, ...this.#memory.keys()];
  }

  /** Calls back when another tab changed a key; `null` for everything at once. */
  watch(listener: (key: string | null) => void): () => void {
    const onStorage = (event: StorageEvent) => {
      if (event.storageArea !== this.#storage) return;
      if (event.key === null) listener(null);
      else if (event.key.startsWith(PREFIX)) listener(event.key.slice(PREFIX.length));
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }
}

function browserStorage(): Storage | null {
  try {
    const probe = `${PREFIX}probe`;
    localStorage.setItem(probe, '1');
    localStorage.removeItem(probe);
    return localStorage;
  } catch {
    // Denied (private mode, blocked site data): the caller is told by `durable`.
    return null;
  }
}
