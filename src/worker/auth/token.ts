/** Tokens: JWTs signed with EdDSA (§3). The directory makes them; the Worker checks them with the public keys alone. */
import { errors, importJWK, jwtVerify, SignJWT } from 'jose';
import { refuse, type Result } from '../../protocol/errors.ts';
import { randomToken } from '../../protocol/ids.ts';
import { AUDIENCE, claims, TOKEN_TTL_S, type Claims, type TokenSubject } from './claims.ts';

/** The only algorithm: a token's header never chooses. */
export const ALGORITHM = 'EdDSA';

/** Longest token that is looked at; the relay's own are a third of this. */
const MAX_TOKEN_LENGTH = 2048;

/** A public key as the JWKS publishes it. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: typeof ALGORITHM;
  use: 'sig';
}

/** The relay as anyone may know it: its id, which is every token's issuer, and the keys that verify tokens. */
export interface RelayIdentity {
  relay_id: string;
  keys: PublicJwk[];
}

/** The relay as the directory alone knows it. */
export interface RelayKey {
  relayId: string;
  publicJwk: PublicJwk;
  privateKey: CryptoKey;
}

/** A token and when it ends, ISO 8601. */
export interface IssuedToken {
  token: string;
  expires_at: string;
}

/** Signs a token that begins now (`now` in ms) and lasts as long as its role allows. */
export async function issueToken(key: RelayKey, subject: TokenSubject, now: number): Promise<IssuedToken> {
  const iat = Math.floor(now / 1000);
  const exp = iat + TOKEN_TTL_S[subject.role];
  const token = await new SignJWT({ ...subject, iss: key.relayId, aud: AUDIENCE, jti: randomToken(24), iat, exp })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: key.publicJwk.kid })
    .sign(key.privateKey);
  return { token, expires_at: new Date(exp * 1000).toISOString() };
}

/**
 * Checks a token's signature, algorithm, issuer, audience, times and claims; `now` is the relay's clock in ms.
 *
 * Whether the bearer still exists is the directory's to say. Every refusal is `unauthorized`, and none holds the token.
 */
export type TokenVerifier = (token: string, now: number) => Promise<Result<Claims>>;

/** A verifier for one relay's tokens. Its keys are imported here, once, so that checking a token waits for nobody else's request. */
export async function makeTokenVerifier(identity: RelayIdentity): Promise<TokenVerifier> {
  const keys = new Map<string, CryptoKey>();
  for (const jwk of identity.keys) {
    const key = await importJWK(jwk, ALGORITHM);
    if (key instanceof Uint8Array) throw new TypeError('a public key of the relay is no asymmetric key');
    keys.set(jwk.kid, key);
  }
  return async (token, now) => {
    if (token.length > MAX_TOKEN_LENGTH) return refuse('unauthorized', 'token: not valid on this relay');
    try {
      const { payload } = await jwtVerify(token, (header) => keyFor(keys, header.kid), {
        algorithms: [ALGORITHM],
        issuer: identity.relay_id,
        audience: AUDIENCE,
        currentDate: new Date(now),
      });
      const checked = claims.safeParse(payload);
      return checked.success ? { ok: true, value: checked.data } : refuse('unauthorized', 'token: not valid on this relay');
    } catch (error) {
      if (error instanceof errors.JWTExpired) return refuse('unauthorized', 'token: expired');
      if (error instanceof errors.JOSEError) return refuse('unauthorized', 'token: not valid on this relay');
      throw error;
    }
  };
}

function keyFor(keys: ReadonlyMap<string, CryptoKey>, kid: string | undefined): CryptoKey {
  const key = kid === undefined ? undefined : keys.get(kid);
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key;
}
