import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Sql } from '../conversation/ports.ts';
import { migrate } from './migrate.ts';

const clock = { now: () => 1_000 };

function emptySql(): Sql {
  const db = new DatabaseSync(':memory:');
  return {
    exec: (query, ...bindings) => db.prepare(query).all(...(bindings as string[])) as never[],
    transaction: (run) => {
      db.exec('BEGIN');
      try {
        const value = run();
        db.exec('COMMIT');
        return value;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

const first = { name: '0001_init', sql: "-- a; comment;\nCREATE TABLE a (\n  x TEXT DEFAULT ';' -- with a note\n);\n\nCREATE INDEX a_x ON a (x);" };
const second = { name: '0002_more', sql: 'ALTER TABLE a ADD COLUMN y TEXT;\n' };

describe('migrating', () => {
  it('applies each file once, and later only what is new', () => {
    const sql = emptySql();
    migrate(sql, clock, [first]);
    migrate(sql, clock, [first, second]);
    migrate(sql, clock, [first, second]);
    sql.exec("INSERT INTO a (y) VALUES ('z')");
    expect(sql.exec('SELECT x, y FROM a')).toEqual([{ x: ';', y: 'z' }]);
    expect(sql.exec('SELECT name, applied_at FROM applied_migrations ORDER BY name')).toEqual([
      { name: '0001_init', applied_at: 1_000 },
      { name: '0002_more', applied_at: 1_000 },
    ]);
  });

  it('leaves everything as it was when one statement fails', () => {
    const sql = emptySql();
    expect(() => migrate(sql, clock, [first, { name: '0002_bad', sql: 'CREATE TABLE b (x);\nCREATE TABLE a (x);' }])).toThrow(/already exists/);
    expect(sql.exec("SELECT name FROM sqlite_master WHERE name IN ('a', 'b', 'applied_migrations')")).toEqual([]);
  });
});
