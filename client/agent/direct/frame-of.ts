/** What a message event of `ws` holds, as the conversation takes it. */
import type { RawData } from 'ws';

/** Text as a string, and whatever is binary as bytes, which no conversation reads. What is no UTF-8 in a text becomes U+FFFD. */
export function frameOf(data: RawData, isBinary: boolean): string | ArrayBuffer {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data;
  return isBinary ? new Uint8Array(bytes).buffer : bytes.toString('utf8');
}
