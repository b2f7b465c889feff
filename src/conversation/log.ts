/** The log (§4): logged messages in seq order, found again by (sender, id), read in pages, compacted and trimmed. */
import type { Envelope, Participant, Sender } from '../protocol/envelope.ts';
import { jsonText, utf8Bytes, type JsonObject } from '../protocol/json.ts';
import { visibleTo, type Audience } from './audience.ts';
import { canonicalContent, contentDigest, textDigest } from './digest.ts';
import { deliveredFrame, type LoggedEffect } from './effects.ts';
import { LogIndex } from './log-index.ts';
import { writeImportedTo, writeTrimmedTo, type MetaFacts } from './meta.ts';
import type { Sql, SqlValue } from './ports.ts';

/** The origin of a message that was brought in from another relay. */
export const IMPORTED = 'imported';

/** A message to append. */
export interface NewEntry {
  envelope: Envelope;
  sender: Sender;
  audience: Audience;
  /** Connection that it came by, or {@link IMPORTED}; null for HTTP and for the relay's own. */
  origin: string | null;
  /** What the message is about: call_id, instance_id or message_id. */
  ref?: string;
  /** Ms. */
  at: number;
}

/** A stored message. `frame` is null when compaction took it. */
export interface StoredEntry {
  seq: number;
  type: string;
  audience: Audience;
  ref: string | null;
  digest: string | null;
  frame: string | null;
}

/** A stored message as a page of it is read. */
export interface ReadEntry {
  seq: number;
  type: string;
  origin: string | null;
  ref: string | null;
  bytes: number;
  frame: string;
}

/** The key under which a sender's ids are unique. */
export function senderKey(sender: Sender): string {
  return sender.kind === 'relay' ? 'relay' : sender.id;
}

/** One conversation's log. After a rollback, drop it and make a new one. */
export class Log {
  #sql: Sql;
  #meta: MetaFacts;
  #index: LogIndex | undefined;
  #head: number;

  constructor(sql: Sql, meta: MetaFacts) {
    this.#sql = sql;
    this.#meta = meta;
    const [last] = sql.exec<{ seq: number | null }>('SELECT max(seq) AS seq FROM log');
    this.#head = Math.max(last?.seq ?? 0, meta.trimmedTo);
  }

  /** The newest seq; 0 when nothing was ever logged. */
  get head(): number {
    return this.#head;
  }

  /** The oldest seq that may still be read; head + 1 when the log is empty (§4). */
  get oldest(): number {
    return this.#meta.trimmedTo + 1;
  }

  // Loaded on the first logged message: a wake for a ping or a page of history needs none of it.
  get index(): LogIndex {
    return (this.#index ??= new LogIndex(this.#sql, this.#meta.trimmedTo));
  }

  /** The message that this sender gave this id, if it is still in the log. */
  find(sender: string, id: string): StoredEntry | undefined {
    const seq = this.index.candidate(sender, id);
    if (seq === undefined) return undefined;
    const [row] = this.#sql.exec<StoredEntry & Record<string, SqlValue>>(
      'SELECT seq, type, audience, ref, digest, frame FROM log WHERE seq = ? AND sender = ? AND id = ?',
      seq,
      sender,
      id,
    );
    return row;
  }

  /** Whether a stored message has the same content as an envelope (§5). */
  hasContent(entry: StoredEntry, envelope: Envelope): boolean {
    if (entry.frame === null) return entry.digest === contentDigest(envelope);
    return canonicalContent(JSON.parse(entry.frame) as Envelope) === canonicalContent(envelope);
  }

