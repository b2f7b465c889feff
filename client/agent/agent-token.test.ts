import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileCredentials, readClaims } from './agent-token.ts';
import { AGENT, tokenOf } from './testing/fake-relay.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineup-token-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the claims of an agent token are read', () => {
  expect(readClaims(tokenOf(AGENT, 5))).toEqual({ agentId: AGENT, issuedAt: 5 });
});

test.each(['', 'a', 'a.b.c', 'a.bnVsbA.c', `${tokenOf()}.x`, tokenOf('dv_00000000000000000000')])('%j is no agent token', (token) => {
  expect(readClaims(token)).toBeNull();
});

test('a fresh token outlives the process, and only its owner can read it', async () => {
  const path = join(folder, 'ag', 'token');
  const credentials = new FileCredentials(path, tokenOf(AGENT, 1));
  await expect(credentials.load()).resolves.toBe(tokenOf(AGENT, 1));
  await Promise.all([credentials.save(tokenOf(AGENT, 2)), credentials.save(tokenOf(AGENT, 3))]);
  await expect(credentials.load()).resolves.toBe(tokenOf(AGENT, 3));
  await expect(new FileCredentials(path, tokenOf(AGENT, 1)).load()).resolves.toBe(tokenOf(AGENT, 3));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'ag')).mode & 0o777).toBe(0o700);
  expect(readFileSync(path, 'utf8')).toBe(tokenOf(AGENT, 3));
});

test('a token that the owner made anew counts more than an older one in the file', async () => {
  const path = join(folder, 'token');
  await new FileCredentials(path, tokenOf()).save(tokenOf(AGENT, 2));
  await expect(new FileCredentials(path, tokenOf(AGENT, 3)).load()).resolves.toBe(tokenOf(AGENT, 3));
});

test('a file that holds another agent or nothing useful is ignored', async () => {
  const path = join(folder, 'token');
  for (const kept of [tokenOf(`ag_${'z'.repeat(20)}`, 9), 'rubbish', '']) {
    await new FileCredentials(path, tokenOf()).save(kept);
    await expect(new FileCredentials(path, tokenOf(AGENT, 1)).load()).resolves.toBe(tokenOf(AGENT, 1));
  }
});
