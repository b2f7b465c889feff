/** Where a client keeps how far it has processed a conversation (§4, Cursor). */

/** The highest seq processed, of one log. */
export interface Cursor {
  /** Names the log; another epoch means that the log was lost or reset. */
  epoch: string;
  seq: number;
}

/**
 * Keeps the cursor beside what was processed, so that both are lost or kept together: a client whose messages live in memory keeps
 * its cursor in memory, one that stores them stores it in the same place.
 */
export interface CursorStore {
  /** Null: this client never processed anything, or does not remember. */
  load(): Promise<Cursor | null>;
  /** Called one at a time, with ever newer cursors. */
  save(cursor: Cursor): Promise<void>;
}

/** A cursor that is forgotten with the process. */
export class MemoryCursorStore implements CursorStore {
  #cursor: Cursor | null;

  constructor(cursor: Cursor | null = null) {
    this.#cursor = cursor;
  }

  load(): Promise<Cursor | null> {
    return Promise.resolve(this.#cursor);
  }

  save(cursor: Cursor): Promise<void> {
    this.#cursor = cursor;
    return Promise.resolve();
  }
}
