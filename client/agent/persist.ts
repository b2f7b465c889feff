/** Tries something again while the relay cannot be reached. */
import { setTimeout as delay } from 'node:timers/promises';
import { retryDelay } from '../core/backoff.ts';
import { NetworkError, RelayError } from '../core/errors.ts';

/**
 * Does something that is safe to do twice, and again while the network or the relay fails, until a deadline.
 * @param deadline ms since the epoch
 * @param onFailure told of each failure that is followed by another try
 * @param signal ends it, but for a try that is under way: what becomes of that is then known
 * @throws the last error; once the signal is aborted its reason, unless the try succeeded
 */
export async function persist<T>(
  attempt: () => Promise<T>,
  deadline: number,
  onFailure: (error: unknown) => void = () => undefined,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const isPassing = error instanceof NetworkError || (error instanceof RelayError && error.retryable && error.code !== 'not_configured');
      const pause =
        error instanceof RelayError && error.retryAfter !== undefined ? error.retryAfter * 1_000 : 250 + retryDelay(failures + 1, Math.random());
      if (!isPassing || Date.now() + pause > deadline) throw error;
      onFailure(error);
      await delay(pause, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}
