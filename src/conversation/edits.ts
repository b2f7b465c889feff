/** Which edit of a message is the newest (§5 `text.edit`). */
import type { Sql } from './ports.ts';

/** The newest edit of each edited message. */
export class Edits {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Makes `seq` the newest edit of a message. @returns the seq of the one before it */
  replace(messageId: string, seq: number): number | undefined {
    const [previous] = this.#sql.exec<{ seq: number }>('SELECT seq FROM edits WHERE message_id = ?', messageId);
    this.#sql.exec('INSERT INTO edits (message_id, seq) VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq', messageId, seq);
    return previous?.seq;
  }

  /** Forgets edits that the log no longer has. */
  forgetBefore(oldestSeq: number): void {
    this.#sql.exec('DELETE FROM edits WHERE seq < ?', oldestSeq);
  }
}
