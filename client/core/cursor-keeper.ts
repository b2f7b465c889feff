/** Stores how far a client has processed, never ahead of work that is still being done. */
import type { Cursor, CursorStore } from './cursor-store.ts';

/** Moves a stored cursor. Saves one at a time and skips those that newer ones have overtaken. */
export class CursorKeeper {
  readonly #store: CursorStore;
  readonly #failed: (error: unknown) => void;
  #cursor: Cursor | null = null;
  /** Messages that are being processed. */
  readonly #busy = new Set<Cursor>();
  #saved: Cursor | null = null;
  #saving: Promise<void> | null = null;

  /** @param failed gets what the store throws; the cursor then lives in memory */
  constructor(store: CursorStore, failed: (error: unknown) => void) {
    this.#store = store;
    this.#failed = failed;
  }

  /** The cursor of an earlier process, or null. */
  async load(): Promise<Cursor | null> {
    try {
      this.#saved = await this.#store.load();
    } catch (error) {
      this.#failed(error);
    }
    return this.#saved;
  }

  /**
   * The client has come to `cursor`.
   * @param work what processes the message at it, and never rejects; until it is done, the stored cursor stays before that message
   */
  moved(cursor: Cursor, work?: Promise<void>): void {
    if (this.#cursor && this.#cursor.epoch !== cursor.epoch) this.#busy.clear();
    this.#cursor = cursor;
    if (work) {
      this.#busy.add(cursor);
      void work.finally(() => {
        this.#busy.delete(cursor);
        this.#save();
      });
    }
    this.#save();
  }

  /** Resolves when everything that can be stored now is stored. */
  async settled(): Promise<void> {
    while (this.#saving) await this.#saving;
  }

  /** The newest cursor behind which nothing is being done any more. */
  #due(): Cursor | null {
    if (!this.#cursor) return null;
    let seq = this.#cursor.seq;
    for (const busy of this.#busy) seq = Math.min(seq, busy.seq - 1);
    return { epoch: this.#cursor.epoch, seq };
  }

  #save(): void {
    const due = this.#due();
    if (this.#saving || !due || (due.epoch === this.#saved?.epoch && due.seq === this.#saved.seq)) return;
    this.#saved = due;
    this.#saving = this.#store
      .save(due)
      .catch(this.#failed)
      .then(() => {
        this.#saving = null;
        this.#save();
      });
  }
}
