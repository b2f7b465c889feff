import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CallMemory } from './call-memory.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'lineup-calls-')), 'calls.json');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

const DAY_MS = 24 * 3_600_000;

test('calls are remembered by the next process until they are forgotten', async () => {
  const first = await CallMemory.open(path);
  const call = { type: 'tool.call' as const, payload: { call_id: 'c' }, asked_at: Date.now() };
  await Promise.all([first.put('c1', call), first.put('c2', call), first.delete(['c1']), first.delete(['never'])]);
  const second = await CallMemory.open(path);
  expect([first.isNew, second.isNew]).toEqual([true, false]);
  expect([second.get('c1'), second.get('c2')]).toEqual([undefined, call]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a call is forgotten when no relay can hold it any longer', async () => {
  const memory = await CallMemory.open(path);
  await memory.put('c1', { type: 'tool.call', payload: {}, asked_at: 0 });
  expect((await CallMemory.open(path, 7 * DAY_MS)).get('c1')).toBeDefined();
  expect((await CallMemory.open(path, 8 * DAY_MS)).get('c1')).toBeUndefined();
});

test('a memory that cannot be read is as good as none', async () => {
  writeFileSync(path, '{"c1":');
  expect((await CallMemory.open(path)).isNew).toBe(true);
  expect((await CallMemory.open(path)).isNew).toBe(false);
});
