/**
 * Which messages of one conversation were handled while an earlier one still was: the next process gets everything after that earlier
 * one again, and must do these not twice.
 */
import { writeFileAtomically } from '../core/atomic-file.ts';
import { readIfThere } from './private-file.ts';

/** The messages, by sender and id. */
export class HandledMemory {
  readonly #path: string;
  /** Message → its seq. */
  readonly #handled: Map<string, number>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, handled: Map<string, number>) {
    this.#path = path;
    this.#handled = handled;
  }

  /** Reads what earlier processes left; what cannot be read is as good as nothing. */
  static async open(path: string): Promise<HandledMemory> {
    return new HandledMemory(path, parse(await readIfThere(path)));
  }

  has(message: string): boolean {
    return this.#handled.has(message);
  }

  /**
   * A message was handled.
   * @param oldest the seq of the oldest message that is not; everything before it never comes again
   */
  async add(message: string, seq: number, oldest: number): Promise<void> {
    const before = this.#handled.size;
    for (const [known, at] of this.#handled) if (at < oldest) this.#handled.delete(known);
    if (seq > oldest) this.#handled.set(message, seq);
    else if (this.#handled.size === before) return;
    const write = () => writeFileAtomically(this.#path, JSON.stringify([...this.#handled]));
    this.#writing = this.#writing.then(write, write);
    await this.#writing;
  }
}

function parse(text: string | null): Map<string, number> {
  try {
    const entries: unknown = JSON.parse(text ?? '[]');
    return new Map(Array.isArray(entries) ? (entries as [string, number][]) : []);
  } catch {
    return new Map();
  }
}
