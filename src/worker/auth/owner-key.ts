/** The owner key: the one secret of a relay, which enrols agents (§3). */
import { createHash, timingSafeEqual } from 'node:crypto';
import { refuse, type Result } from '../../protocol/errors.ts';

const HOW =
  'LINEUP_OWNER_KEY is not set: choose a long random key and store it with `npx wrangler secret put LINEUP_OWNER_KEY`, or give it in the deploy form';

/**
 * Checks a bearer against the owner key, in a time that does not depend on either.
 *
 * `not_configured` when the relay has no owner key, which an empty one is too; `unauthorized` when the bearer is not it.
 */
export function checkOwnerKey(ownerKey: string | undefined, bearer: string | undefined): Result<null> {
  // A secret that was piped into place often ends in a line break, which no header can carry.
  const key = ownerKey?.trim();
  if (!key) return refuse('not_configured', HOW);
  if (bearer === undefined) return refuse('unauthorized', 'owner key: missing, send it as Authorization: Bearer');
  return isSameSecret(bearer, key) ? { ok: true, value: null } : refuse('unauthorized', 'owner key: wrong');
}

/** Whether two secrets are the same. Digests have one length, so comparing them tells nothing about the length of a secret either. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
