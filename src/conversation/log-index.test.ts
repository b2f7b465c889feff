import { describe, expect, it } from 'vitest';
import { NodeSql } from '../../test/support/node-sql.ts';
import { hash53, LogIndex, RUN_MESSAGES } from './log-index.ts';

describe('the hash of a text', () => {
  it('tells apart what hardly differs', () => {
    const hashes = new Set<number>();
    for (let i = 0; i < 100_000; i++) hashes.add(hash53(`dv_a\nm${i}`)).add(hash53(`dv_b\nm${i}`));
    expect(hashes.size).toBe(200_000);
  });

  it('has 53 bits, and uses each of them', () => {
    const seen = Array.from({ length: 53 }, () => 0);
    for (let i = 0; i < 2_000; i++) {
      const hash = hash53(`ag\n${i}`);
      expect(Number.isSafeInteger(hash) && hash >= 0).toBe(true);
      for (let bit = 0; bit < 53; bit++) seen[bit]! += Math.floor(hash / 2 ** bit) % 2;
    }
    for (const [bit, ones] of seen.entries()) expect(Math.abs(ones - 1_000), `bit ${bit}`).toBeLessThan(150);
  });
});

describe('an index', () => {
  const filled = (sql: NodeSql, messages: number): LogIndex => {
    const index = new LogIndex(sql, 0);
    for (let seq = 1; seq <= messages; seq++) {
      sql.exec('INSERT INTO log (seq, sender, id, type, at, bytes) VALUES (?, ?, ?, ?, ?, ?)', seq, 'ag', `m${seq}`, 'text', seq, 10);
      index.add(seq, 'ag', `m${seq}`, seq, 10);
    }
    return index;
  };

  it('stores one row for each run, and none for a message', () => {
    const sql = new NodeSql('conversation');
    filled(sql, 3 * RUN_MESSAGES + 1);
    expect(sql.writes.filter((write) => write === 'INSERT INTO log_index')).toHaveLength(3);
  });

  it.each([1, RUN_MESSAGES - 1, RUN_MESSAGES, RUN_MESSAGES + 1, 5 * RUN_MESSAGES])('knows all of %i messages after a reload', (messages) => {
    const sql = new NodeSql('conversation');
    const before = filled(sql, messages);
    const after = new LogIndex(sql, 0);
    for (let seq = 1; seq <= messages; seq++) expect(after.candidate('ag', `m${seq}`)).toBe(seq);
    expect(after.candidate('dv', 'm1')).toBeUndefined();
    expect([after.messages, after.bytes, after.oldest()?.lastSeq]).toEqual([before.messages, before.bytes, before.oldest()?.lastSeq]);
  });

  it('forgets exactly what it drops, the unfinished run last', () => {
    const sql = new NodeSql('conversation');
    const index = filled(sql, RUN_MESSAGES + 3);
    index.dropOldest();
    expect([index.messages, index.bytes]).toEqual([3, 30]);
    expect([index.candidate('ag', `m${RUN_MESSAGES}`), index.candidate('ag', `m${RUN_MESSAGES + 1}`)]).toEqual([undefined, RUN_MESSAGES + 1]);
    index.dropOldest();
    expect([index.messages, index.bytes, index.oldest()]).toEqual([0, 0, undefined]);
  });

  it('keeps a message that was given the id of a dropped one', () => {
    const sql = new NodeSql('conversation');
    const index = filled(sql, RUN_MESSAGES);
    index.add(RUN_MESSAGES + 1, 'ag', 'm1', 0, 10);
    index.dropOldest();
    expect(index.candidate('ag', 'm1')).toBe(RUN_MESSAGES + 1);
  });

  it('counts a smaller row in the run that it lies in', () => {
    const sql = new NodeSql('conversation');
    const index = filled(sql, RUN_MESSAGES + 3);
    sql.exec('UPDATE log SET bytes = 0 WHERE seq IN (2, ?)', RUN_MESSAGES + 1);
    index.resize(2, -10);
    index.resize(RUN_MESSAGES + 1, -10);
    expect([index.bytes, index.oldest()?.bytes, index.messages]).toEqual([RUN_MESSAGES * 10 + 10, RUN_MESSAGES * 10 - 10, RUN_MESSAGES + 3]);
    const reloaded = new LogIndex(sql, 0);
    expect([reloaded.bytes, reloaded.oldest()?.bytes]).toEqual([index.bytes, index.oldest()?.bytes]);
  });
});
