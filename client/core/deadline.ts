/** Time limits that hold the process: unlike those of `AbortSignal.timeout`, which let Node end in the middle of what they limit. */

/**
 * Does something within a time.
 * @param ms after these the signal is aborted, with a TimeoutError
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
