/** The Sql port over a Durable Object's own SQLite. */
import type { Sql } from '../conversation/ports.ts';

/** Rows are read to the end at once: a cursor must not live past an await. */
export function durableSql(storage: DurableObjectStorage): Sql {
  return {
    exec: (query, ...bindings) => storage.sql.exec<Parameters<typeof storage.sql.exec>[1]>(query, ...bindings).toArray(),
    transaction: (run) => storage.transactionSync(run),
  };
}
