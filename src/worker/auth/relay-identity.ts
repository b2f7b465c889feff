/** The relay's id and public keys in the Worker: asked of the directory once, then kept, since they never change. */
import { askDirectory } from '../stubs.ts';
import type { Env } from '../env.ts';
import { makeTokenVerifier, type RelayIdentity, type TokenVerifier } from './token.ts';

/** The relay as the Worker knows it. */
export interface KnownRelay {
  identity: RelayIdentity;
  verify: TokenVerifier;
}

// A value, not a promise: a promise would belong to the request that began it, and hang the others when that one is cut.
let known: KnownRelay | undefined;

/** The relay's identity, and the verifier for its tokens. */
export async function knownRelay(env: Env): Promise<KnownRelay> {
  if (!known) {
    const identity = await askDirectory(env, (directory) => directory.identity());
    known = { identity, verify: await makeTokenVerifier(identity) };
  }
  return known;
}
