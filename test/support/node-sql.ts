/** The Sql port over Node's own SQLite, in memory: what unit tests run the conversation on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sql, SqlValue } from '../../src/conversation/ports.ts';

const schemas = new Map<string, string>();

function schemaOf(folder: string): string {
  let schema = schemas.get(folder);
  if (schema === undefined) {
    const directory = join(import.meta.dirname, '../../migrations', folder);
    const files = readdirSync(directory).filter((entry) => entry.endsWith('.sql'));
    schema = files
      .sort()
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('\n');
    schemas.set(folder, schema);
  }
  return schema;
}

/** A {@link Sql} that counts its writes, and can be told to fail. */
export class NodeSql implements Sql {
  readonly #db = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, StatementSync>();
  /** What a rollback of the transaction that runs has to take back outside the database. */
  #undo: (() => void)[] = [];
  #depth = 0;
  /** Makes every write from now on throw this. */
  failWith: Error | undefined;
  /** Makes the statements throw for which it answers an error. */
  failWhen: ((query: string, bindings: readonly SqlValue[]) => Error | undefined) | undefined;
  /** Makes the next transaction throw this when everything in it is done. */
  failCommitWith: Error | undefined;
  /** Writes that were carried out, rolled back ones included: `INSERT INTO log`, `DELETE FROM due`, … */
  readonly writes: string[] = [];

  /** Opens an empty database with the schema of `migrations/<folder>`. */
  constructor(folder: 'conversation' | 'directory') {
    this.#db.exec(schemaOf(folder));
  }

  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[] {
    const [write] = /^\s*(INSERT INTO|UPDATE|DELETE FROM) \w+/i.exec(query) ?? [];
    const failure = this.failWhen?.(query, bindings) ?? (write === undefined ? undefined : this.failWith);
    if (failure) throw failure;
    if (write !== undefined) this.writes.push(write.trim());
    let statement = this.#statements.get(query);
    if (!statement) this.#statements.set(query, (statement = this.#db.prepare(query)));
    const rows = statement.all(...bindings.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value)));
    for (const row of rows as Record<string, SqlValue | Uint8Array>[]) {
      for (const key in row) {
        const value = row[key];
        if (value instanceof Uint8Array) row[key] = value.slice().buffer;
      }
    }
    return rows as Row[];
  }

  transaction<T>(fn: () => T): T {
    const name = `level_${this.#depth++}`;
    const undo = this.#undo;
    this.#undo = [];
    this.#db.exec(`SAVEPOINT ${name}`);
    try {
      const value = fn();
      const failure = this.failCommitWith;
      this.failCommitWith = undefined;
      if (failure) throw failure;
      this.#db.exec(`RELEASE ${name}`);
      undo.push(...this.#undo);
      return value;
    } catch (error) {
      this.#db.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      for (const takeBack of this.#undo.toReversed()) takeBack();
      throw error;
    } finally {
      this.#undo = undo;
      this.#depth--;
      if (this.#depth === 0) this.#undo = [];
    }
  }

  /** Has something outside the database taken back when the transaction that runs is rolled back. */
  onRollback(takeBack: () => void): void {
    if (this.#depth > 0) this.#undo.push(takeBack);
  }
}
