/** Calls to devices as promises: by their `call_id` they survive a broken connection and the end of the process (§6). */
import { canonicalJson } from '../../src/protocol/json.ts';
import type { CallEnding, CallMemory, RememberedCall } from './call-memory.ts';
import { Deferred } from './deferred.ts';
import { Stopped } from './run.ts';
import { sentence } from './run-queue.ts';

/** A call that is to be made. */
export interface CallRequest extends Pick<RememberedCall, 'type' | 'payload' | 'device'> {
  callId: string;
  /** The caller chose the id itself: then the same id with other words is a mistake, and not a newer version of the same handler. */
  isNamed: boolean;
}

/** What calls need of their conversation. */
export interface CallsParts {
  memory: CallMemory;
  /** Resolves when the call is safe in the outbox; the same call may be sent again. */
  send: (callId: string, call: RememberedCall) => Promise<void>;
  /** Takes an open call back. */
  cancel: (callId: string, call: RememberedCall) => Promise<void>;
  problem: (problem: string) => void;
}

/** The same `call_id` was used for something else before. */
export class CallConflictError extends Error {
  override readonly name = 'CallConflictError';

  constructor(callId: string) {
    super(`The call_id ${callId} was used for another call before.`);
  }
}

/** How many results that nobody has asked for yet are held ready. */
const MAX_UNCLAIMED = 1_000;

/** The calls of one conversation. */
export class Calls {
  readonly #parts: CallsParts;
  readonly #open = new Map<string, Deferred<CallEnding>>();
  /** A replay brings the results of a handler that is only about to run again; they do not come twice. */
  readonly #unclaimed = new Map<string, CallEnding>();

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /**
   * Makes a call, or takes up one that was made before under this id, and waits for its result.
   * @param signal when it is aborted because the user pressed stop, the call is taken back
   * @throws CallConflictError, and the signal's reason
   */
  async call(request: CallRequest, signal: AbortSignal): Promise<CallEnding> {
    signal.throwIfAborted();
    const { memory, send, problem } = this.#parts;
    const { callId, type, payload, device } = request;
    const known = memory.get(callId);
    if (known && request.isNamed && !isSame(known, request)) throw new CallConflictError(callId);
    if (known?.ending) return known.ending;
    const unclaimed = this.#unclaimed.get(callId);
    if (!known && unclaimed) return unclaimed;
    const call = known ?? { type, payload, ...(device !== undefined && { device }), asked_at: Date.now() };
    const result = this.#open.get(callId) ?? new Deferred<CallEnding>();
    this.#open.set(callId, result);
    // What cannot be kept here is asked all the same: the relay keeps it, and a next process asks it under the same id again.
    if (!known) await memory.put(callId, call).catch((error: unknown) => problem(`a question cannot be stored: ${sentence(error)}`));
    await send(callId, call);
    return this.#result(callId, call, result, signal);
  }

  /** Takes a result; resolves when it is kept. The first one counts. */
  async settle(callId: string, ending: CallEnding): Promise<void> {
    const call = this.#parts.memory.get(callId);
    if (!call) return this.#hold(callId, ending);
    if (call.ending) return;
    try {
      await this.#parts.memory.put(callId, { ...call, ending });
    } finally {
      // Even where it cannot be kept, whoever waits for it in this process gets it.
      this.#open.get(callId)?.resolve(ending);
      this.#open.delete(callId);
    }
  }

  #hold(callId: string, ending: CallEnding): void {
    this.#unclaimed.set(callId, ending);
    const [oldest] = this.#unclaimed.keys();
    if (this.#unclaimed.size > MAX_UNCLAIMED && oldest !== undefined) this.#unclaimed.delete(oldest);
  }

  async #result(callId: string, call: RememberedCall, result: Deferred<CallEnding>, signal: AbortSignal): Promise<CallEnding> {
    const ended = new Deferred<never>();
    const end = () => ended.reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    try {
      if (signal.aborted) end();
      return await Promise.race([result.promise, ended.promise]);
    } catch (error) {
      if (error instanceof Stopped) this.#cancel(callId, call);
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #cancel(callId: string, call: RememberedCall): void {
    this.#parts.cancel(callId, call).catch((error: unknown) => this.#parts.problem(`cannot take a question back: ${sentence(error)}`));
  }
}

/** The time of expiry is counted from each asking, and does not make another call of it. */
function isSame(known: RememberedCall, request: CallRequest): boolean {
  const content = ({ type, payload, device }: Pick<RememberedCall, 'type' | 'payload' | 'device'>) =>
    canonicalJson({ type, payload: { ...payload, expires_at: null }, device: device ?? null });
  return content(known) === content(request);
}
