import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { claimFolder } from './folder-claim.ts';

const folder = mkdtempSync(join(tmpdir(), 'lineup-claim-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a folder is claimed once, and again when it was released', () => {
  const first = claimFolder(folder);
  expect(first).not.toBeNull();
  expect(claimFolder(folder)).toBeNull();
  first?.release();
  const second = claimFolder(folder);
  expect(second).not.toBeNull();
  second?.release();
});
