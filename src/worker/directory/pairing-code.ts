/** Pairing codes: 8 characters of Crockford base32 (§3), 40 bits, easy to read aloud and to type. */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 8;

/** A code from the platform's CSPRNG. */
export function makeCode(): string {
  let code = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) code += ALPHABET.charAt(byte & 31);
  return code;
}

/** The code that somebody meant: case, spaces and dashes do not matter, and O, I and L are read as the digits they look like. */
export function normaliseCode(typed: string): string {
  return typed
    .replace(/[\s\p{Dash_Punctuation}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
}
