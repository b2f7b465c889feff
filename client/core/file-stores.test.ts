import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileCursorStore } from './cursor-file.ts';
import { FileOutboxStore } from './outbox-file.ts';
import type { OutboxEntry } from './outbox-store.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lineup-stores-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const entry = (id: string, content = id): OutboxEntry => ({ id, type: 'text', payload: { content }, created_at: 1 });
const ids = (entries: OutboxEntry[]) => entries.map(({ id }) => id);

async function reopened(path: string): Promise<OutboxEntry[]> {
  const store = new FileOutboxStore(path);
  const entries = await store.open();
  await store.close();
  return entries;
}

describe('an outbox in a file', () => {
  it('gives back what was put and not removed, in order and unchanged', async () => {
    const path = join(folder, 'outbox');
    const store = new FileOutboxStore(path);
    expect(await store.open()).toEqual([]);
    const odd: OutboxEntry = { id: 'b', type: 'text', payload: { content: '\u2028 "x"\n😀', n: -0 }, target: { kind: 'app' }, created_at: 2 };
    await Promise.all([store.put(entry('a')), store.put(odd), store.put(entry('c'))]);
    await store.remove('a');
    await store.remove('never there');
    await store.close();
    expect(await reopened(path)).toEqual([odd, entry('c')]);
  });

  it('has it on disk when put resolves, without being closed', async () => {
    const path = join(folder, 'outbox');
    const store = new FileOutboxStore(path);
    await store.open();
    await store.put(entry('a'));
    expect(await readFile(path, 'utf8')).toContain('"id":"a"');
    await store.close();
  });

  it('can be read by its owner alone', async () => {
    const path = join(folder, 'outbox');
    await reopened(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('forgets a line that was being written when the process died', async () => {
    const path = join(folder, 'outbox');
    const store = new FileOutboxStore(path);
    await store.open();
    await store.put(entry('a'));
    await store.close();
    await appendFile(path, '{"put":{"id":"torn","ty');
    const again = new FileOutboxStore(path);
    expect(ids(await again.open())).toEqual(['a']);
    await again.put(entry('b'));
    await again.close();
    expect(ids(await reopened(path))).toEqual(['a', 'b']);
  });

  it('does not grow for ever', async () => {
    const path = join(folder, 'outbox');
    const store = new FileOutboxStore(path);
    await store.open();
    await store.put(entry('stays'));
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => store.put(entry(`${round}-${i}`))));
      await Promise.all(Array.from({ length: 100 }, (_, i) => store.remove(`${round}-${i}`)));
    }
    await store.close();
    expect((await readFile(path, 'utf8')).split('\n').length).toBeLessThan(700);
    expect(ids(await reopened(path))).toEqual(['stays']);
  });

  it('says when it cannot keep something', async () => {
    const store = new FileOutboxStore(join(folder, 'no', 'such', 'folder'));
    await expect(store.open()).rejects.toThrow('ENOENT');
    await expect(store.put(entry('a'))).rejects.toThrow('not open');
    await expect(store.put(entry('b'))).rejects.toThrow('not open');
  });

  it('has exactly what was put and not removed, whatever the order', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 20 }), fc.boolean()), { maxLength: 60 }), async (steps) => {
        const path = join(folder, `outbox${run++}`);
        const store = new FileOutboxStore(path);
        await store.open();
        const model = new Set<string>();
        let waiting: Promise<void>[] = [];
        for (const [put, n, wait] of steps) {
          const id = `m${n}`;
          // As an outbox calls it: an id is put once, and removed after it was put.
          if (put && !model.has(id)) waiting.push(store.put(entry(id)));
          if (put) model.add(id);
          if (!put && model.delete(id)) waiting.push(store.remove(id));
          if (wait) {
            await Promise.all(waiting);
            waiting = [];
          }
        }
        await store.close();
        expect(ids(await reopened(path))).toEqual([...model]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a cursor in a file', () => {
  it('is null before it was ever kept', async () => {
    expect(await new FileCursorStore(join(folder, 'cursor')).load()).toBeNull();
  });

  it('comes back', async () => {
    const path = join(folder, 'cursor');
    await new FileCursorStore(path).save({ epoch: 'e1', seq: 42 });
    expect(await new FileCursorStore(path).load()).toEqual({ epoch: 'e1', seq: 42 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{', '{"epoch":1,"seq":2}', '{"epoch":"e"}', 'null'])('that is none is an error: %s', async (content) => {
    const path = join(folder, 'cursor');
    await writeFile(path, content);
    await expect(new FileCursorStore(path).load()).rejects.toThrow(/cursor|JSON/);
  });
});
