/** Waiting that a signal ends. */
import { Deferred } from '../deferred.ts';

/** The same promise; when the signal is aborted first, rejects with its reason. */
export async function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const ended = new Deferred<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    if (signal.aborted) end();
    return await Promise.race([promise, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
