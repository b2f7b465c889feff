/**
 * What this device decided and did, written down before it happens: the one place that keeps a call from running twice, whatever
 * crashes and however many tabs there are.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { AppResult } from './request.ts';

/** `executing`: the effect may have happened. `done`: this is the answer, and no other one is given any more. */
export type JournalRecord = { state: 'executing'; hash: string } | { state: 'done'; result: AppResult };

export interface Journal {
  find(key: string): Promise<JournalRecord | null>;
  /** Writes the first record of a call. False when there is one already: then somebody else has decided. */
  claim(key: string, record: JournalRecord): Promise<boolean>;
  /** Writes how it ended. */
  finish(key: string, result: AppResult): Promise<void>;
  /** Takes a claim back whose effect certainly did not happen. */
  release(key: string): Promise<void>;
  /** Whether it outlives the page. */
  readonly durable: boolean;
}

/** A call lives for at most seven days (§6, 5); what is older than that can be asked by nobody any more. */
const KEPT_MS = 8 * 86_400_000;

interface Row {
  at: number;
  record: JournalRecord;
}

interface Schema extends DBSchema {
  calls: { key: string; value: Row; indexes: { at: number } };
}

/** In IndexedDB, shared by all tabs: adding a key that is there fails, for whichever tab comes second. */
class IndexedDbJournal implements Journal {
  readonly durable = true;
  readonly #database: IDBPDatabase<Schema>;

  constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
  }

  async find(key: string): Promise<JournalRecord | null> {
    return (await this.#database.get('calls', key))?.record ?? null;
  }

  async claim(key: string, record: JournalRecord): Promise<boolean> {
    // Strict: on the disk before the effect, or a machine that loses power would have done what nobody remembers.
    const transaction = this.#database.transaction('calls', 'readwrite', { durability: 'strict' });
    const free = (await transaction.store.getKey(key)) === undefined;
    if (free) await transaction.store.put({ at: Date.now(), record }, key);
    await transaction.done;
    return free;
  }

  async finish(key: string, result: AppResult): Promise<void> {
    await this.#database.put('calls', { at: Date.now(), record: { state: 'done', result } }, key);
  }

  async release(key: string): Promise<void> {
    await this.#database.delete('calls', key);
  }

  /** Forgets what can no longer be asked. */
  async prune(now: number): Promise<void> {
    const transaction = this.#database.transaction('calls', 'readwrite');
    for await (const cursor of transaction.store.index('at').iterate(IDBKeyRange.upperBound(now - KEPT_MS))) await cursor.delete();
    await transaction.done;
  }
}

/** For as long as the page lives: where the browser keeps nothing, and in tests. */
export class MemoryJournal implements Journal {
  readonly durable: boolean = false;
  readonly #records = new Map<string, JournalRecord>();

  find(key: string): Promise<JournalRecord | null> {
    return Promise.resolve(this.#records.get(key) ?? null);
  }

  claim(key: string, record: JournalRecord): Promise<boolean> {
    const free = !this.#records.has(key);
    if (free) this.#records.set(key, record);
    return Promise.resolve(free);
  }

  finish(key: string, result: AppResult): Promise<void> {
    this.#records.set(key, { state: 'done', result });
    return Promise.resolve();
  }

  release(key: string): Promise<void> {
    this.#records.delete(key);
    return Promise.resolve();
  }
}

/** The browser's journal, opened when it is first needed; one in memory as soon as the browser keeps no data for this page. */
export class BrowserJournal implements Journal {
  #opened: Promise<Journal> | null = null;
  #durable = true;

  get durable(): boolean {
    return this.#durable;
  }

  find(key: string): Promise<JournalRecord | null> {
    return this.#do((journal) => journal.find(key));
  }

  claim(key: string, record: JournalRecord): Promise<boolean> {
    return this.#do((journal) => journal.claim(key, record));
  }

  finish(key: string, result: AppResult): Promise<void> {
    return this.#do((journal) => journal.finish(key, result));
  }

  release(key: string): Promise<void> {
    return this.#do((journal) => journal.release(key));
  }

  async #do<T>(work: (journal: Journal) => Promise<T>): Promise<T> {
    try {
      this.#opened ??= openJournal(() => (this.#opened = null));
      return await work(await this.#opened);
    } catch {
      // Denied, as in some private windows, or full. A crash then forgets, and the user is asked again: `durable` says so.
      this.#durable = false;
      const memory = new MemoryJournal();
      this.#opened = Promise.resolve(memory);
      return work(memory);
    }
  }
}

async function openJournal(closed: () => void): Promise<Journal> {
  const database = await openDB<Schema>('lineup-capabilities', 1, {
    upgrade: (fresh) => void fresh.createObjectStore('calls').createIndex('at', 'at'),
    // The user signs out in another tab, which deletes everything: the next use opens an empty one.
    blocking: (_current, _blocked, event) => {
      (event.target as IDBDatabase).close();
      closed();
    },
    terminated: closed,
  });
  const journal = new IndexedDbJournal(database);
  await journal.prune(Date.now());
  return journal;
}
