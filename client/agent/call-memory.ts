/** What an agent does with the answers of its open calls: kept in a file, since the answer may find another process. */
import { MAX_CALL_TTL_MS } from '../../src/protocol/limits.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { writeFileAtomically } from '../core/atomic-file.ts';
import { readIfThere } from './private-file.ts';

/** An open call. */
export interface OpenCall {
  /** The name of the question whose handler gets the answer. */
  question: string;
  /** Whatever the handler wants to know of the time when it asked. */
  note: JsonObject;
  /** This machine's clock, ms. */
  asked_at: number;
}

/** How long a call is remembered: a day longer than any call can be pending. */
const FORGET_AFTER_MS = MAX_CALL_TTL_MS + 24 * 3_600_000;

/** The open calls of one conversation, by `call_id`. */
export class CallMemory {
  readonly #path: string;
  readonly #calls: Map<string, OpenCall>;
  /** Whether no earlier process left a memory here: what it had asked, nobody knows. */
  readonly isNew: boolean;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, calls: Map<string, OpenCall> | null) {
    this.#path = path;
    this.#calls = calls ?? new Map();
    this.isNew = calls === null;
  }

  /** Reads the memory of earlier processes; one that cannot be read is as good as none. */
  static async open(path: string, now = Date.now()): Promise<CallMemory> {
    const memory = new CallMemory(path, parse(await readIfThere(path), now));
    if (memory.isNew) await memory.#write();
    return memory;
  }

  get(callId: string): OpenCall | undefined {
    return this.#calls.get(callId);
  }

  /** Remembers a call; kept when the promise resolves. */
  put(callId: string, call: OpenCall): Promise<void> {
    this.#calls.set(callId, call);
    return this.#write();
  }

  /** Forgets a call whose answer was handled. */
  delete(callId: string): Promise<void> {
    if (!this.#calls.delete(callId)) return Promise.resolve();
    return this.#write();
  }

  #write(): Promise<void> {
    const write = () => writeFileAtomically(this.#path, JSON.stringify(Object.fromEntries(this.#calls)));
    // One at a time; a write that failed is told to whoever asked for it, and does not stop the next.
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}

function parse(text: string | null, now: number): Map<string, OpenCall> | null {
  if (text === null) return null;
  try {
    const calls = Object.entries(JSON.parse(text) as Record<string, OpenCall>);
    return new Map(calls.filter(([, call]) => now - call.asked_at < FORGET_AFTER_MS));
  } catch {
    return null;
  }
}
