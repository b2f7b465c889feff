/** Keeps boards in IndexedDB. Where the browser keeps nothing, they live as long as the page. */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { Board } from './board.ts';

interface Schema extends DBSchema {
  boards: { key: [owner: string, instanceId: string]; value: Board };
}

/** Where boards outlive the page. */
export interface BoardStore {
  load(): Promise<Board[]>;
  save(board: Board): Promise<void>;
  remove(instanceId: string): Promise<void>;
}

/** The boards of one conversation. */
export class BrowserBoardStore implements BoardStore {
  readonly #owner: string;
  #database: Promise<IDBPDatabase<Schema>> | null = null;

  /** @param owner names the conversation among all of this browser's */
  constructor(owner: string) {
    this.#owner = owner;
  }

  load(): Promise<Board[]> {
    return this.#do([], (database) => database.getAll('boards', IDBKeyRange.bound([this.#owner], [this.#owner, []])));
  }

  save(board: Board): Promise<void> {
    return this.#do(undefined, async (database) => void (await database.put('boards', board, [this.#owner, board.instanceId])));
  }

  remove(instanceId: string): Promise<void> {
    return this.#do(undefined, (database) => database.delete('boards', [this.#owner, instanceId]));
  }

  /** Forgets all of them. */
  wipe(): Promise<void> {
    return this.#do(undefined, (database) => database.delete('boards', IDBKeyRange.bound([this.#owner], [this.#owner, []])));
  }

  async #do<T>(otherwise: T, work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    try {
      this.#database ??= this.#open();
      return await work(await this.#database);
    } catch {
      // Denied, as in some private windows, or full: the desk has the boards in memory, which is all that such a browser offers.
      this.#database = null;
      return otherwise;
    }
  }

  #open(): Promise<IDBPDatabase<Schema>> {
    return openDB<Schema>('lineup-canvas', 1, {
      upgrade: (fresh) => void fresh.createObjectStore('boards'),
      // The user signs out in another tab, which deletes everything.
      blocking: (_current, _blocked, event) => {
        (event.target as IDBDatabase).close();
        this.#database = null;
      },
      terminated: () => (this.#database = null),
    });
  }
}
