/** Ids that a client makes itself: of messages, of its session. */

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** An id that nobody else makes: the prefix and 20 characters, 100 bits from the platform's CSPRNG. Fits §2. */
export function randomId(prefix: string): string {
  let id = `${prefix}_`;
  for (const byte of crypto.getRandomValues(new Uint8Array(20))) id += ALPHABET[byte & 31];
  return id;
}
