/** The rules of §6 that both kinds of call obey. */
import { describe, expect, it } from 'vitest';
import { AGENT, OPENS_AT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import { KINDS } from '../../test/support/calls.ts';
import type { JsonObject } from '../protocol/json.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (ms: number): string => new Date(OPENS_AT + ms).toISOString();

async function scene(limits: ConstructorParameters<typeof Room>[0] = {}) {
  const room = new Room(limits);
  const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
  return { room, agent, phone, tablet };
}

const settled = (socket: Socket): JsonObject[] => socket.of('system.settled').map(({ payload }) => payload);
const statusOf = (room: Room, callId: string): string | undefined => room.ledger.calls.get(callId)?.status;

describe.each(['tool', 'app'] as const)('a call of kind %s', (name) => {
  const kind = KINDS[name];

  it('reaches the devices, and its answer the agent, once', async () => {
    const { room, agent, phone, tablet } = await scene();
    const { seq } = await room.ask(agent, kind.call, kind.asked('c'));
    for (const socket of [phone, tablet]) expect(socket.of(kind.call).map((frame) => frame.seq)).toEqual([seq]);
    const ack = await room.ask(phone, kind.result, kind.answer('c'));
    expect(ack).toMatchObject({ duplicate: false });
    expect(agent.of(kind.result)).toMatchObject([{ seq: ack.seq, sender: PHONE, payload: kind.answer('c') }]);
    expect(statusOf(room, 'c')).toBe('completed');
  });

  it('asked again while it is pending is a duplicate with the seq of the first, delivered to nobody (rule 1)', async () => {
    const { room, agent, phone } = await scene();
    const { seq } = await room.ask(agent, kind.call, kind.asked('c'));
    const before = phone.frames.length;
    expect(await room.ask(agent, kind.call, kind.asked('c'))).toEqual({ ref: expect.any(String), seq, duplicate: true });
    expect(phone.frames.length).toBe(before);
    expect(agent.of(kind.result)).toEqual([]);
  });

  it('asked again after it was settled brings the stored result once more, to the caller alone (rule 1)', async () => {
    const { room, agent, phone, tablet } = await scene();
    const { seq } = await room.ask(agent, kind.call, kind.asked('c'), { id: 'first' });
    await room.send(phone, kind.result, kind.answer('c'));
    const [result] = agent.of(kind.result);
    const devices = [phone, tablet].map((socket) => socket.frames.length);
    for (const id of ['second', 'first', 'third']) {
      const from = agent.frames.length;
      expect(await room.ask(agent, kind.call, kind.asked('c'), { id })).toEqual({ ref: id, seq, duplicate: true });
      expect(agent.frames.slice(from)).toMatchObject([{ type: 'system.ack' }, { id: result!.id, seq: result!.seq, payload: result!.payload }]);
    }
    expect([phone, tablet].map((socket) => socket.frames.length)).toEqual(devices);
    expect(room.ledger.log.head).toBe(2);
  });

  it('asked again by an agent that lags brings no result that overtakes what it waits for (rule 1)', async () => {
    const room = new Room({ window_bytes: 1_000 });
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(agent, kind.call, kind.asked('c'));
    for (let i = 0; i < 2; i++) await room.send(phone, 'text', { content: 'x'.repeat(900) });
    await room.send(phone, kind.result, kind.answer('c'));
    await room.send(agent, kind.call, kind.asked('c'));
    // A client's cursor is the highest seq it has seen: it would believe to have 3 as well.
    expect(await room.post(AGENT, kind.call, kind.asked('c'))).toMatchObject({ duplicate: true });
    expect(agent.seqs()).toEqual([2]);
    await room.send(agent, 'system.received', { seq: 2 });
    await room.send(agent, 'system.received', { seq: 3 });
    expect(agent.seqs()).toEqual([2, 3, 4]);
    await room.send(agent, kind.call, kind.asked('c'));
    expect(agent.seqs()).toEqual([2, 3, 4, 4]);
  });

  it('is known again after the object slept, and after retention took its frame (rule 1)', async () => {
    const { room, agent } = await scene({ retain_messages: 4 });
    const { seq } = await room.ask(agent, kind.call, kind.asked('c'), { id: 'first' });
    for (let i = 0; i < 70; i++) await room.send(agent, 'text', { content: 'x' });
    expect(room.ledger.log.oldest).toBeGreaterThan(1);
    room.hibernate();
    for (const id of ['first', 'again']) expect(await room.ask(agent, kind.call, kind.asked('c'), { id })).toMatchObject({ seq, duplicate: true });
  });

  it('with the call_id of another is a conflict (rule 2)', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    const other = name === 'tool' ? KINDS.app : KINDS.tool;
    for (const [type, payload] of [
      [kind.call, kind.asked('c', { arguments: { q: 2 } })],
      [kind.call, kind.asked('c', { expires_at: at(HOUR) })],
      [other.call, other.asked('c')],
    ] as const) {
      expect(await room.ask(agent, type, payload)).toMatchObject({ code: 'call_id_conflict', retryable: false });
    }
    await room.send(phone, kind.result, kind.answer('c'));
    expect(await room.ask(agent, kind.call, kind.asked('c', { arguments: { q: 2 } }))).toMatchObject({ code: 'call_id_conflict' });
    expect(await room.ask(agent, kind.call, kind.asked('c'), { target: { kind: 'app', id: PHONE.id } })).toMatchObject({ code: 'call_id_conflict' });
    expect(phone.of(kind.call)).toHaveLength(1);
  });

  it('with the envelope id of another message is an id conflict', async () => {
    const { room, agent } = await scene();
    await room.send(agent, kind.call, kind.asked('c'), { id: 'a' });
    expect(await room.ask(agent, kind.call, kind.asked('d'), { id: 'a' })).toMatchObject({ code: 'id_conflict' });
    expect(statusOf(room, 'd')).toBeUndefined();
  });

  it('is settled by its first result; a second one is refused, and its device told who won (rule 3)', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    await room.send(phone, kind.result, kind.answer('c', 'red'));
    const from = tablet.frames.length;
    expect(await room.ask(tablet, kind.result, kind.answer('c', 'blue'))).toMatchObject({ code: 'already_settled' });
    expect(tablet.frames.slice(from)).toMatchObject([
      { type: 'system.error' },
      { type: 'system.settled', payload: { call_id: 'c', status: 'completed', by: PHONE } },
    ]);
    // Not even the winner may change it.
    expect(await room.ask(phone, kind.result, kind.answer('c', 'blue'))).toMatchObject({ code: 'already_settled' });
    expect(agent.of(kind.result)).toHaveLength(1);
    expect(room.ledger.log.head).toBe(2);
  });

  it('has one winner among results that come at once', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    await room.burst([
      { socket: agent, type: 'text', id: 'x', payload: { content: 'first, so that the others wait' } },
      { socket: tablet, type: kind.result, id: 't', payload: kind.answer('c', 'blue') },
      { socket: phone, type: kind.result, id: 'p', payload: kind.answer('c', 'red') },
    ]);
    expect(room.answer(tablet, 't')).toMatchObject({ type: 'system.ack' });
    expect(room.answer(phone, 'p')).toMatchObject({ payload: { code: 'already_settled' } });
    expect(agent.of(kind.result)).toMatchObject([{ sender: TABLET }]);
  });

  it('tells every device socket that it is settled, but the one that answered (rule 3)', async () => {
    const { room, agent, phone, tablet } = await scene();
    const tab = await room.join(PHONE);
    await room.send(agent, kind.call, kind.asked('c'));
    await room.send(phone, kind.result, kind.answer('c'));
    for (const socket of [tab, tablet]) expect(settled(socket)).toEqual([{ call_id: 'c', status: 'completed', by: PHONE }]);
    for (const socket of [phone, agent]) expect(settled(socket)).toEqual([]);
  });

  it('answered over HTTP tells all of them', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    expect(await room.post(PHONE, kind.result, kind.answer('c'))).toMatchObject({ ok: true, duplicate: false });
    for (const socket of [phone, tablet]) expect(settled(socket)).toHaveLength(1);
  });

  it('answered again by the same device with the same content is a duplicate (rule 3)', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    const first = await room.ask(phone, kind.result, kind.answer('c'), { id: 'r1' });
    for (const id of ['r1', 'r2'])
      expect(await room.ask(phone, kind.result, kind.answer('c'), { id })).toEqual({ ref: id, seq: first.seq, duplicate: true });
    expect(agent.of(kind.result)).toHaveLength(1);
    expect(settled(phone)).toEqual([]);
  });

  it('answered likewise by another device is not', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    await room.send(phone, kind.result, kind.answer('c'));
    expect(await room.ask(tablet, kind.result, kind.answer('c'))).toMatchObject({ code: 'already_settled' });
  });

  it('that nobody asked, or of the other kind, is unknown (rule 4)', async () => {
    const { room, agent, phone } = await scene();
    const other = name === 'tool' ? KINDS.app : KINDS.tool;
    await room.send(agent, kind.call, kind.asked('c'));
    expect(await room.ask(phone, kind.result, kind.answer('nobody'))).toMatchObject({ code: 'unknown_call' });
    expect(await room.ask(phone, other.result, other.answer('c'))).toMatchObject({ code: 'unknown_call' });
    expect(await room.ask(agent, kind.cancel, { call_id: 'nobody' })).toMatchObject({ code: 'unknown_call' });
    expect(await room.ask(agent, other.cancel, { call_id: 'c' })).toMatchObject({ code: 'unknown_call' });
    expect(statusOf(room, 'c')).toBe('pending');
  });

  it('for one device can be answered by that one alone, and nobody else hears of it (rule 4)', async () => {
    const { room, agent, phone, tablet } = await scene();
    const tab = await room.join(PHONE);
    const before = tablet.frames.length;
    await room.send(agent, kind.call, kind.asked('c'), { target: { kind: 'app', id: PHONE.id } });
    expect(await room.ask(tablet, kind.result, kind.answer('c'))).toMatchObject({ code: 'wrong_target' });
    await room.send(phone, kind.result, kind.answer('c'));
    // Who won is nothing for it either.
    expect(await room.ask(tablet, kind.result, kind.answer('c'))).toMatchObject({ code: 'wrong_target' });
    expect(tablet.types(before)).toEqual(['system.error', 'system.error']);
    expect(settled(tab)).toHaveLength(1);
  });

  it('for a device that is not there is a wrong target', async () => {
    const { room, agent } = await scene();
    for (const target of [{ kind: 'app', id: 'dv_nobodyaaaaaaaaaaa' }, { kind: 'agent' }]) {
      expect(await room.ask(agent, kind.call, kind.asked('c'), { target })).toMatchObject({ code: 'wrong_target' });
    }
    expect(statusOf(room, 'c')).toBeUndefined();
  });

  it('expires when its time has passed and nobody was quicker (rule 5)', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, kind.call, kind.asked('c', { expires_at: at(HOUR) }));
    expect(room.alarmAt).toBe(OPENS_AT + HOUR);
    room.pass(HOUR - 1);
    expect(statusOf(room, 'c')).toBe('pending');
    room.pass(1);
    expect(agent.of(kind.result)).toMatchObject([{ sender: { kind: 'relay' }, payload: { call_id: 'c', error: { code: 'expired' } } }]);
    for (const socket of [phone, tablet]) expect(settled(socket)).toEqual([{ call_id: 'c', status: 'expired', by: { kind: 'relay' } }]);
    expect(await room.ask(phone, kind.result, kind.answer('c'))).toMatchObject({ code: 'already_settled' });
    expect(agent.of(kind.result)).toHaveLength(1);
  });

  it('expires after a day when it names no time (rule 5)', async () => {
    const { room, agent } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    room.pass(DAY - 1);
    expect(statusOf(room, 'c')).toBe('pending');
    room.pass(1);
    expect(statusOf(room, 'c')).toBe('expired');
  });

  it.each(['a result', 'a cancel', 'the same call', 'a hello', 'cancel_pending'])(
    'is expired by the clock for %s, before the alarm rang (rule 5)',
    async (what) => {
      const { room, agent, phone } = await scene();
      await room.send(agent, kind.call, kind.asked('c', { expires_at: at(HOUR) }));
      room.now += HOUR;
      let listener = agent;
      if (what === 'a result') expect(await room.ask(phone, kind.result, kind.answer('c'))).toMatchObject({ code: 'already_settled' });
      if (what === 'a cancel') expect(await room.ask(agent, kind.cancel, { call_id: 'c' })).toMatchObject({ code: 'already_settled' });
      if (what === 'the same call')
        expect(await room.ask(agent, kind.call, kind.asked('c', { expires_at: at(HOUR) }))).toMatchObject({ duplicate: true });
      if (what === 'a hello') {
        const tab = await room.join(PHONE);
        expect(tab.of('system.welcome')[0]!.payload.pending_calls).toEqual([]);
        expect(tab.types()).toEqual(['system.welcome', 'system.synced']);
      }
      if (what === 'cancel_pending') listener = await room.join(AGENT, { cancel_pending: true, ...room.resume(1) });
      expect(statusOf(room, 'c')).toBe('expired');
      expect(listener.of(kind.result)[0]).toMatchObject({ sender: { kind: 'relay' }, payload: { error: { code: 'expired' } } });
      expect(settled(phone)[0]).toEqual({ call_id: 'c', status: 'expired', by: { kind: 'relay' } });
    },
  );

  it('whose time was already past is acknowledged, expired at once, and shown to no device (rule 5)', async () => {
    const { room, agent, phone } = await scene();
    const before = phone.frames.length;
    const ack = await room.ask(agent, kind.call, kind.asked('c', { expires_at: at(0) }));
    expect(ack).toMatchObject({ seq: 1, duplicate: false });
    expect(agent.of(kind.result)).toMatchObject([{ seq: 2, payload: { error: { code: 'expired' } } }]);
    expect(phone.frames.length).toBe(before);
    const late = await room.join(TABLET, room.resume(0));
    expect(late.logged()).toEqual([]);
    expect(await room.ask(phone, kind.result, kind.answer('c'))).toMatchObject({ code: 'already_settled' });
    expect(room.ledger.due.count('call')).toBe(0);
  });

  it('may wait for 7 days and not a moment longer (rule 5)', async () => {
    const { room, agent } = await scene();
    expect(await room.ask(agent, kind.call, kind.asked('c', { expires_at: at(7 * DAY + 1) }))).toMatchObject({ code: 'invalid_payload' });
    expect(await room.ask(agent, kind.call, kind.asked('c', { expires_at: at(7 * DAY) }))).toMatchObject({ duplicate: false });
  });

  it('understands the time in any zone', async () => {
    const { room, agent } = await scene();
    await room.send(agent, kind.call, kind.asked('c', { expires_at: '2026-01-01T05:30:00.5+05:00' }));
    expect(room.ledger.calls.get('c')?.expires_at).toBe(OPENS_AT + HOUR / 2 + 500);
  });

  it('waits for a device to come, and is restored to it until it is settled (rule 7)', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    const { seq } = await room.ask(agent, kind.call, kind.asked('c'));
    for (const hello of [{}, room.resume(1), room.resume(0)]) {
      const phone = await room.join(PHONE, hello);
      expect(phone.logged()).toMatchObject([{ type: kind.call, seq }]);
      expect(phone.logged()[0]!.settled).toBeUndefined();
      room.cut(phone);
    }
    const phone = await room.join(PHONE);
    await room.send(phone, kind.result, kind.answer('c'));
    expect((await room.join(TABLET)).logged()).toEqual([]);
    expect((await room.join(TABLET, room.resume(0))).logged()).toMatchObject([
      { type: kind.call, settled: { status: 'completed', by: PHONE, at: at(0) } },
    ]);
  });

  it('is cancelled by its agent, once (rule 8)', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    const ack = await room.ask(agent, kind.cancel, { call_id: 'c' });
    expect(ack).toMatchObject({ duplicate: false });
    expect(agent.of(kind.result)).toMatchObject([{ sender: { kind: 'relay' }, payload: { call_id: 'c', error: { code: 'cancelled' } } }]);
    expect(phone.of(kind.cancel)).toMatchObject([{ seq: ack.seq }]);
    expect(settled(phone)).toEqual([{ call_id: 'c', status: 'cancelled', by: AGENT }]);
    expect(await room.ask(agent, kind.cancel, { call_id: 'c' })).toMatchObject({ duplicate: true });
    expect(await room.ask(phone, kind.result, kind.answer('c'))).toMatchObject({ code: 'already_settled' });
    expect(agent.of(kind.result)).toHaveLength(1);
  });

  it('that is settled otherwise cannot be cancelled (rule 8)', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    await room.send(phone, kind.result, kind.answer('c'));
    expect(await room.ask(agent, kind.cancel, { call_id: 'c' })).toMatchObject({ code: 'already_settled' });
    expect(statusOf(room, 'c')).toBe('completed');
  });

  it('is not cancelled for a target that does not exist', async () => {
    const { room, agent } = await scene();
    await room.send(agent, kind.call, kind.asked('c'));
    const target = { kind: 'app', id: 'dv_nobodyaaaaaaaaaaa' };
    expect(await room.ask(agent, kind.cancel, { call_id: 'c' }, { target })).toMatchObject({ code: 'wrong_target' });
    expect(statusOf(room, 'c')).toBe('pending');
  });

  it('for one device shows its cancel to that one alone', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, kind.call, kind.asked('c'), { target: { kind: 'app', id: PHONE.id } });
    const before = tablet.frames.length;
    await room.send(agent, kind.cancel, { call_id: 'c' });
    expect(phone.of(kind.cancel)).toHaveLength(1);
    expect(tablet.frames.length).toBe(before);
  });

  it('may be among 1 000 that are pending, and no more (§8)', async () => {
    const { room, agent, phone } = await scene({ pending_calls: 2 });
    for (const id of ['a', 'b']) await room.send(agent, kind.call, kind.asked(id));
    expect(await room.ask(agent, kind.call, kind.asked('c'))).toMatchObject({ code: 'too_many' });
    // Asking again for one that waits is no new one.
    expect(await room.ask(agent, kind.call, kind.asked('a'))).toMatchObject({ duplicate: true });
    await room.send(phone, kind.result, kind.answer('a'));
    expect(await room.ask(agent, kind.call, kind.asked('c'))).toMatchObject({ duplicate: false });
  });

  it('is forgotten with the log, and not before', async () => {
    const { room, agent, phone } = await scene({ retain_messages: 4 });
    await room.send(agent, kind.call, kind.asked('c'));
    for (let i = 0; i < 70; i++) await room.send(agent, 'text', { content: 'x' });
    await room.send(phone, kind.result, kind.answer('c'));
    // The call itself is out of the log, its result is not.
    expect(room.ledger.log.frameAt(1)).toBeUndefined();
    expect(await room.ask(agent, kind.call, kind.asked('c'))).toMatchObject({ seq: 1, duplicate: true });
    for (let i = 0; i < 130; i++) await room.send(agent, 'text', { content: 'x' });
    expect(statusOf(room, 'c')).toBeUndefined();
  });
});
