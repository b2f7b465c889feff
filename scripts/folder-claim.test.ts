import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { claimFolder, holderOf } from './folder-claim.ts';

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

it('whoever comes while a relay runs hears where, and nothing of one that is gone', () => {
  const first = claimFolder(folder);
  expect(holderOf(folder)).toBeUndefined();
  first?.tell('http://127.0.0.1:8787');
  expect(claimFolder(folder)).toBeNull();
  expect(holderOf(folder)).toBe('http://127.0.0.1:8787');
  first?.release();
  expect(holderOf(folder)).toBeUndefined();
});
