/** The relay's id and public keys beside its routes: asked of the directory once, then kept, since they never change. */
import { askDirectory } from '../stubs.ts';
import type { Env } from '../env.ts';
import { makeTokenVerifier, type RelayIdentity, type TokenVerifier } from './token.ts';

/** The relay as its routes know it. */
export interface KnownRelay {
  identity: RelayIdentity;
  verify: TokenVerifier;
}

// Values, not promises: a promise would belong to the request that began it, and hang the others when that one is cut.
const relays = new WeakMap<Env, KnownRelay>();

/** The relay's identity, and the verifier for its tokens. */
export async function knownRelay(env: Env): Promise<KnownRelay> {
  const known = relays.get(env);
  if (known) return known;
  const identity = await askDirectory(env, (directory) => directory.identity());
  const relay = { identity, verify: await makeTokenVerifier(identity) };
  relays.set(env, relay);
  return relay;
}
