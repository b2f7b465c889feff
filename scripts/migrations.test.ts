import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../migrations');
const recorded = JSON.parse(readFileSync(join(FOLDER, 'hashes.json'), 'utf8')) as Record<string, string>;
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.replaceAll('\\', '/'))
  .toSorted();

describe('migrations', () => {
  it('are all recorded, and nothing else is', () => {
    expect(Object.keys(recorded).toSorted()).toEqual(files);
  });

  it.each(files)('%s is what was released: what is wrong in it is put right by another file', (name) => {
    expect(
      createHash('sha256')
        .update(readFileSync(join(FOLDER, name)))
        .digest('hex'),
    ).toBe(recorded[name]);
  });

  it.each(['conversation', 'directory'])('of the %s are numbered without a hole', (object) => {
    const names = files.filter((name) => name.startsWith(`${object}/`)).map((name) => name.slice(object.length + 1));
    names.forEach((name, index) => expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}_[a-z0-9_]+\\.sql$`)));
    const source = readFileSync(join(FOLDER, `../src/worker/${object}-object.ts`), 'utf8');
    for (const name of names) expect(source, 'the object applies it').toContain(`migrations/${object}/${name}`);
  });
});
