/**
 * Finds a message by (sender, id) without a SQL index: a map of hashes in memory, refilled from runs of 64 messages that are
 * stored as one row each. So a message costs one row written (and a 64th of one), and a wake reads a few hundred rows however
 * long the log is. Runs are also what retention drops: it never has to look at single messages.
 */
import type { Sql } from './ports.ts';

/** Messages in one stored run: what retention may lag behind its limit (§8). */
export const RUN_MESSAGES = 64;

/** A run of consecutive log rows. `lastAt` is when its newest was accepted, in ms; `entries` its [hash, seq] pairs. */
export interface Run {
  lastSeq: number;
  lastAt: number;
  messages: number;
  bytes: number;
  entries: ArrayLike<number>;
}

/**
 * A 53-bit hash of a text: two multiplicative lanes that differ in start and factor, stirred at the end so that short ids reach
 * every bit. Not for secrets: every hit is compared with the stored row.
 */
export function hash53(text: string): number {
  let low = 0x6c62272e;
  let high = 0x07bb0142;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
  }
  low = stir(low ^ (high >>> 7));
  high = stir(high ^ low);
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** Spreads the change of any bit over all 32. */
function stir(lane: number): number {
  const mixed = Math.imul(lane ^ (lane >>> 16), 0x45d9f3b);
  return mixed ^ (mixed >>> 15);
}

/** The index of one log. After a rollback, drop it and make a new one. */
export class LogIndex {
  #sql: Sql;
  #seqs = new Map<number, number>();
  #runs: Run[] = [];
  /** The messages after the last stored run. */
  #tail = emptyTail();
  messages = 0;
  bytes = 0;

  /** Loads what is stored of the log after `trimmedTo`. */
  constructor(sql: Sql, trimmedTo: number) {
    this.#sql = sql;
    let stored = trimmedTo;
    for (const row of sql.exec<{ last_seq: number; last_at: number; messages: number; bytes: number; entries: ArrayBuffer }>(
      'SELECT last_seq, last_at, messages, bytes, entries FROM log_index ORDER BY last_seq',
    )) {
      const entries = new Float64Array(row.entries);
      for (let i = 0; i + 1 < entries.length; i += 2) this.#seqs.set(entries[i] as number, entries[i + 1] as number);
      this.#runs.push({ lastSeq: row.last_seq, lastAt: row.last_at, messages: row.messages, bytes: row.bytes, entries });
      this.messages += row.messages;
      this.bytes += row.bytes;
      stored = row.last_seq;
    }
    const tail = 'SELECT seq, sender, id, at, bytes FROM log WHERE seq > ? ORDER BY seq';
    for (const row of sql.exec<{ seq: number; sender: string; id: string; at: number; bytes: number }>(tail, stored)) {
      this.#remember(row.seq, row.sender, row.id, row.at, row.bytes);
    }
  }

  /** The seq that this (sender, id) may have; the caller compares the row. */
  candidate(sender: string, id: string): number | undefined {
    return this.#seqs.get(hash53(`${sender}\n${id}`));
  }

  /** Takes in a row that was just inserted. */
  add(seq: number, sender: string, id: string, at: number, bytes: number): void {
    this.#remember(seq, sender, id, at, bytes);
    if (this.#tail.messages < RUN_MESSAGES) return;
    const entries = new Float64Array(this.#tail.entries);
    const run: Run = { ...this.#tail, entries };
    this.#sql.exec(
      'INSERT INTO log_index (last_seq, last_at, messages, bytes, entries) VALUES (?, ?, ?, ?, ?)',
      run.lastSeq,
      run.lastAt,
      run.messages,
      run.bytes,
      entries.buffer,
    );
    this.#runs.push(run);
    this.#tail = emptyTail();
  }

  /** The oldest run, the unfinished one included; undefined when the log is empty. */
  oldest(): Run | undefined {
    return this.#runs[0] ?? (this.#tail.messages > 0 ? this.#tail : undefined);
  }

  /** Forgets the oldest run. */
  dropOldest(): void {
    const run = this.#runs.shift();
    const dropped = run ?? this.#tail;
    if (run) this.#sql.exec('DELETE FROM log_index WHERE last_seq = ?', run.lastSeq);
    else this.#tail = emptyTail();
    this.messages -= dropped.messages;
    this.bytes -= dropped.bytes;
    for (let i = 0; i + 1 < dropped.entries.length; i += 2) {
      const hash = dropped.entries[i] as number;
      if (this.#seqs.get(hash) === dropped.entries[i + 1]) this.#seqs.delete(hash);
    }
  }

  /** A row's size changed by `bytes`, since compaction took its frame. It still counts as a message. */
  resize(seq: number, bytes: number): void {
    this.bytes += bytes;
    const run = this.#runs.find(({ lastSeq }) => lastSeq >= seq);
    (run ?? this.#tail).bytes += bytes;
    if (run) this.#sql.exec('UPDATE log_index SET bytes = ? WHERE last_seq = ?', run.bytes, run.lastSeq);
  }

  #remember(seq: number, sender: string, id: string, at: number, bytes: number): void {
    const hash = hash53(`${sender}\n${id}`);
    this.#seqs.set(hash, seq);
    this.#tail.entries.push(hash, seq);
    this.#tail.lastSeq = seq;
    // An imported message brings its own time, which need not be later than the one before it.
    this.#tail.lastAt = Math.max(this.#tail.lastAt, at);
    this.#tail.messages += 1;
    this.#tail.bytes += bytes;
    this.messages += 1;
    this.bytes += bytes;
  }
}

function emptyTail(): Run & { entries: number[] } {
  return { lastSeq: 0, lastAt: Number.NEGATIVE_INFINITY, messages: 0, bytes: 0, entries: [] };
}
