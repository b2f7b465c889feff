/** A cursor in a file. Node only. */
import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from './atomic-file.ts';
import type { Cursor, CursorStore } from './cursor-store.ts';

/** Keeps a cursor in one small JSON file, readable by its owner alone. Its folder must exist. */
export class FileCursorStore implements CursorStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws SyntaxError or TypeError when the file is no cursor, and what reading gives */
  async load(): Promise<Cursor | null> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
    const value: unknown = JSON.parse(text);
    if (!isCursor(value)) throw new TypeError(`${this.#path} holds no cursor.`);
    return value;
  }

  save(cursor: Cursor): Promise<void> {
    return writeFileAtomically(this.#path, `${JSON.stringify(cursor)}\n`);
  }
}

function isCursor(value: unknown): value is Cursor {
  if (typeof value !== 'object' || value === null || !('epoch' in value) || !('seq' in value)) return false;
  return typeof value.epoch === 'string' && Number.isSafeInteger(value.seq);
}
