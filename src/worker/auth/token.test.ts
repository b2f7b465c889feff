import { createHmac } from 'node:crypto';
import { base64url, decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { NodeSql } from '../../../test/support/node-sql.ts';
import { makeId } from '../../protocol/ids.ts';
import { loadRelayKey } from '../directory/signing-key.ts';
import { isDueForRefresh, type TokenSubject } from './claims.ts';
import { issueToken, makeTokenVerifier, type RelayKey, type TokenVerifier } from './token.ts';

const NOW = Date.parse('2026-11-29T12:00:00.500Z');
const DAY_MS = 86_400_000;
const device: TokenSubject = { role: 'app', sub: makeId('dv'), aid: makeId('ag') };
const agent: TokenSubject = { role: 'agent', sub: makeId('ag'), gen: 3 };

let key: RelayKey;
let verify: TokenVerifier;
beforeAll(async () => {
  key = await loadRelayKey(new NodeSql('directory'), { now: () => NOW });
  verify = await makeTokenVerifier({ relay_id: key.relayId, keys: [key.publicJwk] });
});

/** The honest token of the device, with parts changed before it is signed by `by`. */
async function forge(change: { header?: object; claims?: object; by?: CryptoKey }): Promise<string> {
  const { token } = await issueToken(key, device, NOW);
  const header = { ...decodeProtectedHeader(token), alg: 'EdDSA', ...change.header };
  return await new SignJWT({ ...decodeJwt(token), ...change.claims }).setProtectedHeader(header).sign(change.by ?? key.privateKey);
}

const refused = async (token: string, now = NOW) => {
  const answer = await verify(token, now);
  expect(answer, token.slice(0, 80)).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
  if (token.length > 40) expect(JSON.stringify(answer)).not.toContain(token.slice(0, 40));
};

describe('a token of the relay', () => {
  it('carries the claims of the contract, and is accepted until its last second', async () => {
    for (const [subject, days] of [
      [agent, 90],
      [device, 30],
    ] as const) {
      const { token, expires_at } = await issueToken(key, subject, NOW);
      const claims = decodeJwt(token);
      expect(claims).toMatchObject({ ...subject, iss: key.relayId, aud: 'lineup', iat: Math.floor(NOW / 1000) });
      expect(claims.jti).toMatch(/^[a-z2-7]{24}$/);
      expect(Date.parse(expires_at)).toBe(Math.floor(NOW / 1000) * 1000 + days * DAY_MS);
      expect(await verify(token, Date.parse(expires_at) - 1)).toMatchObject({ ok: true, value: subject });
      expect(await verify(token, Date.parse(expires_at))).toEqual({ ok: false, error: { code: 'unauthorized', message: 'token: expired' } });
    }
  });

  it('differs from the one before, even within a second', async () => {
    expect((await issueToken(key, agent, NOW)).token).not.toBe((await issueToken(key, agent, NOW)).token);
  });

  it('is due for a fresh one in the last third of its life', () => {
    const iat = Math.floor(NOW / 1000);
    for (const [age, due] of [
      [0, false],
      [19.99, false],
      [20, true],
      [29, true],
    ] as const) {
      expect(isDueForRefresh({ iat, exp: iat + 30 * 86_400 }, iat * 1000 + age * DAY_MS), `${age} days`).toBe(due);
    }
  });
});

describe('a token of somebody else', () => {
  it('is refused under any other algorithm', async () => {
    const body = (await issueToken(key, device, NOW)).token.split('.')[1];
    const head = (alg: string) => base64url.encode(JSON.stringify({ alg, typ: 'JWT', kid: key.publicJwk.kid }));
    await refused(`${head('none')}.${body}.`);
    for (const secret of [key.publicJwk.x, Buffer.from(key.publicJwk.x, 'base64url'), JSON.stringify(key.publicJwk)]) {
      const signed = `${head('HS256')}.${body}`;
      await refused(`${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`);
    }
  });

  it('is refused when another key signed it, whatever its header says of keys', async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const { exportJWK } = await import('jose');
    await refused(await forge({ by: privateKey }));
    await refused(await forge({ by: privateKey, header: { kid: undefined, jwk: await exportJWK(publicKey) } }));
    await refused(await forge({ header: { kid: 'another' } }));
    await refused(await forge({ header: { kid: undefined } }));
  });

  it('is refused with claims that the relay would not have made, although the key is right', async () => {
    for (const claims of [
      { iss: makeId('rl') },
      { aud: 'other' },
      { sub: agent.sub },
      { sub: 'dv_short' },
      { role: 'agent' },
      { role: 'owner' },
      { aid: undefined },
      { jti: undefined },
      { iat: undefined },
      { exp: undefined },
      { exp: Math.floor(NOW / 1000) },
      { nbf: Math.floor(NOW / 1000) + 60 },
    ]) {
      await refused(await forge({ claims }));
    }
  });

  it('is refused when a byte of it changed, or it is none at all', async () => {
    const { token } = await issueToken(key, device, NOW);
    const [head, body, signature = ''] = token.split('.');
    await refused(`${head}.${body}.${signature.slice(0, 40)}`);
    await refused(`${head}.${body}.`);
    await refused(`${head}.${body}`);
    await refused(`${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`);
    for (const text of ['', 'x', 'a.b.c', 'null', 'eyJ.eyJ.eyJ', '..', 'A'.repeat(3_000), `${token}.${token}`, '\u0000', 'é.ü.ö'])
      await refused(text);
  });
});

describe('the signing key', () => {
  it('is made once, however many ask at first, and is the same after a restart', async () => {
    const sql = new NodeSql('directory');
    const clock = { now: () => NOW };
    const keys = await Promise.all([1, 2, 3].map(() => loadRelayKey(sql, clock)));
    const again = await loadRelayKey(sql, clock);
    expect(new Set([...keys, again].map(({ relayId, publicJwk }) => `${relayId} ${publicJwk.kid}`)).size).toBe(1);
    expect(again.relayId).toMatch(/^rl_[a-z0-9]{16,}$/);
    expect(Object.keys(again.publicJwk).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  });
});
