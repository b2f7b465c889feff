/** An outbox in the browser's IndexedDB, shared by the tabs of one browser without two of them sending the same message. */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { OutboxEntry, OutboxStore } from './outbox-store.ts';
import { randomId } from './random-id.ts';

interface Schema extends DBSchema {
  entries: {
    /** Counts up: the order of sending. */
    key: number;
    value: Row;
    indexes: { scope: string };
  };
}

interface Row {
  /** Whose outbox it is: one conversation of one participant at one relay. */
  scope: string;
  /** The tab that sends it. */
  owner: string;
  entry: OutboxEntry;
}

const DATABASE = 'lineup-outbox';

/**
 * Every tab owns what was written in it and holds a lock in its own name for as long as it lives. The others wait for that lock: the one
 * that gets it knows that the tab is gone, and takes over what it left. Where there are no locks (a page that is not served securely),
 * a tab takes over everything when it opens; a message may then be sent twice, which the relay notices.
 */
export class IndexedDbOutboxStore implements OutboxStore {
  readonly durable = true;
  readonly #scope: string;
  #session: Session | null = null;

  /** @param scope names the conversation, the participant and the relay together */
  constructor(scope: string) {
    this.#scope = scope;
  }

  /** @throws DOMException when the browser keeps no data for this page, as in some private windows */
  async open(adopt: (entries: OutboxEntry[]) => void): Promise<OutboxEntry[]> {
    const session = new Session(this.#scope, await openDatabase(), adopt);
    this.#session = session;
    return session.begin();
  }

  async put(entry: OutboxEntry): Promise<void> {
    await this.#opened().put(entry);
  }

  async remove(id: string): Promise<void> {
    await this.#opened().remove(id);
  }

  close(): Promise<void> {
    this.#session?.end();
    this.#session = null;
    return Promise.resolve();
  }

  /**
   * Forgets everything that any tab put in this outbox, sent or not. Needs no opening.
   * @throws DOMException when the browser keeps no data for this page
   */
  async wipe(): Promise<void> {
    const database = await openDatabase();
    const transaction = database.transaction('entries', 'readwrite');
    for await (const cursor of transaction.store.index('scope').iterate(this.#scope)) await cursor.delete();
    await transaction.done;
    database.close();
  }

  #opened(): Session {
    if (!this.#session) throw new Error('The outbox store is not open.');
    return this.#session;
  }
}

/** What a tab holds from opening to closing. */
class Session {
  readonly #scope: string;
  readonly #database: IDBPDatabase<Schema>;
  readonly #adopt: (entries: OutboxEntry[]) => void;
  readonly #owner = randomId('tab');
  readonly #keys = new Map<string, number>();
  readonly #watched = new Set<string>();
  readonly #ended = new AbortController();
  readonly #channel: BroadcastChannel | null;

  constructor(scope: string, database: IDBPDatabase<Schema>, adopt: (entries: OutboxEntry[]) => void) {
    this.#scope = scope;
    this.#database = database;
    this.#adopt = adopt;
    this.#channel = locks() ? new BroadcastChannel(`${DATABASE} ${scope}`) : null;
  }

  async begin(): Promise<OutboxEntry[]> {
    await this.#live();
    const owners = new Set<string>();
    for (const { owner } of await this.#database.getAllFromIndex('entries', 'scope', this.#scope)) owners.add(owner);
    const left: Row[] = [];
    const rows = await Promise.all([...owners].map((owner) => this.#claimIfGone(owner)));
    for (const claimed of rows) left.push(...claimed);
    this.#channel?.addEventListener('message', (event: MessageEvent<unknown>) => {
      // A tab that did not know of this one must hear of it too, to wait for its lock.
      if (typeof event.data === 'string' && this.#watch(event.data)) this.#channel?.postMessage(this.#owner);
    });
    this.#channel?.postMessage(this.#owner);
    return this.#inOrder(left);
  }

  async put(entry: OutboxEntry): Promise<void> {
    this.#keys.set(entry.id, await this.#database.add('entries', { scope: this.#scope, owner: this.#owner, entry }));
  }

  async remove(id: string): Promise<void> {
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#keys.delete(id);
    await this.#database.delete('entries', key);
  }

  end(): void {
    this.#ended.abort();
    this.#channel?.close();
    this.#database.close();
  }

  /** Takes this tab's own lock and keeps it. */
  #live(): Promise<void> {
    const manager = locks();
    if (!manager) return Promise.resolve();
    return new Promise((resolve, reject) => {
      manager
        .request(lockName(this.#owner), () => {
          resolve();
          return new Promise<void>((release) => this.#ended.signal.addEventListener('abort', () => release()));
        })
        .catch(reject);
    });
  }

  /** What a tab left, if it is gone; otherwise waits for its end in the background. */
  async #claimIfGone(owner: string): Promise<Row[]> {
    const manager = locks();
    if (!manager) return this.#claim(owner);
    const claimed = await manager.request(lockName(owner), { ifAvailable: true }, (lock) => (lock ? this.#claim(owner) : null));
    if (!claimed) this.#watch(owner);
    return claimed ?? [];
  }

  /** Waits for the end of another tab and takes over what it leaves. Returns whether that tab is new here. */
  #watch(owner: string): boolean {
    if (owner === this.#owner || this.#watched.has(owner)) return false;
    this.#watched.add(owner);
    const taken = locks()?.request(lockName(owner), { signal: this.#ended.signal }, async () => {
      const rows = await this.#claim(owner);
      if (rows.length > 0 && !this.#ended.signal.aborted) this.#adopt(this.#inOrder(rows));
    });
    // Aborted by the end of this tab, or the database is gone: then another tab, or the next start, takes over.
    taken?.catch(() => undefined);
    return true;
  }

  /** Makes everything of a tab that is gone this tab's. Called with the lock of that tab held. */
  async #claim(owner: string): Promise<Row[]> {
    const transaction = this.#database.transaction('entries', 'readwrite');
    const claimed: Row[] = [];
    for await (const cursor of transaction.store.index('scope').iterate(this.#scope)) {
      if (cursor.value.owner !== owner) continue;
      this.#keys.set(cursor.value.entry.id, cursor.primaryKey);
      claimed.push(cursor.value);
      await cursor.update({ ...cursor.value, owner: this.#owner });
    }
    await transaction.done;
    return claimed;
  }

  #inOrder(rows: Row[]): OutboxEntry[] {
    const key = ({ entry }: Row) => this.#keys.get(entry.id) ?? 0;
    return rows.sort((a, b) => key(a) - key(b)).map(({ entry }) => entry);
  }
}

function openDatabase(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(DATABASE, 1, {
    upgrade(database) {
      database.createObjectStore('entries', { autoIncrement: true }).createIndex('scope', 'scope');
    },
  });
}

function locks(): LockManager | undefined {
  // Missing on pages that are not served securely, whatever the types say.
  return (navigator as { locks?: LockManager }).locks;
}

function lockName(owner: string): string {
  return `${DATABASE} ${owner}`;
}
