import { describe, expect, it } from 'vitest';
import { NetworkError } from '../../core/errors.ts';
import type { HistoryQuery } from '../../core/http.ts';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { Gathering, type Gathered } from './gather.ts';

function log(first: number, last: number) {
  const asked: HistoryQuery[] = [];
  const state = { broken: false };
  const messages = Array.from({ length: last - first + 1 }, (_, i) => ({ seq: first + i }) as Delivered);
  const load = ({ after = 0, limit = 50 }: HistoryQuery) => {
    asked.push({ after, limit });
    if (state.broken) return Promise.reject(new NetworkError('down'));
    const later = messages.filter(({ seq }) => (seq ?? 0) > after);
    return Promise.resolve({ messages: later.slice(0, limit), head_seq: last, oldest_seq: first, has_more: later.length > limit });
  };
  return { load, asked, state };
}

describe('gathering a conversation', () => {
  it('brings every message, from the oldest that is kept', async () => {
    const { load, asked } = log(41, 290);
    const gathering = new Gathering(load);
    const seen: Gathered[] = [];
    expect(await gathering.run(new AbortController().signal, (gathered) => seen.push(gathered))).toBe(true);
    expect(gathering.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 250 }, (_, i) => 41 + i));
    expect(seen).toEqual([
      { count: 100, share: 0.4 },
      { count: 200, share: 0.8 },
      { count: 250, share: 1 },
    ]);
    expect(asked.map(({ after }) => after)).toEqual([0, 140, 240]);
  });

  it('goes on where it broke, without anything twice', async () => {
    const { load, state } = log(1, 250);
    const gathering = new Gathering(load);
    const broken = gathering.run(new AbortController().signal, ({ count }) => (state.broken = count === 200));
    await expect(broken).rejects.toThrow(NetworkError);
    expect(gathering.messages).toHaveLength(200);
    state.broken = false;
    expect(await gathering.run(new AbortController().signal, () => undefined)).toBe(true);
    expect(gathering.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 250 }, (_, i) => 1 + i));
  });

  it('stops when nobody wants it any more', async () => {
    const { load, asked } = log(1, 250);
    const control = new AbortController();
    expect(await new Gathering(load).run(control.signal, () => control.abort())).toBe(false);
    expect(asked).toHaveLength(1);
  });

  it('of nothing is nothing', async () => {
    const gathering = new Gathering(() => Promise.resolve({ messages: [], head_seq: 0, oldest_seq: 1, has_more: false }));
    expect(await gathering.run(new AbortController().signal, ({ share }) => expect(share).toBe(1))).toBe(true);
    expect(gathering.messages).toEqual([]);
  });
});
