import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT, CONVERSATION_ID, PHONE, TABLET } from '../../test/support/room.ts';
import { NodeSql } from '../../test/support/node-sql.ts';
import type { Participant } from '../protocol/envelope.ts';
import type { Audience } from './audience.ts';
import type { LoggedEffect } from './effects.ts';
import { Log } from './log.ts';
import { RUN_MESSAGES } from './log-index.ts';
import { createMeta, readMeta } from './meta.ts';

/** A log and its database. */
class Shelf {
  readonly sql = new NodeSql('conversation');
  log: Log;
  at = 0;

  constructor() {
    createMeta(this.sql, { conversationId: CONVERSATION_ID, title: null, createdAt: '', agentId: AGENT.id });
    this.log = this.load();
  }

  load(): Log {
    const meta = readMeta(this.sql);
    if (!meta) throw new Error('no meta');
    return new Log(this.sql, meta);
  }

  text(
    id: string,
    { from = AGENT, audience = null, content = id }: { from?: Participant; audience?: Audience; content?: string } = {},
  ): LoggedEffect {
    return this.log.append({ envelope: { id, type: 'text', payload: { content } }, sender: from, audience, origin: null, at: this.at });
  }

  texts(count: number, from = this.log.head): void {
    for (let i = 1; i <= count; i++) this.text(`m${from + i}`);
  }

  trim(limits: { messages?: number; bytes?: number; olderThan?: number }, pinned: number[] = []): boolean {
    return this.log.trim({ messages: Infinity, bytes: Infinity, olderThan: -1, ...limits }, () => new Set(pinned));
  }

  readable(who: Participant = AGENT): number[] {
    return this.log.read(who, { after: 0, limit: 10_000 }).map(({ seq }) => seq);
  }

  /** Messages and bytes as SQL counts them. */
  recount(): { messages: number; bytes: number } {
    const [row] = this.sql.exec<{ messages: number; bytes: number }>(
      'SELECT count(*) AS messages, coalesce(sum(bytes), 0) AS bytes FROM log WHERE seq >= ?',
      this.log.oldest,
    );
    return { messages: row!.messages, bytes: row!.bytes };
  }

  counted(log = this.log): { messages: number; bytes: number } {
    return { messages: log.index.messages, bytes: log.index.bytes };
  }
}

const envelope = (id: string, content: string) => ({ id, type: 'text', payload: { content } });

