/** Brings a Durable Object's SQLite to its newest schema: numbered SQL files, each applied once, in order (`migrations/README.md`). */
import type { Clock, Sql } from '../conversation/ports.ts';

/** One file of `migrations/<object>/`. */
export interface Migration {
  /** The file's name without `.sql`: `0001_init`. */
  name: string;
  sql: string;
}

/**
 * Applies what is missing, all of it or nothing, and remembers it in the table `applied_migrations`.
 *
 * Synchronous, so an object runs it in its constructor, before anything else can see its storage.
 */
export function migrate(sql: Sql, clock: Clock, migrations: readonly Migration[]): void {
  sql.transaction(() => {
    sql.exec('CREATE TABLE IF NOT EXISTS applied_migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL) WITHOUT ROWID');
    const applied = new Set(sql.exec<{ name: string }>('SELECT name FROM applied_migrations').map((row) => row.name));
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue;
      for (const statement of statements(migration.sql)) sql.exec(statement);
      sql.exec('INSERT INTO applied_migrations (name, applied_at) VALUES (?, ?)', migration.name, clock.now());
    }
  });
}

/** A migration's statements: comments stand on lines of their own, and a statement ends where a line ends in a semicolon. */
function statements(sql: string): string[] {
  const code = sql
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n');
  return code
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
