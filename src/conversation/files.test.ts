import { describe, expect, it } from 'vitest';
import { NodeSql } from '../../test/support/node-sql.ts';
import { Files } from './files.ts';

const MIB = 1_048_576;

function stored(size: number): { files: Files; bytes: Uint8Array; id: string } {
  const files = new Files(new NodeSql('conversation'));
  const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 10)) % 251);
  const { file_id: id } = files.add(bytes.slice().buffer, { content_type: 'x/y', sha256: 'hash' }, 0);
  return { files, bytes, id };
}

describe('a file', () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 17])('of %i bytes comes back as it was', (size) => {
    const { files, bytes, id } = stored(size);
    expect(files.get(id)).toEqual({ file_id: id, content_type: 'x/y', size, sha256: 'hash' });
    expect(Buffer.compare(files.read(id, 0, size), bytes)).toBe(0);
    expect(files.totalBytes()).toBe(size);
  });

  it.each([
    [0, 1],
    [MIB - 1, MIB],
    [MIB - 1, MIB + 1],
    [MIB, MIB + 1],
    [10, 3 * MIB],
    [3 * MIB, 3 * MIB + 17],
    [5, 5],
  ])('gives its bytes from %i to %i', (from, to) => {
    const { files, bytes, id } = stored(3 * MIB + 17);
    expect(Buffer.compare(files.read(id, from, to), bytes.subarray(from, to))).toBe(0);
  });

  it('that is not there is not there', () => {
    const { files } = stored(1);
    expect([files.has('fl_none'), files.get('fl_none')]).toEqual([false, undefined]);
  });
});
