import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInUse, SqliteFile } from './sqlite.ts';

let folder: string;
let file: string;
let sql: SqliteFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineup-sqlite-'));
  file = join(folder, 'a.sqlite');
  sql = new SqliteFile(file);
  sql.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, value)');
});
afterEach(() => {
  sql.close();
  rmSync(folder, { recursive: true });
});
const values = (): unknown[] => sql.exec<{ value: string }>('SELECT value FROM t ORDER BY id').map(({ value }) => value);

describe('a file of direct mode', () => {
  it('gives back what was put in: text, numbers, null and bytes', () => {
    const bytes = new Uint8Array([0, 255, 7]).buffer;
    for (const value of ['嗨', 2 ** 53 - 1, 0.5, null, bytes]) sql.exec('INSERT INTO t (value) VALUES (?)', value);
    expect(values()).toEqual(['嗨', 2 ** 53 - 1, 0.5, null, bytes]);
  });

  it('takes back a transaction that throws, an inner one alone if the outer goes on', () => {
    sql.transaction(() => {
      sql.exec("INSERT INTO t (value) VALUES ('outer')");
      expect(() =>
        sql.transaction(() => {
          sql.exec("INSERT INTO t (value) VALUES ('inner')");
          throw new Error('no');
        }),
      ).toThrow('no');
    });
    expect(values()).toEqual(['outer']);
  });

  it('on a full disk keeps nothing of the transaction, and goes on when there is room', () => {
    sql.exec('PRAGMA max_page_count = 10');
    expect(() => sql.transaction(() => sql.exec('INSERT INTO t (value) VALUES (?)', 'x'.repeat(100_000)))).toThrow(/full/);
    expect(values()).toEqual([]);
    sql.exec('PRAGMA max_page_count = 10000');
    sql.transaction(() => sql.exec("INSERT INTO t (value) VALUES ('later')"));
    expect(values()).toEqual(['later']);
  });

  it('is for its user alone, and for one process at a time', () => {
    for (const path of [file, `${file}-wal`]) expect(statSync(path).mode & 0o077).toBe(0);
    let failure: unknown;
    try {
      new SqliteFile(file).close();
    } catch (error) {
      failure = error;
    }
    expect([isInUse(failure), isInUse(new Error('other'))]).toEqual([true, false]);
  });
});