describe('a log', () => {
  it('counts from 1, and says of an empty one that the oldest is the next (§4)', () => {
    const { log } = new Shelf();
    expect([log.head, log.oldest, log.lastAt()]).toEqual([0, 1, null]);
  });

  it('gives each message the next seq, and stores what it delivers', () => {
    const shelf = new Shelf();
    shelf.at = Date.parse('2026-01-02T03:04:05.678Z');
    const appended = [shelf.text('a'), shelf.text('b')];
    expect(appended.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(shelf.log.frameAt(2)).toBe(appended[1]!.frame);
    expect(JSON.parse(appended[1]!.frame)).toEqual({
      v: 1,
      id: 'b',
      type: 'text',
      conversation_id: CONVERSATION_ID,
      sender: AGENT,
      seq: 2,
      ts: '2026-01-02T03:04:05.678Z',
      payload: { content: 'b' },
    });
    expect(shelf.log.lastAt()).toBe(shelf.at);
  });

  it('writes one row for a message, and one more for 64 of them', () => {
    const shelf = new Shelf();
    shelf.sql.writes.length = 0;
    shelf.texts(2 * RUN_MESSAGES);
    expect(shelf.sql.writes).toHaveLength(2 * RUN_MESSAGES + 2);
  });

  it('counts bytes of UTF-8', () => {
    const shelf = new Shelf();
    const { bytes, frame } = shelf.text('a', { content: '漢字 🙂' });
    expect(bytes).toBe(Buffer.byteLength(frame));
    expect(shelf.counted()).toEqual({ messages: 1, bytes });
  });

  it('keeps a number as it was written, −0 too', () => {
    const shelf = new Shelf();
    const append = { sender: AGENT, audience: null, origin: null, at: 0 };
    const { frame } = shelf.log.append({ ...append, envelope: { id: 'a', type: 'error', payload: { code: 'x', message: '', n: [-0, 0.1] } } });
    expect(frame).toContain('"n":[-0,0.1]');
  });
});

describe('finding a message by sender and id', () => {
  it('works over many runs, and after a reload', () => {
    const shelf = new Shelf();
    shelf.texts(3 * RUN_MESSAGES + 5);
    for (const log of [shelf.log, shelf.load()]) {
      for (let seq = 1; seq <= log.head; seq++) expect(log.find(AGENT.id, `m${seq}`)?.seq).toBe(seq);
      expect(log.find(AGENT.id, 'm0')).toBeUndefined();
    }
  });

  it('keeps the ids of two senders apart', () => {
    const shelf = new Shelf();
    shelf.text('a');
    shelf.text('a', { from: PHONE });
    expect([shelf.log.find(AGENT.id, 'a')?.seq, shelf.log.find(PHONE.id, 'a')?.seq, shelf.log.find(TABLET.id, 'a')]).toEqual([1, 2, undefined]);
  });

  it('compares content as JSON: key order aside, type and target included (§5)', () => {
    const shelf = new Shelf();
    const target = { kind: 'app' as const, id: PHONE.id };
    shelf.log.append({
      envelope: { id: 'a', type: 'error', target, payload: { code: 'x', message: 'y', more: { b: 1, a: -0 } } },
      sender: AGENT,
      audience: PHONE.id,
      origin: null,
      at: 0,
    });
    const entry = shelf.log.find(AGENT.id, 'a')!;
    const same = { id: 'other', type: 'error', target, payload: { more: { a: -0, b: 1.0 }, message: 'y', code: 'x' } };
    const { target: _target, ...untargeted } = same;
    for (const log of [shelf.log, shelf.load()]) {
      expect(log.hasContent(entry, same)).toBe(true);
      expect(log.hasContent(entry, { ...same, payload: { ...same.payload, more: { a: 0, b: 1 } } })).toBe(false);
      expect(log.hasContent(entry, { ...same, type: 'text' })).toBe(false);
      expect(log.hasContent(entry, untargeted)).toBe(false);
    }
  });

  it('goes on after compaction took the frame, by its digest', () => {
    const shelf = new Shelf();
    shelf.texts(2);
    shelf.log.compact(1);
    for (const log of [shelf.log, shelf.load()]) {
      const entry = log.find(AGENT.id, 'm1')!;
      expect([entry.seq, entry.frame]).toEqual([1, null]);
      expect([log.hasContent(entry, envelope('m1', 'm1')), log.hasContent(entry, envelope('m1', 'm2'))]).toEqual([true, false]);
    }
  });

  it('ends when retention drops the message', () => {
    const shelf = new Shelf();
    shelf.texts(RUN_MESSAGES + 10);
    expect(shelf.trim({ messages: 10 })).toBe(true);
    for (const log of [shelf.log, shelf.load()]) {
      expect(log.find(AGENT.id, `m${RUN_MESSAGES}`)).toBeUndefined();
      expect(log.find(AGENT.id, `m${RUN_MESSAGES + 1}`)?.seq).toBe(RUN_MESSAGES + 1);
    }
  });
});

describe('compaction', () => {
  it('takes a message out of what is read, and its bytes out of the count', () => {
    const shelf = new Shelf();
    shelf.texts(RUN_MESSAGES + 2);
    const before = shelf.counted();
    for (const seq of [2, RUN_MESSAGES + 1]) shelf.log.compact(seq);
    expect([shelf.log.frameAt(2), shelf.log.frameAt(3) !== undefined]).toEqual([undefined, true]);
    expect(shelf.readable()).toHaveLength(RUN_MESSAGES);
    expect(shelf.counted().bytes).toBeLessThan(before.bytes);
    expect(shelf.counted()).toEqual(shelf.recount());
    expect(shelf.counted(shelf.load())).toEqual(shelf.recount());
  });

  it('changes nothing the second time', () => {
    const shelf = new Shelf();
    shelf.texts(3);
    shelf.log.compact(2);
    const once = [shelf.counted(), shelf.log.find(AGENT.id, 'm2')?.digest];
    shelf.log.compact(2);
    expect([shelf.counted(), shelf.log.find(AGENT.id, 'm2')?.digest]).toEqual(once);
  });

  it('counts right in a log that was only just loaded', () => {
    const shelf = new Shelf();
    shelf.texts(3);
    shelf.log = shelf.load();
    shelf.log.compact(2);
    expect(shelf.counted()).toEqual(shelf.recount());
  });
});

describe('retention', () => {
  it('drops nothing while the limits are kept', () => {
    const shelf = new Shelf();
    shelf.texts(RUN_MESSAGES + 10);
    expect([shelf.trim({ messages: 11, bytes: 10_000_000 }), shelf.log.oldest]).toEqual([false, 1]);
  });

  it('goes by bytes too', () => {
    const shelf = new Shelf();
    shelf.texts(RUN_MESSAGES);
    const { bytes } = shelf.counted();
    shelf.texts(RUN_MESSAGES);
    expect(shelf.trim({ bytes })).toBe(true);
    expect([shelf.log.oldest, shelf.counted()]).toEqual([RUN_MESSAGES + 1, shelf.recount()]);
  });

  it('goes by the age of the newest message of a run, and may leave nothing', () => {
    const shelf = new Shelf();
    shelf.texts(RUN_MESSAGES - 1);
    shelf.at = 1_000;
    shelf.texts(2);
    shelf.at = 2_000;
    shelf.texts(1);
    expect([shelf.trim({ olderThan: 999 }), shelf.log.oldest]).toEqual([false, 1]);
    expect([shelf.trim({ olderThan: 1_000 }), shelf.log.oldest]).toEqual([true, RUN_MESSAGES + 1]);
    expect([shelf.trim({ olderThan: 2_000 }), shelf.log.oldest, shelf.log.head]).toEqual([true, RUN_MESSAGES + 3, RUN_MESSAGES + 2]);
    expect(shelf.log.index.oldest()).toBeUndefined();
  });

  it('never gives a seq twice, even when it left nothing', () => {
    const shelf = new Shelf();
    shelf.texts(5);
    shelf.trim({ olderThan: 0 });
    for (const log of [shelf.log, shelf.load()]) expect([log.head, log.oldest]).toEqual([5, 6]);
    shelf.log = shelf.load();
    expect(shelf.text('next').seq).toBe(6);
    expect(shelf.counted(shelf.load())).toEqual(shelf.recount());
  });

  it('leaves pinned messages outside the history, until they are dropped', () => {
    const shelf = new Shelf();
    shelf.texts(RUN_MESSAGES + 3);
    shelf.trim({ messages: 3 }, [2, 60, RUN_MESSAGES + 1]);
    for (const log of [shelf.log, shelf.load()]) {
      expect([log.frameAt(1), log.frameAt(2) !== undefined, log.frameAt(60) !== undefined]).toEqual([undefined, true, true]);
      expect(log.oldest).toBe(RUN_MESSAGES + 1);
      expect(log.read(AGENT, { after: 0, limit: 100 }).map(({ seq }) => seq)).toEqual([1, 2, 3].map((n) => RUN_MESSAGES + n));
    }
    expect(shelf.counted(shelf.load())).toEqual(shelf.recount());
    for (const seq of [2, RUN_MESSAGES + 1]) shelf.log.dropIfTrimmed(seq);
    expect([shelf.log.frameAt(2), shelf.log.frameAt(60) !== undefined, shelf.log.frameAt(RUN_MESSAGES + 1) !== undefined]).toEqual([
      undefined,
      true,
      true,
    ]);
  });

  it('keeps what is pinned when it trims again', () => {
    const shelf = new Shelf();
    shelf.texts(2 * RUN_MESSAGES + 3);
    shelf.trim({ messages: RUN_MESSAGES + 3 }, [2]);
    shelf.trim({ messages: 3 }, [2, RUN_MESSAGES + 2]);
    expect(shelf.sql.exec<{ seq: number }>('SELECT seq FROM log ORDER BY seq LIMIT 3').map(({ seq }) => seq)).toEqual([
      2,
      RUN_MESSAGES + 2,
      2 * RUN_MESSAGES + 1,
    ]);
  });

  it('counts right, whatever was appended, compacted, trimmed and reloaded: at most 63 messages behind the limit, never below it', () => {
    type Step = { do: 'append'; count: number; size: number } | { do: 'compact'; back: number } | { do: 'trim' } | { do: 'reload' };
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 90 }), size: fc.nat(300) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(200) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('trim' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reload' as const) }) },
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 25 }),
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: 500, max: 40_000 }),
        (steps, messages, bytes) => {
          const shelf = new Shelf();
          for (const next of steps) {
            if (next.do === 'append') for (let i = 0; i < next.count; i++) shelf.text(`m${shelf.log.head + 1}`, { content: 'x'.repeat(next.size) });
            else if (next.do === 'compact') shelf.log.compact(shelf.log.head - next.back);
            else if (next.do === 'reload') shelf.log = shelf.load();
            else {
              const before = shelf.recount();
              shelf.trim({ messages, bytes });
              const after = shelf.recount();
              if (after.messages < before.messages) expect(after.messages >= messages || after.bytes >= bytes).toBe(true);
              expect(after.messages).toBeLessThan(messages + RUN_MESSAGES);
              const [newest] = shelf.sql.exec<{ bytes: number }>(
                `SELECT coalesce(sum(bytes), 0) AS bytes FROM log WHERE seq >= ?`,
                shelf.log.oldest + RUN_MESSAGES,
              );
              expect(newest!.bytes).toBeLessThan(bytes);
            }
            expect(shelf.counted()).toEqual(shelf.recount());
            expect(shelf.counted(shelf.load())).toEqual(shelf.recount());
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('reading the log', () => {
  const shelf = new Shelf();
  shelf.text('1');
  shelf.text('2', { audience: PHONE.id });
  shelf.text('3', { from: PHONE, audience: 'agent' });
  shelf.text('4', { from: PHONE });
  shelf.text('5', { audience: 'devices' });
  shelf.text('6', { from: TABLET, audience: 'agent' });

  it('shows a participant what is for it and what it sent', () => {
    expect(shelf.readable(AGENT)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(shelf.readable(PHONE)).toEqual([1, 2, 3, 4, 5]);
    expect(shelf.readable(TABLET)).toEqual([1, 4, 5, 6]);
  });

  it('takes a range, from either end', () => {
    const read = (range: Parameters<Log['read']>[1]) => shelf.log.read(PHONE, range).map(({ seq }) => seq);
    expect(read({ after: 1, limit: 2 })).toEqual([2, 3]);
    expect(read({ after: 1, before: 4, limit: 9 })).toEqual([2, 3]);
    expect(read({ after: 0, before: 5, limit: 2, order: 'descending' })).toEqual([4, 3]);
  });

  it('knows what a connection was sent: what its participant may see, less what came by it', () => {
    const other = new Shelf();
    const append = (id: string, audience: Audience, origin: string | null) =>
      other.log.append({ envelope: envelope(id, id), sender: PHONE, audience, origin, at: 0 });
    const sizes = [append('a', null, 'c1'), append('b', null, 'c2'), append('c', null, null), append('d', null, null)].map(({ bytes }) => bytes);
    other.log.compact(3);
    expect(other.log.sentBetween(PHONE, 0, 4, 'c1')).toEqual([
      [2, sizes[1]],
      [4, sizes[3]],
    ]);
    expect(other.log.sentBetween(TABLET, 2, 3, 'c3')).toEqual([]);
  });
});
