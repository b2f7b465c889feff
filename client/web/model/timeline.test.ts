import { describe, expect, it } from 'vitest';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { deliveryOf } from './entry.ts';
import { Timeline } from './timeline.ts';

const me = { kind: 'app', id: 'dv_me' } as const;
const agent = { kind: 'agent', id: 'ag_1' } as const;
const ts = '2026-11-29T09:41:00.000Z';
const frame = (seq: number, type: string, payload: JsonObject, more: Partial<Delivered> = {}): Delivered => ({
  v: 1,
  id: `m${seq}`,
  type,
  sender: agent,
  seq,
  ts,
  payload,
  ...more,
});
const texts = (timeline: Timeline) => timeline.entries.map((entry) => entry.payload.content);
const question = { name: 'choice', action: 'select', call_id: 'c1', arguments: { question: 'Where?', options: ['here'] } };
const reply = { name: 'choice', action: 'select', call_id: 'c1', result: { message: 'here', selected: ['here'] } };

describe('the order of a timeline', () => {
  it('is that of the relay, however pages and live frames come in', () => {
    const timeline = new Timeline(me);
    for (const seq of [7, 3, 9, 1]) timeline.apply(frame(seq, 'text', { content: String(seq) }));
    expect(texts(timeline)).toEqual(['1', '3', '7', '9']);
  });

  it('shows a frame once, however often it comes', () => {
    const timeline = new Timeline(me);
    for (let i = 0; i < 3; i++) timeline.apply(frame(4, 'text', { content: 'once' }));
    expect(texts(timeline)).toEqual(['once']);
  });

  it('keeps what the relay has not yet seen at the end, in the order of typing', () => {
    const timeline = new Timeline(me);
    timeline.queue({ id: 'a', type: 'text', payload: { content: 'first' } }, ts);
    timeline.queue({ id: 'b', type: 'text', payload: { content: 'second' } }, ts);
    timeline.apply(frame(5, 'text', { content: 'from the agent' }));
    expect(texts(timeline)).toEqual(['from the agent', 'first', 'second']);
    timeline.acked('a', 6);
    expect(timeline.entries.map((entry) => deliveryOf(entry, 5))).toEqual(['delivered', 'relayed', 'queued']);
  });

  it('does not show an own message a second time when history brings it', () => {
    const timeline = new Timeline(me);
    timeline.queue({ id: 'a', type: 'text', payload: { content: 'mine' } }, ts);
    timeline.apply(frame(2, 'text', { content: 'mine' }, { id: 'a', sender: me }));
    timeline.acked('a', 2);
    timeline.queue({ id: 'a', type: 'text', payload: { content: 'mine' } }, ts);
    expect(timeline.entries).toHaveLength(1);
    expect(timeline.entries[0]).toMatchObject({ seq: 2, mine: true });
  });
});

describe('a text that is written before our eyes', () => {
  it('keeps its place and key when the finished text comes', () => {
    const timeline = new Timeline(me);
    timeline.delta({ message_id: 'm8', offset: 0, delta: 'Hel' }, agent, ts);
    timeline.delta({ message_id: 'm8', offset: 3, delta: 'lo' }, agent, ts);
    const [written] = timeline.entries;
    expect(written).toMatchObject({ stream: 'flowing', payload: { content: 'Hello' } });
    expect(timeline.flowing).toBe(true);
    timeline.apply(frame(8, 'text', { content: 'Hello there' }));
    expect(timeline.entries).toHaveLength(1);
    expect(timeline.entries[0]).toMatchObject({ key: written?.key, stream: null, streamed: true, payload: { content: 'Hello there' } });
    expect(timeline.flowing).toBe(false);
  });

  it('ignores a piece that comes after the finished text', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(8, 'text', { content: 'done' }));
    timeline.delta({ message_id: 'm8', offset: 0, delta: 'do' }, agent, ts);
    expect(texts(timeline)).toEqual(['done']);
  });

  it('stands still when its writer goes away', () => {
    const timeline = new Timeline(me);
    timeline.delta({ message_id: 'm8', offset: 0, delta: 'Hel' }, agent, ts);
    timeline.stall();
    expect(timeline.entries[0]?.stream).toBe('stalled');
    timeline.delta({ message_id: 'm8', offset: 3, delta: 'lo' }, agent, ts);
    expect(timeline.entries[0]).toMatchObject({ stream: 'flowing', payload: { content: 'Hello' } });
  });
});

describe('an edit', () => {
  it('replaces the content, and the newest wins in whatever order they come', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(9, 'text.edit', { message_id: 'm1', content: 'newest' }));
    timeline.apply(frame(5, 'text.edit', { message_id: 'm1', content: 'older' }));
    timeline.apply(frame(1, 'text', { content: 'original' }));
    expect(timeline.entries).toHaveLength(1);
    expect(timeline.entries[0]).toMatchObject({ edited: true, payload: { content: 'newest' } });
  });
});

