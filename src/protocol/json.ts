/** JSON as the contract wants it (§2, §5): bounded depth, no `__proto__`, well-formed strings, numbers that survive JavaScript. */
import { MAX_JSON_DEPTH } from './limits.ts';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Whether a value is a JSON object: no array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What {@link findFlaw} found: where (for {@link pathText}) and what is wrong there. */
export interface Flaw {
  path: (string | number)[];
  problem: string;
}

/**
 * Looks for the first thing in parsed JSON that the contract refuses: nesting above `maxDepth`, a key `__proto__`,
 * a lone surrogate, or a number that JavaScript cannot hold exactly (not finite, or an integer beyond ±(2^53 − 1)).
 *
 * Recursion is bounded by `maxDepth`, so hostile nesting cannot exhaust the stack.
 * @param value parsed JSON
 * @param depth the nesting level that the value itself has
 */
export function findFlaw(value: Json, depth = 1, maxDepth = MAX_JSON_DEPTH): Flaw | null {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) return { path: [], problem: 'expected a finite number' };
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) return { path: [], problem: 'integer beyond 2^53 - 1' };
      return null;
    case 'string':
      return value.isWellFormed() ? null : { path: [], problem: 'lone surrogate in a string' };
    case 'object': {
      if (value === null) return null;
      if (depth > maxDepth) return { path: [], problem: `nested deeper than ${maxDepth} levels` };
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) {
          const flaw = findFlaw(value[i] as Json, depth + 1, maxDepth);
          if (flaw) return within(i, flaw);
        }
        return null;
      }
      for (const key of Object.keys(value)) {
        if (key === '__proto__') return { path: [], problem: 'key __proto__ is not allowed' };
        if (!key.isWellFormed()) return { path: [], problem: 'lone surrogate in a key' };
        const flaw = findFlaw(value[key] as Json, depth + 1, maxDepth);
        if (flaw) return within(key, flaw);
      }
      return null;
    }
    default:
      return null;
  }
}

// The path is put together on the way out, so that sound JSON costs no strings.
function within(key: string | number, flaw: Flaw): Flaw {
  flaw.path.unshift(key);
  return flaw;
}

const PLAIN_KEY = /^[\p{L}\p{N}_$-]{1,40}$/u;
const PRINTABLE_KEY = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,40}$/u;
const MAX_PATH_TEXT = 200;

/**
 * A path as an error message names it: `payload.items[2].name`, with other keys in quotes: `payload["a b"]`.
 *
 * What the sender chose is repeated only while it is short and printable (a key of more than 40 characters is shown as `[…]`), so a
 * message stays one short sentence and never carries a token back.
 */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (typeof key === 'string' && PLAIN_KEY.test(key)) text += text === '' ? key : `.${key}`;
    else if (typeof key === 'string' && PRINTABLE_KEY.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += '[…]';
  }
  return text.length > MAX_PATH_TEXT ? `${text.slice(0, MAX_PATH_TEXT).toWellFormed()}…` : text;
}

// JSON.rawJSON is younger than TypeScript's own library.
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };

/** JSON text of a value. Unlike plain `JSON.stringify` it keeps −0 (§5: a number is never changed silently). */
export function jsonText(value: Json): string {
  if (!rawJSON || !hasNegativeZero(value)) return JSON.stringify(value);
  return JSON.stringify(value, (_key, v: unknown) => (Object.is(v, -0) ? rawJSON('-0') : v));
}

function hasNegativeZero(value: Json): boolean {
  if (typeof value === 'number') return Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNegativeZero);
  for (const key in value) if (hasNegativeZero(value[key] as Json)) return true;
  return false;
}

/** JSON text with sorted keys: two values are the same content exactly when these are equal (§5). */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
    return `{${members.join(',')}}`;
  }
  return jsonText(value);
}

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).byteLength;
}

/** Whether a text is larger than `limit` UTF-8 bytes; encodes only when the length leaves a doubt. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  if (text.length * 3 <= limit) return false;
  return utf8Bytes(text) > limit;
}
