/** Reads what a person pasted, scanned or typed to pair a device (§3): a link of the relay, or a bare code. */
import { hasIdShape } from '../../src/protocol/ids.ts';

/** Characters of Crockford's base32 in a code (§3). */
export const PAIRING_CODE_LENGTH = 8;

/** What a pairing input holds, or why it holds nothing usable. */
export type PairingInput =
  | {
      ok: true;
      /** Upper case, without separators, ready for `POST /v1/pairings/redeem`. */
      code: string;
      /** The relay's origin; only a link names it. */
      origin?: string;
      /** The conversation that is meant: a link of `lineup move` names it, as `&conversation=cv_…`. */
      conversationId?: string;
    }
  | {
      ok: false;
      /**
       * - `empty`: nothing was given
       * - `no-code`: a link without `#pair=…`
       * - `length`: not 8 characters
       * - `character`: a character that no code holds
       * - `insecure`: a link that is neither https nor to this machine or the home network
       */
      reason: 'empty' | 'no-code' | 'length' | 'character' | 'insecure';
    };

/**
 * Reads `https://host/#pair=CODE`, `host/#pair=CODE`, `#pair=CODE`, or a code as people write them: any case, spaces and dashes
 * anywhere, and O, I and L for the digits that they look like.
 */
export function parsePairingInput(text: string): PairingInput {
  const input = text.trim();
  if (input === '') return { ok: false, reason: 'empty' };
  const hash = input.indexOf('#');
  if (hash >= 0) {
    const parameters = new URLSearchParams(input.slice(hash + 1));
    const code = parameters.get('pair');
    if (code === null || code === '') return { ok: false, reason: 'no-code' };
    const parsed = withOrigin(parseCode(code), input.slice(0, hash));
    const conversationId = parameters.get('conversation') ?? '';
    return parsed.ok && hasIdShape('cv', conversationId) ? { ...parsed, conversationId } : parsed;
  }
  if (/^[a-z]+:\/\//i.test(input)) return { ok: false, reason: 'no-code' };
  return parseCode(input);
}

function withOrigin(parsed: PairingInput, address: string): PairingInput {
  if (!parsed.ok || address === '' || address === '/') return parsed;
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  if (!URL.canParse(full)) return { ok: false, reason: 'no-code' };
  const url = new URL(full);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isNearby(url.hostname))) return { ok: false, reason: 'insecure' };
  return { ...parsed, origin: url.origin };
}

/** This machine and private networks: the only places where plain http is the rule and not a mistake. */
function isNearby(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local')) return true;
  if (host === '[::1]' || /^\[f[cd]/.test(host) || /^\[fe[89ab]/.test(host)) return true;
  return /^[\d.]+$/.test(host) && /^(127|10)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(host);
}

function parseCode(text: string): PairingInput {
  const code = text
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  if (!/^[0-9A-HJKMNP-TV-Z]*$/.test(code)) return { ok: false, reason: 'character' };
  if (code.length !== PAIRING_CODE_LENGTH) return { ok: false, reason: 'length' };
  return { ok: true, code };
}
