import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HandledMemory } from './handled-memory.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'lineup-handled-')), 'handled.json');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

test('what was handled behind an open one is remembered by the next process', async () => {
  const first = await HandledMemory.open(path);
  await Promise.all([first.add('m6', 6, 5), first.add('m7', 7, 5)]);
  const second = await HandledMemory.open(path);
  expect([second.has('m6'), second.has('m7'), second.has('m5')]).toEqual([true, true, false]);
});

test('and forgotten when nothing before it is open any more', async () => {
  const memory = await HandledMemory.open(path);
  await memory.add('m6', 6, 5);
  await memory.add('m5', 5, Number.POSITIVE_INFINITY);
  expect((await HandledMemory.open(path)).has('m6')).toBe(false);
});

test('an agent that is never kept waiting writes nothing', async () => {
  const memory = await HandledMemory.open(path);
  await memory.add('m1', 1, Number.POSITIVE_INFINITY);
  expect(existsSync(path)).toBe(false);
});

test('a memory that cannot be read is as good as none', async () => {
  writeFileSync(path, '[[');
  expect((await HandledMemory.open(path)).has('m1')).toBe(false);
});
