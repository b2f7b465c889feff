/** An outbox in a file. Node only. */
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { isJsonObject, jsonText, type JsonObject } from '../../src/protocol/json.ts';
import { writeFileAtomically } from './atomic-file.ts';
import type { OutboxEntry, OutboxStore } from './outbox-store.ts';

/** The file is written anew when it holds this many lines that no longer count, and more of them than others. */
const MAX_DEAD_LINES = 256;

/** Lines that wait for the disk together. */
interface Batch {
  text: string;
  written: Promise<void>;
}

/**
 * Keeps an outbox as lines of JSON: `{"put":entry}` and `{"removed":id}`. All puts that wait at the same time reach the disk with one
 * flush. Only its owner may read the file; its folder must exist; one process at a time may use it.
 */
export class FileOutboxStore implements OutboxStore {
  readonly durable = true;
  readonly #path: string;
  /** Id → line of what is kept. */
  readonly #lines = new Map<string, string>();
  #file: FileHandle | null = null;
  #dead = 0;
  /** Takes further lines until it is its turn to be written. */
  #next: Batch | null = null;
  /** Everything that was begun before. */
  #turns: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async open(): Promise<OutboxEntry[]> {
    await this.#turns;
    const entries = await this.#read();
    await this.#rewrite();
    return entries;
  }

  put(entry: OutboxEntry): Promise<void> {
    const line = jsonText({ put: { ...entry } as unknown as JsonObject });
    this.#lines.set(entry.id, line);
    return this.#append(line);
  }

  remove(id: string): Promise<void> {
    if (!this.#lines.delete(id)) return Promise.resolve();
    this.#dead += 2;
    return this.#append(jsonText({ removed: id }));
  }

  async close(): Promise<void> {
    await this.#turns;
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  #append(line: string): Promise<void> {
    if (this.#next) {
      this.#next.text += `${line}\n`;
      return this.#next.written;
    }
    const batch: Batch = { text: `${line}\n`, written: Promise.resolve() };
    batch.written = this.#turns.then(() => this.#write(batch));
    this.#next = batch;
    // One batch that could not be written must not keep the next from trying; its own callers are told.
    this.#turns = batch.written.catch(() => undefined);
    return batch.written;
  }

  async #write(batch: Batch): Promise<void> {
    this.#next = null;
    if (!this.#file) throw new Error('The outbox file is not open.');
    if (this.#dead > MAX_DEAD_LINES && this.#dead > this.#lines.size) return this.#rewrite();
    await this.#file.appendFile(batch.text);
    await this.#file.datasync();
  }

  /** A line that cannot be read was being written when the process died: it was never promised to anybody. */
  async #read(): Promise<OutboxEntry[]> {
    const entries = new Map<string, OutboxEntry>();
    for (const line of (await readIfThere(this.#path)).split('\n')) {
      const record = parse(line);
      if (isJsonObject(record.put) && typeof record.put.id === 'string') entries.set(record.put.id, record.put as unknown as OutboxEntry);
      if (typeof record.removed === 'string') entries.delete(record.removed);
    }
    this.#lines.clear();
    for (const entry of entries.values()) this.#lines.set(entry.id, jsonText({ put: entry as unknown as JsonObject }));
    return [...entries.values()];
  }

  async #rewrite(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
    await writeFileAtomically(this.#path, [...this.#lines.values()].map((line) => `${line}\n`).join(''));
    this.#file = await open(this.#path, 'a', 0o600);
    this.#dead = 0;
  }
}

function parse(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