describe('a call', () => {
  it('is open until somebody answers', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'tool.call', question));
    expect(timeline.open).toHaveLength(1);
    timeline.settle('c1', 'completed', { kind: 'app', id: 'dv_other' });
    expect(timeline.open).toHaveLength(0);
    expect(timeline.entries[0]?.call).toMatchObject({ status: 'completed', by: { id: 'dv_other' }, answer: null });
  });

  it('is being sent until the relay has the answer, and opens again when the relay refuses it', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'tool.call', question));
    timeline.queue({ id: 'r1', type: 'tool.result', payload: reply }, ts);
    expect(timeline.entries[0]?.call?.status).toBe('sending');
    timeline.failed('r1', { code: 'timeout', message: '' });
    expect(timeline.entries[0]?.call?.status).toBe('sending');
    timeline.failed('r1', { code: 'rate_limited', message: 'too fast' });
    expect(timeline.entries[0]?.call).toMatchObject({ status: 'pending', refused: { code: 'rate_limited' } });
    timeline.queue({ id: 'r2', type: 'tool.result', payload: reply }, ts);
    timeline.acked('r2', 2);
    expect(timeline.entries[0]?.call).toMatchObject({ status: 'completed', answer: reply });
  });

  it('that another device answered first is theirs, whatever was on its way from here', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'tool.call', question));
    timeline.queue({ id: 'r1', type: 'tool.result', payload: reply }, ts);
    timeline.settle('c1', 'completed', { kind: 'app', id: 'dv_other' });
    timeline.failed('r1', { code: 'already_settled', message: '' });
    expect(timeline.entries[0]?.call).toMatchObject({ status: 'completed', by: { id: 'dv_other' }, answer: null });
  });

  it('stays answered after a reload, with this device’s answer', () => {
    const timeline = new Timeline(me);
    const at = ts;
    timeline.apply(frame(2, 'tool.result', reply, { id: 'r1', sender: me }));
    timeline.apply(frame(1, 'tool.call', question, { settled: { status: 'completed', by: me, at } }));
    expect(timeline.open).toHaveLength(0);
    expect(timeline.entries[0]?.call).toMatchObject({ status: 'completed', answer: reply });
  });

  it('shows its own answer too when the stamp comes first', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'tool.call', question, { settled: { status: 'completed', by: me, at: ts } }));
    timeline.apply(frame(2, 'tool.result', reply, { id: 'r1', sender: me }));
    expect(timeline.entries[0]?.call?.answer).toEqual(reply);
  });

  it('that the relay no longer names is over, and how is said as soon as it is known', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'tool.call', question));
    timeline.apply(frame(2, 'tool.call', { ...question, call_id: 'c2' }));
    timeline.queue({ id: 'r1', type: 'tool.result', payload: { ...reply, call_id: 'c2' } }, ts);
    expect(timeline.waiting(['c1'], 2)).toEqual([]);
    expect(timeline.waiting([], 2)).toEqual([1]);
    expect(timeline.entries.map(({ call }) => call?.status)).toEqual(['over', 'sending']);
    expect(timeline.isPending('c1')).toBe(false);
    timeline.apply(frame(1, 'tool.call', question, { settled: { status: 'completed', by: { kind: 'app', id: 'dv_other' }, at: ts } }));
    expect(timeline.entries[0]?.call).toMatchObject({ status: 'completed', by: { id: 'dv_other' }, at: ts });
  });

  it('that was asked after the relay’s word still waits', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(5, 'tool.call', question));
    expect(timeline.waiting([], 4)).toEqual([]);
    expect(timeline.isPending('c1')).toBe(true);
    expect(timeline.waiting([], 5)).toEqual([5]);
  });

  it('is told apart from another with the same question by its call_id alone', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'tool.call', question));
    timeline.apply(frame(2, 'tool.call', { ...question, call_id: 'c2' }));
    timeline.settle('c2', 'expired', { kind: 'relay' });
    expect(timeline.entries.map((entry) => entry.call?.status)).toEqual(['pending', 'expired']);
  });

  it('is withdrawn by the agent', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'tool.call', question));
    timeline.apply(frame(2, 'tool.cancel', { call_id: 'c1' }));
    expect(timeline.entries).toHaveLength(1);
    expect(timeline.entries[0]?.call?.status).toBe('cancelled');
  });
});

describe('what is not known', () => {
  it('is an entry of its own when the log has it, and nothing when it is fleeting', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'lineup.v2.hologram', {}));
    timeline.apply({ v: 1, id: 'x', type: 'agent.event', sender: agent, seq: null, payload: {} });
    expect(timeline.entries.map((entry) => entry.type)).toEqual(['lineup.v2.hologram']);
  });
});

describe('a reset log', () => {
  it('drops what the relay knew and keeps what it never got', () => {
    const timeline = new Timeline(me);
    timeline.apply(frame(1, 'text', { content: 'old' }));
    timeline.queue({ id: 'a', type: 'text', payload: { content: 'unsent' } }, ts);
    timeline.reset();
    expect(texts(timeline)).toEqual(['unsent']);
  });
});
