/** What this browser remembers of the bundles that its user agreed to see. Without storage it is remembered for the life of the page. */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';

interface Schema extends DBSchema {
  /** `<agent> <hash>` → when the user agreed, ISO 8601. */
  grants: { key: string; value: string };
  /** `<agent> <app id> <version>` → the hash that goes by that name. */
  versions: { key: string; value: string };
}

/** Begins like all our databases, so that signing out deletes it. */
const DATABASE = 'lineup-surfaces';

/** See the file's head. */
export class Grants {
  readonly #grants = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  #database: Promise<IDBPDatabase<Schema> | null> | null = null;

  /** Whether the user agreed to see this very bundle of this agent. */
  async has(agentId: string, hash: string): Promise<boolean> {
    const key = `${agentId} ${hash}`;
    return this.#grants.has(key) || (await this.#read('grants', key)) !== undefined;
  }

  /** The hash that the user agreed to under this name; undefined when there is none. */
  async versionHash(agentId: string, appId: string, version: string): Promise<string | undefined> {
    const key = `${agentId} ${appId} ${version}`;
    return this.#versions.get(key) ?? (await this.#read('versions', key));
  }

  /** The user agreed. */
  async add(agentId: string, app: { id: string; version: string }, hash: string): Promise<void> {
    const now = new Date().toISOString();
    this.#grants.set(`${agentId} ${hash}`, now);
    this.#versions.set(`${agentId} ${app.id} ${app.version}`, hash);
    const database = await this.#open();
    try {
      await database?.put('grants', now, `${agentId} ${hash}`);
      await database?.put('versions', hash, `${agentId} ${app.id} ${app.version}`);
    } catch (error) {
      // Full, or taken away meanwhile: then it holds for this page, and the user is asked again in the next one.
      if (!(error instanceof DOMException)) throw error;
    }
  }

  async #read(store: 'grants' | 'versions', key: string): Promise<string | undefined> {
    const database = await this.#open();
    try {
      return await database?.get(store, key);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return undefined;
    }
  }

  /** Null where the browser keeps no data for this page. */
  #open(): Promise<IDBPDatabase<Schema> | null> {
    this.#database ??= openDatabase(() => this.#forget());
    return this.#database;
  }

  #forget(): void {
    this.#database = null;
    this.#grants.clear();
    this.#versions.clear();
  }
}

/** @param onDeleted called when the database is about to be deleted, by signing out in whichever tab */
async function openDatabase(onDeleted: () => void): Promise<IDBPDatabase<Schema> | null> {
  if (typeof indexedDB === 'undefined') return null;
  try {
    const database = await openDB<Schema>(DATABASE, 1, {
      upgrade(fresh) {
        fresh.createObjectStore('grants');
        fresh.createObjectStore('versions');
      },
      blocking() {
        database.close();
        onDeleted();
      },
    });
    return database;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return null;
  }
}
