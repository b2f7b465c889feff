/** The conversation's Sql port over the SQLite that Node brings along. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sql, SqlValue } from '../../../src/conversation/ports.ts';

/** SQLite's code for a file that another process holds. */
const SQLITE_BUSY = 5;

/** Statements that are kept prepared: a conversation uses fewer. */
const MAX_STATEMENTS = 256;

/** One database file, of which this process is the only user: what it has committed survives the process and the power. */
export class SqliteFile implements Sql {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;

  /**
   * Opens a file, or makes it.
   * @throws Error with `errcode` 5 when another process has it open; see {@link isInUse}
   */
  constructor(path: string) {
    // For the user alone, and so then are the files that SQLite puts beside it.
    closeSync(openSync(path, 'a', 0o600));
    this.#db = new DatabaseSync(path);
    try {
      // In this order: with an exclusive lock the log needs no memory that processes share.
      this.#db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT;');
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[] {
    const values = bindings.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
    return this.#prepare(query)
      .all(...values)
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fromSqlite(value)])) as Row);
  }

  transaction<T>(run: () => T): T {
    const name = `level_${this.#depth++}`;
    this.#db.exec(`SAVEPOINT ${name}`);
    try {
      const value = run();
      this.#db.exec(`RELEASE ${name}`);
      return value;
    } catch (error) {
      this.#rollback(name);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  /** A full disk has SQLite roll everything back by itself; then there is no savepoint left. */
  #rollback(name: string): void {
    if (this.#db.isTransaction) this.#db.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
  }

  #prepare(query: string): StatementSync {
    const known = this.#statements.get(query);
    if (known) return known;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = this.#db.prepare(query);
    this.#statements.set(query, statement);
    return statement;
  }
}

/** Whether opening failed because another process has the file. */
export function isInUse(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function fromSqlite(value: unknown): SqlValue {
  if (value instanceof Uint8Array) return value.slice().buffer;
  // Integers come as numbers, since nothing asks for more.
  return value as SqlValue;
}
