/** What has to happen at a time: the table behind the object's one alarm. */
import type { Sql, SqlValue } from './ports.ts';

/** A call that expires, or the log whose oldest run has reached its age. */
export type DueKind = 'call' | 'retention';

/** Something due. `at` is ms. */
export interface Due {
  kind: DueKind;
  key: string;
  at: number;
}

/** The due table, held in memory: it has at most as many rows as there are pending calls, and one more. */
export class DueTable {
  #sql: Sql;
  #due = new Map<string, Due>();
  /** The answer of {@link next} until something changes: it is asked for in every commit. */
  #next: { at: number | undefined } | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const row of sql.exec<Due & Record<string, SqlValue>>('SELECT kind, key, at FROM due')) this.#due.set(`${row.kind} ${row.key}`, row);
  }

  /** Sets or moves one. */
  set(kind: DueKind, key: string, at: number): void {
    const known = this.#due.get(`${kind} ${key}`);
    if (known?.at === at) return;
    this.#due.set(`${kind} ${key}`, { kind, key, at });
    this.#next = undefined;
    this.#sql.exec('INSERT INTO due (kind, key, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at', kind, key, at);
  }

  /** Takes one out. */
  clear(kind: DueKind, key: string): void {
    if (!this.#due.delete(`${kind} ${key}`)) return;
    this.#next = undefined;
    this.#sql.exec('DELETE FROM due WHERE kind = ? AND key = ?', kind, key);
  }

  /** When something is due, in ms; undefined when it is not. */
  at(kind: DueKind, key: string): number | undefined {
    return this.#due.get(`${kind} ${key}`)?.at;
  }

  /** Keys of one kind, in no order. */
  keys(kind: DueKind): string[] {
    return [...this.#due.values()].filter((due) => due.kind === kind).map(({ key }) => key);
  }

  count(kind: DueKind): number {
    let count = 0;
    for (const due of this.#due.values()) if (due.kind === kind) count++;
    return count;
  }

  /** What is due at `now` (ms), earliest first. */
  dueAt(now: number): Due[] {
    return [...this.#due.values()].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
  }

  /** When the next one is due, in ms; undefined when nothing is. */
  next(): number | undefined {
    if (!this.#next) {
      let next: number | undefined;
      for (const { at } of this.#due.values()) if (next === undefined || at < next) next = at;
      this.#next = { at: next };
    }
    return this.#next.at;
  }

  /** Whether anything is due at `now` (ms). */
  isDue(now: number): boolean {
    const next = this.next();
    return next !== undefined && next <= now;
  }
}
