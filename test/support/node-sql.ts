/** The Sql port over Node's own SQLite, in memory: what unit tests run the conversation on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Sql, SqlValue } from '../../src/conversation/ports.ts';

/** A {@link Sql} that can be closed, counts its writes, and can be told to fail. */
export class NodeSql implements Sql {
  readonly #db: DatabaseSync;
  #depth = 0;
  /** Makes every write from now on throw this. */
  failWith: Error | undefined;

  /** Opens an empty database with the schema of `migrations/<folder>`. */
  constructor(folder: 'conversation' | 'directory', file = ':memory:') {
    this.#db = new DatabaseSync(file);
    const directory = join(import.meta.dirname, '../../migrations', folder);
    for (const name of readdirSync(directory)
      .filter((entry) => entry.endsWith('.sql'))
      .sort()) {
      this.#db.exec(readFileSync(join(directory, name), 'utf8'));
    }
  }

  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[] {
    if (this.failWith && /^\s*(INSERT|UPDATE|DELETE)/i.test(query)) throw this.failWith;
    const values = bindings.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
    const rows = this.#db.prepare(query).all(...values) as Record<string, SqlValue | Uint8Array>[];
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value instanceof Uint8Array ? value.slice().buffer : value])),
    ) as Row[];
  }

  transaction<T>(fn: () => T): T {
    const name = `level_${this.#depth++}`;
    this.#db.exec(`SAVEPOINT ${name}`);
    try {
      const value = fn();
      this.#db.exec(`RELEASE ${name}`);
      return value;
    } catch (error) {
      this.#db.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    } finally {
      this.#depth--;
    }
  }
}
