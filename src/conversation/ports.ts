/** The two ports of the conversation: a synchronous SQL store and a clock. The Durable Object, tests and direct mode bring their own. */

/** What SQLite stores and gives back. */
export type SqlValue = string | number | null | ArrayBuffer;

/** A synchronous SQLite database. */
export interface Sql {
  /** Runs one statement and answers its rows. */
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[];
  /** Runs `fn` as one transaction: all of its writes, or, when it throws, none. */
  transaction<T>(fn: () => T): T;
}

/** The relay's clock: it alone decides what has expired (§3). */
export interface Clock {
  /** Ms since 1970. */
  now(): number;
}
