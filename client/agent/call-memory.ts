/** The calls of one conversation and how they ended: kept in a file, since the answer may find another process. */
import { MAX_CALL_TTL_MS } from '../../src/protocol/limits.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { writeFileAtomically } from '../core/atomic-file.ts';
import { readIfThere } from './private-file.ts';

/** How a call ended. */
export interface CallEnding {
  /** The payload of the result. */
  payload: JsonObject;
  /** The device that answered; absent when the relay settled it. */
  by?: string;
}

/** A call that was made. */
export interface RememberedCall {
  type: 'tool.call' | 'lineup.v1.app.call';
  /** Exactly what was sent: whoever sends it again must say the same (§6). */
  payload: JsonObject;
  /** The one device that is asked; absent: all. */
  device?: string;
  /** This machine's clock, ms. */
  asked_at: number;
  /** Absent while it is open. */
  ending?: CallEnding;
}

/** How long a call is remembered: a day longer than any call can be pending. */
const FORGET_AFTER_MS = MAX_CALL_TTL_MS + 24 * 3_600_000;

/** The calls of one conversation, by `call_id`. */
export class CallMemory {
  readonly #path: string;
  readonly #calls: Map<string, RememberedCall>;
  /** Whether no earlier process left a memory here: what it had asked, nobody knows. */
  readonly isNew: boolean;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, calls: Map<string, RememberedCall> | null) {
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

  get(callId: string): RememberedCall | undefined {
    return this.#calls.get(callId);
  }

  /** Remembers a call; kept when the promise resolves. */
  put(callId: string, call: RememberedCall): Promise<void> {
    this.#calls.set(callId, call);
    return this.#write();
  }

  /** Forgets calls whose answers were handled. */
  delete(callIds: readonly string[]): Promise<void> {
    const known = callIds.filter((callId) => this.#calls.delete(callId));
    return known.length === 0 ? Promise.resolve() : this.#write();
  }

  #write(): Promise<void> {
    const write = () => writeFileAtomically(this.#path, JSON.stringify(Object.fromEntries(this.#calls)));
    // One at a time; a write that failed is told to whoever asked for it, and does not stop the next.
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}

function parse(text: string | null, now: number): Map<string, RememberedCall> | null {
  if (text === null) return null;
  try {
    const calls = Object.entries(JSON.parse(text) as Record<string, RememberedCall>);
    return new Map(calls.filter(([, call]) => typeof call.payload === 'object' && now - call.asked_at < FORGET_AFTER_MS));
  } catch {
    return null;
  }
}
