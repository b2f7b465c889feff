/** Pages of history (§3): the right messages in the right order, never too many and never too large. */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room, TABLET, type Seen, type Socket } from '../../test/support/room.ts';
import type { Participant } from '../protocol/envelope.ts';
import { MAX_PAGE_BYTES } from '../protocol/limits.ts';
import { historyPage, type PageQuery } from './history.ts';

interface Page {
  messages: Seen[];
  head_seq: number;
  oldest_seq: number;
  has_more: boolean;
}

const pageOf = (room: Room, who: Participant, query: Partial<PageQuery> = {}): Page =>
  JSON.parse(historyPage(room.ledger, who, { limit: 50, ...query })) as Page;
const seqs = (page: Page): unknown => [page.messages.map(({ seq }) => seq), page.has_more];

async function after(texts: number, limits: ConstructorParameters<typeof Room>[0] = {}): Promise<{ room: Room; agent: Socket }> {
  const room = new Room(limits);
  const agent = await room.join(AGENT);
  for (let i = 1; i <= texts; i++) await room.send(agent, 'text', { content: `${i}` });
  return { room, agent };
}

describe('a page of history', () => {
  it('of an empty log is empty', () => {
    expect(pageOf(new Room(), PHONE)).toEqual({ messages: [], head_seq: 0, oldest_seq: 1, has_more: false });
  });

  it('is ascending: the newest, the nearest older, or the nearest newer ones', async () => {
    const { room } = await after(7);
    expect(seqs(pageOf(room, PHONE, { limit: 3 }))).toEqual([[5, 6, 7], true]);
    expect(seqs(pageOf(room, PHONE, { limit: 3, before: 5 }))).toEqual([[2, 3, 4], true]);
    expect(seqs(pageOf(room, PHONE, { limit: 3, before: 4 }))).toEqual([[1, 2, 3], false]);
    expect(seqs(pageOf(room, PHONE, { limit: 3, after: 0 }))).toEqual([[1, 2, 3], true]);
    expect(seqs(pageOf(room, PHONE, { limit: 3, after: 4 }))).toEqual([[5, 6, 7], false]);
    expect(seqs(pageOf(room, PHONE, { limit: 3, after: 1, before: 4 }))).toEqual([[2, 3], false]);
    expect(seqs(pageOf(room, PHONE, { limit: 100 }))).toEqual([[1, 2, 3, 4, 5, 6, 7], false]);
    expect(seqs(pageOf(room, PHONE, { after: 7 }))).toEqual([[], false]);
  });

  it('shows a participant what is for it alone, and counts only that', async () => {
    const { room, agent } = await after(1);
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: 'x' }, { target: { kind: 'app', id: TABLET.id } });
    await room.send(agent, 'text', { content: 'x' });
    expect(seqs(pageOf(room, PHONE, { limit: 2 }))).toEqual([[1, 5], false]);
    expect(seqs(pageOf(room, TABLET, { limit: 2 }))).toEqual([[4, 5], true]);
    expect(seqs(pageOf(room, AGENT, { limit: 9 }))).toEqual([[1, 2, 3, 4, 5], false]);
  });

  it('says what became of its calls', async () => {
    const { room, agent } = await after(0);
    const phone = await room.join(PHONE);
    for (const call_id of ['a', 'b']) await room.send(agent, 'tool.call', { name: 'choice', call_id, arguments: {} });
    await room.send(phone, 'tool.result', { name: 'choice', call_id: 'a', error: { code: 'rejected', message: '' } });
    const [a, b] = pageOf(room, TABLET).messages;
    expect(a!.settled).toEqual({ status: 'rejected', by: PHONE, at: '2026-01-01T00:00:00.000Z' });
    expect(b).not.toHaveProperty('settled');
  });

  it('starts at what retention left', async () => {
    const { room } = await after(70, { retain_messages: 6 });
    expect(pageOf(room, PHONE, { after: 0, limit: 2 })).toMatchObject({
      oldest_seq: 65,
      head_seq: 70,
      has_more: true,
      messages: [{ seq: 65 }, { seq: 66 }],
    });
    expect(seqs(pageOf(room, PHONE, { before: 65 }))).toEqual([[], false]);
  });

  it('is at most 1 MiB, and still whole when one reads on', async () => {
    const { room, agent } = await after(0);
    // Settled calls are larger on their way out than in the log.
    for (let i = 0; i < 20; i++) {
      const more = { arguments: { text: '漢'.repeat(29_000) }, expires_at: '2025-01-01T00:00:00Z' };
      await room.send(agent, 'tool.call', { name: 'choice', call_id: `c${i}`, ...more });
    }
    const read: number[] = [];
    for (let cursor = 0, more = true; more;) {
      const text = historyPage(room.ledger, AGENT, { after: cursor, limit: 100 });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
      const page = JSON.parse(text) as Page;
      read.push(...page.messages.map(({ seq }) => seq as number));
      cursor = read.at(-1)!;
      more = page.has_more;
    }
    expect(read).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    const newest = pageOf(room, AGENT, { limit: 100 });
    expect([newest.messages.at(-1)!.seq, newest.has_more]).toEqual([40, true]);
  });

  it('fills 1 MiB to the brim and not beyond', async () => {
    const { room, agent } = await after(0);
    const say = (length: number) =>
      room.send(agent, 'text', { content: 'x'.repeat(length) }, { id: 'm'.repeat(9) + String(10 + room.ledger.log.head) });
    await say(1);
    const around = Buffer.byteLength(room.ledger.log.frameAt(1)!) - 1;
    // 16 of these and the commas between them are 1 MiB less one byte; around them is the page.
    for (let i = 0; i < 16; i++) await say(65_535 - around - (i < 8 ? 0 : 1));
    const text = historyPage(room.ledger, AGENT, { limit: 100 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
  });
});
