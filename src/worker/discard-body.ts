/** What is left of a request's body when its answer is ready: read, so that the answer arrives. */

/** How much of a body that nobody wants is read all the same, in bytes, and for how long, in ms. */
const MAX_BYTES = 33_554_432;
const MAX_MS = 5_000;

/**
 * Reads what is left of a refused request's body. HTTP/1.1 ends the connection when an answer comes before the body has, and a
 * client that still sends then hears of a broken pipe instead. A body without end is left alone after a while.
 */
export async function discardBody({ body }: Request): Promise<void> {
  if (body === null || body.locked) return;
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel(), MAX_MS);
  try {
    for (let size = 0; size < MAX_BYTES;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The client has gone; nobody waits for the answer.
  } finally {
    clearTimeout(timer);
  }
}
