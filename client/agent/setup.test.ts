import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readSetup, writeSetup } from './setup.ts';
import { tokenOf } from './testing/fake-relay.ts';
import { readClaims } from './agent-token.ts';

const home = mkdtempSync(join(tmpdir(), 'lineup-setup-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

test('a program finds the profile that LINEUP_PROFILE names, as the command does', async () => {
  const token = tokenOf();
  const agentId = readClaims(token)?.agentId ?? '';
  const setup = { relay: 'https://relay.example', agentId, conversationId: `cv_${'h'.repeat(24)}`, name: 'Hermes', token };
  await writeSetup({ ...setup, state: join(home, 'hermes') });
  vi.stubEnv('LINEUP_HOME', home);
  await expect(readSetup()).rejects.toThrow('not set up yet');
  vi.stubEnv('LINEUP_PROFILE', 'hermes');
  await expect(readSetup()).resolves.toMatchObject({ agentId, name: 'Hermes' });
  vi.stubEnv('LINEUP_PROFILE', '../hermes');
  await expect(readSetup()).rejects.toThrow('LINEUP_PROFILE');
});
