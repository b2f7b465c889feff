/** The relay's own id and the key pair that signs its tokens (§3): made together on first use, kept in the directory, never handed out. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Clock, Sql } from '../../conversation/ports.ts';
import { makeId } from '../../protocol/ids.ts';
import { ALGORITHM, type PublicJwk, type RelayKey } from '../auth/token.ts';

type RelayRow = { relay_id: string; private_jwk: string };

/** Reads the relay's key, or makes it. Of several that make one at once, all answer the first that was stored. */
export async function loadRelayKey(sql: Sql, clock: Clock): Promise<RelayKey> {
  const stored = readKey(sql) ?? storeKey(sql, clock, await makePrivateJwk());
  const jwk = JSON.parse(stored.private_jwk) as JWK;
  const privateKey = await importJWK(jwk, ALGORITHM);
  if (privateKey instanceof Uint8Array || jwk.x === undefined) throw new TypeError('the stored signing key is no Ed25519 key');
  return { relayId: stored.relay_id, publicJwk: await publicPart(jwk.x), privateKey };
}

function readKey(sql: Sql): RelayRow | undefined {
  return sql.exec<RelayRow>('SELECT relay_id, private_jwk FROM relay')[0];
}

function storeKey(sql: Sql, clock: Clock, jwk: JWK): RelayRow {
  return sql.transaction(() => {
    const first = readKey(sql);
    if (first) return first;
    const made = { relay_id: makeId('rl'), private_jwk: JSON.stringify(jwk) };
    sql.exec('INSERT INTO relay (relay_id, private_jwk, made_at) VALUES (?, ?, ?)', made.relay_id, made.private_jwk, clock.now());
    return made;
  });
}

async function makePrivateJwk(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  return await exportJWK(privateKey);
}

/** Built from the public coordinate alone, so that nothing private can be left in it. */
async function publicPart(x: string): Promise<PublicJwk> {
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: ALGORITHM, use: 'sig' };
}