  /** Appends a message: one row. */
  append({ envelope, sender, audience, origin, ref, at }: NewEntry): LoggedEffect {
    const seq = this.#head + 1;
    const key = senderKey(sender);
    const frame = deliveredFrame({
      id: envelope.id,
      type: envelope.type,
      conversationId: this.#meta.conversationId,
      sender,
      target: envelope.target && jsonText({ ...envelope.target } as JsonObject),
      seq,
      at,
      payload: jsonText(envelope.payload),
    });
    const bytes = utf8Bytes(frame);
    const { index } = this;
    this.#sql.exec(
      'INSERT INTO log (seq, sender, id, type, audience, origin, ref, at, bytes, frame) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      seq,
      key,
      envelope.id,
      envelope.type,
      audience,
      origin,
      ref ?? null,
      at,
      bytes,
      frame,
    );
    this.#head = seq;
    index.add(seq, key, envelope.id, at, bytes);
    return { kind: 'logged', seq, sender: key, audience, origin, bytes, frame };
  }

  /** Whether nobody has spoken since the last import, or ever. */
  get isUntouched(): boolean {
    return this.#head === this.#meta.importedTo;
  }

  /** Says that an import ends at the head. */
  markImported(): void {
    this.#meta.importedTo = this.#head;
    writeImportedTo(this.#sql, this.#head);
  }

  /** The stored frame at a seq; undefined when there is none or compaction took it. */
  frameAt(seq: number): string | undefined {
    return this.#sql.exec<{ frame: string | null }>('SELECT frame FROM log WHERE seq = ?', seq)[0]?.frame ?? undefined;
  }

  /** Compaction: the frame goes, its digest stays, so that a repeat of the message is still known as one. */
  compact(seq: number): void {
    const [row] = this.#sql.exec<{ frame: string | null; bytes: number }>('SELECT frame, bytes FROM log WHERE seq = ?', seq);
    if (!row?.frame) return;
    // Loaded before the row changes: it counts what is stored.
    const { index } = this;
    const digest = textDigest(canonicalContent(JSON.parse(row.frame) as Envelope));
    this.#sql.exec('UPDATE log SET frame = NULL, bytes = 0, digest = ? WHERE seq = ?', digest, seq);
    if (seq > this.#meta.trimmedTo) index.resize(seq, -row.bytes);
  }

  /** Deletes a message that outlived retention and is no longer needed. */
  dropIfTrimmed(seq: number): void {
    if (seq <= this.#meta.trimmedTo) this.#sql.exec('DELETE FROM log WHERE seq = ?', seq);
  }

  /**
   * Messages that a participant may see, ascending by seq, within (`after`, `before`).
   * @param limit at most so many rows
   * @param order `descending` takes the newest of the range first
   */
  read(participant: Participant, range: { after: number; before?: number | undefined; limit: number; order?: 'descending' }): ReadEntry[] {
    const { where, bindings } = visibleTo(participant);
    const after = Math.max(range.after, this.#meta.trimmedTo);
    return this.#sql.exec<ReadEntry & Record<string, SqlValue>>(
      `SELECT seq, type, origin, ref, bytes, frame FROM log
       WHERE seq > ? AND seq < ? AND frame IS NOT NULL AND ${where}
       ORDER BY seq ${range.order === 'descending' ? 'DESC' : 'ASC'} LIMIT ?`,
      after,
      range.before ?? Number.MAX_SAFE_INTEGER,
      ...bindings,
      range.limit,
    );
  }

  /** [seq, bytes] of what a participant was sent after `after` and up to `upTo`, less what came by `origin` and, to an agent, by import. */
  sentBetween(participant: Participant, after: number, upTo: number, origin: string): [number, number][] {
    const { where, bindings } = visibleTo(participant);
    return this.#sql
      .exec<{ seq: number; bytes: number }>(
        `SELECT seq, bytes FROM log WHERE seq > ? AND seq <= ? AND frame IS NOT NULL AND (origin IS NULL OR origin NOT IN (?, ?)) AND ${where} ORDER BY seq`,
        after,
        upTo,
        origin,
        participant.kind === 'agent' ? IMPORTED : origin,
        ...bindings,
      )
      .map(({ seq, bytes }) => [seq, bytes]);
  }

  /** When the newest message was accepted, in ms. */
  lastAt(): number | null {
    return this.#sql.exec<{ at: number }>('SELECT at FROM log ORDER BY seq DESC LIMIT 1')[0]?.at ?? null;
  }

  /**
   * Retention (§8): drops the oldest runs while more than `messages` messages or `bytes` bytes would stay, or the run's newest
   * is older than `olderThan` (ms). Rows named by `pinned` survive outside the readable log.
   * @returns whether anything was dropped
   */
  trim(limits: { messages: number; bytes: number; olderThan: number }, pinned: () => ReadonlySet<number>): boolean {
    const { index } = this;
    let upTo = this.#meta.trimmedTo;
    for (let run = index.oldest(); run; run = index.oldest()) {
      const surplus = index.messages - run.messages >= limits.messages || index.bytes - run.bytes >= limits.bytes;
      if (!surplus && run.lastAt > limits.olderThan) break;
      upTo = run.lastSeq;
      index.dropOldest();
    }
    if (upTo === this.#meta.trimmedTo) return false;
    const keep = [...pinned()].filter((seq) => seq > this.#meta.trimmedTo && seq <= upTo).sort((a, b) => a - b);
    let from = this.#meta.trimmedTo;
    for (const seq of [...keep, upTo + 1]) {
      this.#sql.exec('DELETE FROM log WHERE seq > ? AND seq < ?', from, seq);
      from = seq;
    }
    this.#meta.trimmedTo = upTo;
    writeTrimmedTo(this.#sql, upTo);
    return true;
  }
}
