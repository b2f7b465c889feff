/** Shapes of the ids in the contract (§2, §3, §5), and how the relay makes its own. */
import { z } from 'zod';

/** Envelope and call ids: 1–128 of `[A-Za-z0-9._:-]` (§2). */
export const ID_PATTERN = /^[A-Za-z0-9._:-]{1,128}$/;
/** Reverse-domain app ids such as `com.lineup.svg-canvas` (§5). */
export const APP_ID_PATTERN = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)+$/;
/** Event names of a surface (§5). */
export const EVENT_PATTERN = /^[A-Za-z][A-Za-z0-9._:-]{0,63}$/;
/** Semantic Versioning 2.0. */
export const SEMVER_PATTERN =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** Prefixes of the ids that the relay makes (§3). */
export type IdPrefix = 'ag' | 'dv' | 'cv' | 'pr' | 'fl' | 'rl';

/** An id as the relay makes it: a prefix and 24 of `[a-z0-9]`, 120 bits from the platform's CSPRNG (§3). */
export function makeId(prefix: IdPrefix): string {
  return `${prefix}_${randomToken(24)}`;
}

/** `length` characters of base32 (`[a-z2-7]`), five random bits each. */
export function randomToken(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  let token = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) token += alphabet[byte & 31];
  return token;
}

const shapes = new Map<string, RegExp>(['ag', 'dv', 'cv', 'pr', 'fl', 'rl'].map((prefix) => [prefix, new RegExp(`^${prefix}_[a-z0-9]{16,64}$`)]));

/** Whether a text has the shape of an id of this kind. A text that has not is refused before anything is looked up (§3). */
export function hasIdShape(prefix: IdPrefix, text: string): boolean {
  return shapes.get(prefix)?.test(text) ?? false;
}

export const id = z.string().regex(ID_PATTERN, 'expected 1 to 128 of A-Z a-z 0-9 . _ : -');
export const appId = z.string().max(255).regex(APP_ID_PATTERN, 'expected a reverse-domain id such as com.example.app');
export const eventName = z.string().regex(EVENT_PATTERN, 'expected a letter and up to 63 of A-Z a-z 0-9 . _ : -');
export const semver = z.string().max(128).regex(SEMVER_PATTERN, 'expected a semantic version such as 1.0.0');
/** A capability's name, such as `clipboard.write`. */
export const capabilityName = z.string().regex(ID_PATTERN, 'expected 1 to 128 of A-Z a-z 0-9 . _ : -');
/** A tool's or an action's name. */
export const toolName = z.string().min(1).max(128);
