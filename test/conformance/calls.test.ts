/** §6, items 1 to 4, 7 and 8: one state machine for tool.* and app.*, played with both. */
import { describe, expect, it } from 'vitest';
import { useRelay, type Room } from './people.ts';
import { freshId, type Extra, type Frame, type Joined } from './wire.ts';

const relay = useRelay();

/** How each kind of call is spoken. */
const KINDS = [
  {
    kind: 'tool',
    call: 'tool.call',
    cancel: 'tool.cancel',
    result: 'tool.result',
    asks: (call_id: string, question = '?') => ({ name: 'choice', action: 'select', call_id, arguments: { question, options: ['a', 'b'] } }),
    answers: (call_id: string, said = 'a') => ({ name: 'choice', action: 'select', call_id, result: { message: said } }),
    rejects: (call_id: string) => ({ name: 'choice', action: 'select', call_id, error: { code: 'rejected', message: 'no' } }),
    cancelled: { error: { code: 'cancelled' } },
  },
  {
    kind: 'app',
    call: 'lineup.v1.app.call',
    cancel: 'lineup.v1.app.cancel',
    result: 'lineup.v1.app.result',
    asks: (call_id: string, question = '?') => ({ call_id, capability: 'clipboard.write', reason: 'why', arguments: { text: question } }),
    answers: (call_id: string, said = 'a') => ({ call_id, status: 'completed', result: { said } }),
    rejects: (call_id: string) => ({ call_id, status: 'rejected', error: { code: 'rejected', message: 'no' } }),
    cancelled: { status: 'cancelled', error: { code: 'cancelled' } },
  },
] as const;
type Kind = (typeof KINDS)[number];

/** Every frame but presence and pongs that came from `from` on. */
const said = (wire: Joined, from: number): Frame[] =>
  wire.frames.slice(from).filter(({ type }) => type !== 'system.presence' && type !== 'system.pong');

/** The room, with a call that the devices have seen. */
async function asked(
  kind: Kind,
  count = 2,
  extra: (room: Room) => Extra = () => ({}),
): Promise<Room & { call_id: string; ack: { id: string; seq: number } }> {
  const room = await relay.room(count);
  const call_id = freshId('c');
  const ack = await room.a.ok(kind.call, kind.asks(call_id), extra(room));
  return { ...room, call_id, ack };
}

describe.each(KINDS)('§6 $kind', (kind) => {
  it('a call reaches the devices, a result the agent; each once', async () => {
    const { devices, a, d, call_id, ack } = await asked(kind);
    for (const wire of d) expect(await wire.message(ack.id)).toMatchObject({ type: kind.call, seq: ack.seq, payload: kind.asks(call_id) });
    const result = await d[0]!.ok(kind.result, kind.answers(call_id));
    const got = await a.message(result.id);
    expect(got).toMatchObject({ type: kind.result, seq: result.seq, sender: { kind: 'app', id: devices[0]!.id }, payload: kind.answers(call_id) });
    await Promise.all([a.sync(), d[1]!.sync()]);
    expect([a.of(kind.result).length, d[1]!.of(kind.result).length]).toEqual([1, 0]);
  });

  it('1: the same call under another id, while pending, is a duplicate and no second prompt', async () => {
    const { a, d, call_id, ack } = await asked(kind);
    for (let i = 0; i < 3; i++) expect(await a.ok(kind.call, kind.asks(call_id))).toMatchObject({ duplicate: true, seq: ack.seq });
    // Key order is no difference.
    expect(await a.ok(kind.call, Object.fromEntries(Object.entries(kind.asks(call_id)).toReversed()))).toMatchObject({ duplicate: true });
    expect(await a.ok(kind.call, kind.asks(call_id), { id: ack.id })).toMatchObject({ duplicate: true, seq: ack.seq });
    for (const wire of d) {
      await wire.sync();
      expect(wire.of(kind.call)).toHaveLength(1);
    }
  });

  it('1: the same call under another id, once settled, brings the stored result again: same id, same seq', async () => {
    const { agent, a, d, call_id, ack } = await asked(kind);
    const result = await d[0]!.ok(kind.result, kind.answers(call_id));
    const first = await a.message(result.id);
    for (const extra of [{}, { id: ack.id }]) {
      const from = a.frames.length;
      expect(await a.ok(kind.call, kind.asks(call_id), extra)).toMatchObject({ duplicate: true });
      expect(await a.message(result.id, from)).toEqual(first);
    }
    // Also to another socket, after the agent lost its memory.
    const later = await relay.join(agent);
    expect(await later.ok(kind.call, kind.asks(call_id))).toMatchObject({ duplicate: true });
    expect(await later.message(result.id)).toEqual(first);
    for (const wire of d) {
      await wire.sync();
      expect(wire.of(kind.call)).toHaveLength(1);
    }
    expect((await relay.history(agent)).map(({ type }) => type)).toEqual([kind.call, kind.result]);
  });

  it('1: the result comes again after a result that the relay made', async () => {
    const { a, d, call_id } = await asked(kind);
    await a.ok(kind.cancel, { call_id });
    const result = await a.wait(kind.result);
    const from = a.frames.length;
    expect(await a.ok(kind.call, kind.asks(call_id))).toMatchObject({ duplicate: true });
    expect(await a.message(result.id, from)).toEqual(result);
    await d[0]!.sync();
    expect(d[0]!.of(kind.call)).toHaveLength(1);
  });

  it('2: the same call_id with other content is call_id_conflict, pending or settled, and changes nothing', async () => {
    const { agent, devices, a, d, call_id, ack } = await asked(kind);
    const conflicts = async () => {
      expect(await a.refused(kind.call, kind.asks(call_id, 'other'))).toBe('call_id_conflict');
      expect(await a.refused(kind.call, kind.asks(call_id), { target: { kind: 'app', id: devices[0]!.id } })).toBe('call_id_conflict');
      expect(await a.refused(kind.call, { ...kind.asks(call_id), extra: 1 })).toBe('call_id_conflict');
      expect(await a.refused(kind.call, kind.asks(call_id, 'other'), { id: ack.id })).toMatch(/^(id|call_id)_conflict$/);
    };
    await conflicts();
    await d[0]!.ok(kind.result, kind.answers(call_id));
    await conflicts();
    await d[1]!.sync();
    expect(d[1]!.of(kind.call)).toHaveLength(1);
    expect(await relay.history(agent)).toHaveLength(2);
  });

  it('2: an id that was used for another message is id_conflict, and no call', async () => {
    const { a, d } = await relay.room(1);
    const { id } = await a.ok('text', { content: 'x' });
    expect(await a.refused(kind.call, kind.asks('c'), { id })).toBe('id_conflict');
    await d[0]!.sync();
    expect(d[0]!.of(kind.call)).toEqual([]);
    expect(await a.ok(kind.call, kind.asks('c'))).toMatchObject({ duplicate: false });
  });

  it('3: the first result wins; the second device hears already_settled and who won; the others’ dialogs close', async () => {
    const { agent, devices, a, d, call_id } = await asked(kind, 3);
    const tab = await relay.join(devices[0]!);
    const by = { kind: 'app', id: devices[0]!.id };
    await d[0]!.ok(kind.result, kind.answers(call_id));
    for (const wire of [tab, d[1]!, d[2]!]) expect((await wire.wait('system.settled')).payload).toEqual({ call_id, status: 'completed', by });
    const from = d[1]!.frames.length;
    expect(await d[1]!.refused(kind.result, kind.answers(call_id, 'b'))).toBe('already_settled');
    expect((await d[1]!.wait('system.settled', '', from)).payload).toEqual({ call_id, status: 'completed', by });
    // Another device with the very same answer is late all the same.
    expect(await d[2]!.refused(kind.result, kind.answers(call_id))).toBe('already_settled');
    await Promise.all([a.sync(), d[0]!.sync()]);
    expect(a.of(kind.result)).toHaveLength(1);
    expect([a.of('system.settled'), d[0]!.of('system.settled')]).toEqual([[], []]);
    expect((await relay.history(agent)).filter(({ type }) => type === kind.result)).toHaveLength(1);
  });

  it('3: both devices at once: one winner, one result, and both know', async () => {
    const { agent, a, d, call_id } = await asked(kind);
    const answers = await Promise.all(d.map((wire, i) => wire.ask(kind.result, kind.answers(call_id, `${i}`))));
    expect(answers.map(({ type }) => type).toSorted()).toEqual(['system.ack', 'system.error']);
    const loser = d[answers.findIndex(({ type }) => type === 'system.error')]!;
    await loser.wait('system.settled');
    await a.sync();
    expect(a.of(kind.result)).toHaveLength(1);
    expect((await relay.history(agent)).filter(({ type }) => type === kind.result)).toHaveLength(1);
  });

  it('3: a device that repeats its own result gets the same ack; with another answer it is late', async () => {
    const { devices, a, d, call_id } = await asked(kind);
    const result = await d[0]!.ok(kind.result, kind.answers(call_id));
    const tab = await relay.join(devices[0]!);
    for (const wire of [d[0]!, tab]) {
      for (const extra of [{ id: result.id }, {}]) {
        expect(await wire.ok(kind.result, kind.answers(call_id), extra)).toMatchObject({ duplicate: true, seq: result.seq });
      }
      expect(await wire.refused(kind.result, kind.answers(call_id, 'b'))).toBe('already_settled');
    }
    expect(await d[0]!.refused(kind.result, kind.answers(call_id, 'b'), { id: result.id })).toBe('id_conflict');
    await a.sync();
    expect(a.of(kind.result)).toHaveLength(1);
  });

  it('3: a result sent over HTTP counts the same, and all of the winner’s sockets hear of it', async () => {
    const { devices, a, d, call_id } = await asked(kind);
    const by = { kind: 'app', id: devices[0]!.id };
    const sent = await relay.post(devices[0]!, kind.result, kind.answers(call_id));
    expect([sent.status, sent.json.duplicate]).toEqual([202, false]);
    await a.message(String(sent.json.id));
    for (const wire of d) expect((await wire.wait('system.settled')).payload).toEqual({ call_id, status: 'completed', by });
    expect(await relay.post(devices[0]!, kind.result, kind.answers(call_id))).toMatchObject({
      status: 202,
      json: { duplicate: true, seq: sent.json.seq },
    });
    const from = d[1]!.frames.length;
    const late = await relay.post(devices[1]!, kind.result, kind.answers(call_id, 'b'));
    expect([late.status, late.code]).toEqual([409, 'already_settled']);
    expect((await d[1]!.wait('system.settled', '', from)).payload).toEqual({ call_id, status: 'completed', by });
  });

  it('3: a call over HTTP is asked, answered and asked again like any other', async () => {
    const { agent, a, d } = await relay.room(1);
    const sent = await relay.post(agent, kind.call, kind.asks('c'));
    await d[0]!.message(String(sent.json.id));
    // It came by HTTP, so the sender's own socket sees it too.
    await a.message(String(sent.json.id));
    const result = await d[0]!.ok(kind.result, kind.answers('c'));
    await a.message(result.id);
    const from = a.frames.length;
    expect(await relay.post(agent, kind.call, kind.asks('c'))).toMatchObject({ status: 202, json: { duplicate: true } });
    expect(await a.message(result.id, from)).toMatchObject({ seq: result.seq });
    const conflict = await relay.post(agent, kind.call, kind.asks('c', 'other'));
    expect([conflict.status, conflict.code]).toEqual([409, 'call_id_conflict']);
  });

  it('4: a result for no call, for another kind of call or for another agent’s is unknown_call, alike', async () => {
    const { d, call_id, agent } = await asked(kind, 1);
    const elsewhere = await asked(kind, 1);
    const other = KINDS.find((each) => each !== kind)!;
    for (const id of ['never-asked', elsewhere.call_id]) expect(await d[0]!.refused(kind.result, kind.answers(id))).toBe('unknown_call');
    expect(await d[0]!.refused(other.result, other.answers(call_id))).toBe('unknown_call');
    expect(await d[0]!.refused(kind.result, kind.answers(call_id.toUpperCase()))).toBe('unknown_call');
    const overHttp = await relay.post(elsewhere.devices[0]!, kind.result, kind.answers(call_id));
    expect([overHttp.status, overHttp.code]).toEqual([404, 'unknown_call']);
    expect(await relay.history(agent)).toHaveLength(1);
  });

  it('4: only the device that a call was targeted at sees it, answers it and hears how it ended', async () => {
    const { devices, a, d, call_id, ack } = await asked(kind, 2, ({ devices: [first] }) => ({ target: { kind: 'app', id: first!.id } }));
    await d[0]!.message(ack.id);
    expect(await d[1]!.refused(kind.result, kind.answers(call_id))).toBe('wrong_target');
    const tab = await relay.join(devices[0]!);
    const result = await d[0]!.ok(kind.result, kind.answers(call_id));
    await tab.wait('system.settled');
    const resume = { epoch: a.welcome.epoch, seq: 0 };
    const [late, other] = [await relay.join(devices[0]!, { resume }), await relay.join(devices[1]!, { resume })];
    expect([late.replay.map(({ id }) => id), other.replay]).toEqual([[ack.id, result.id], []]);
    expect(await d[1]!.refused(kind.result, kind.answers(call_id))).toBe('wrong_target');
    await d[1]!.sync();
    expect(d[1]!.texts.some((text) => text.includes(call_id) && !text.includes('system.error'))).toBe(false);
    expect(other.texts.join()).not.toContain(call_id);
  });

  it('7: with no device there a call waits, and comes with the next hello, once', async () => {
    const agent = await relay.enrol();
    const phone = await relay.pair(agent);
    const a = await relay.join(agent);
    const { id, seq } = await a.ok(kind.call, kind.asks('c'));
    const first = await relay.join(phone);
    expect(first.welcome.pending_calls).toEqual(['c']);
    expect(first.replay.map((frame) => [frame.id, frame.seq])).toEqual([[id, seq]]);
    const second = await relay.join(phone, { resume: { epoch: first.welcome.epoch, seq: 0 } });
    expect(second.replay.map((frame) => [frame.id, frame.seq])).toEqual([[id, seq]]);
    await second.ok(kind.result, kind.answers('c'));
    const third = await relay.join(phone);
    expect([third.welcome.pending_calls, third.replay]).toEqual([[], []]);
  });

  it('7: a device that is paired later is asked too', async () => {
    const { agent, ack, call_id } = await asked(kind, 1);
    const late = await relay.join(await relay.pair(agent));
    expect([late.welcome.pending_calls, late.replay.map(({ id }) => id)]).toEqual([[call_id], [ack.id]]);
    await late.ok(kind.result, kind.answers(call_id));
  });

  it('8: cancelling settles a pending call: one result by the relay, dialogs closed', async () => {
    const { agent, a, d, call_id, ack } = await asked(kind);
    const marks = [a, ...d].map(({ frames }) => frames.length);
    const cancel = await a.ok(kind.cancel, { call_id });
    const result = await a.wait(kind.result);
    expect(result).toMatchObject({ sender: { kind: 'relay' }, payload: { call_id, ...kind.cancelled } });
    for (const wire of d) {
      expect((await wire.wait('system.settled')).payload).toEqual({ call_id, status: 'cancelled', by: { kind: 'agent', id: agent.id } });
      await wire.message(cancel.id);
    }
    expect(said(a, marks[0]!).map(({ type }) => type)).toEqual(['system.ack', kind.result]);
    const log = await relay.history(agent);
    expect(log.map(({ type }) => type)).toEqual([kind.call, kind.cancel, kind.result]);
    expect(log[0]).toMatchObject({ id: ack.id, settled: { status: 'cancelled', by: { kind: 'agent', id: agent.id } } });
    // Again, under this and another id.
    for (const extra of [{ id: cancel.id }, {}]) expect(await a.ok(kind.cancel, { call_id }, extra)).toMatchObject({ duplicate: true });
    expect(await d[0]!.refused(kind.result, kind.answers(call_id))).toBe('already_settled');
    expect(await relay.history(agent)).toHaveLength(3);
  });

  it('8: cancelling what was answered is already_settled; what was never asked, unknown_call', async () => {
    const { a, d, call_id } = await asked(kind, 1);
    await d[0]!.ok(kind.result, kind.answers(call_id));
    expect(await a.refused(kind.cancel, { call_id })).toBe('already_settled');
    expect(await a.refused(kind.cancel, { call_id: 'never' })).toBe('unknown_call');
    const pending = freshId('c');
    await a.ok(kind.call, kind.asks(pending));
    const other = KINDS.find((each) => each !== kind)!;
    expect(await a.refused(other.cancel, { call_id: pending })).toBe('unknown_call');
    expect(await d[0]!.ok(kind.result, kind.answers(pending))).toMatchObject({ duplicate: false });
  });

  it('8: the answer and the cancel at once: exactly one of them counts', async () => {
    for (let i = 0; i < 5; i++) {
      const { agent, a, d, call_id } = await asked(kind, 1);
      const [answer, cancel] = await Promise.all([d[0]!.ask(kind.result, kind.answers(call_id)), a.ask(kind.cancel, { call_id })]);
      expect([answer.type, cancel.type].toSorted()).toEqual(['system.ack', 'system.error']);
      expect((await relay.history(agent)).filter(({ type }) => type === kind.result)).toHaveLength(1);
    }
  });

  it('§2 a settled call says so in replay and history, without the answer', async () => {
    const { agent, devices, a, d, call_id, ack } = await asked(kind);
    await d[0]!.ok(kind.result, kind.rejects(call_id));
    const by = { kind: 'app', id: devices[0]!.id };
    const replayed = await relay.join(devices[1]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    for (const log of [replayed.replay, await relay.history(devices[1]!), await relay.history(agent)]) {
      const call = log.find(({ id }) => id === ack.id)!;
      expect(call.settled).toEqual({ status: 'rejected', by, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
    }
    expect((await relay.history(devices[1]!)).map(({ type }) => type)).toEqual([kind.call]);
    expect(replayed.replay).toHaveLength(1);
    expect([d[0]!, d[1]!].map((wire) => wire.of(kind.call)[0]!.settled)).toEqual([undefined, undefined]);
  });

  it('state, winner and dedupe outlive a killed relay', async () => {
    const { agent, devices, d, call_id } = await asked(kind);
    const open = freshId('c');
    const a = await relay.join(agent);
    await a.ok(kind.call, kind.asks(open));
    const result = await d[0]!.ok(kind.result, kind.answers(call_id));
    await relay.crash();
    const again = await relay.join(agent);
    expect(again.welcome.pending_calls).toEqual([open]);
    expect(await again.ok(kind.call, kind.asks(call_id))).toMatchObject({ duplicate: true });
    expect(await again.message(result.id)).toMatchObject({ seq: result.seq });
    const second = await relay.join(devices[1]!);
    expect(second.welcome.pending_calls).toEqual([open]);
    expect(await second.refused(kind.result, kind.answers(call_id, 'b'))).toBe('already_settled');
    await second.ok(kind.result, kind.answers(open));
  });
});

describe('§6 how a result settles', () => {
  it.each([
    ['rejected', 'rejected'],
    ['cancelled', 'cancelled'],
    ['expired', 'expired'],
    ['unknown_tool', 'unsupported'],
    ['unknown_action', 'unsupported'],
    ['invalid_arguments', 'failed'],
    ['execution_error', 'failed'],
    ['something_else', 'failed'],
  ])('tool.result with error %s is %s', async (code, status) => {
    const { devices, a, d } = await relay.room(2);
    await a.ok('tool.call', { name: 'choice', action: 'select', call_id: 'c', arguments: {} });
    await d[0]!.ok('tool.result', { name: 'choice', action: 'select', call_id: 'c', error: { code, message: 'x' } });
    expect((await d[1]!.wait('system.settled')).payload).toEqual({ call_id: 'c', status, by: { kind: 'app', id: devices[0]!.id } });
  });

  it.each(['completed', 'rejected', 'cancelled', 'expired', 'unsupported', 'failed'])('app.result with status %s is that', async (status) => {
    const { a, d } = await relay.room(2);
    await a.ok('app.call', { call_id: 'c', capability: 'clipboard.write', reason: 'x', arguments: {} });
    await d[0]!.ok('app.result', { call_id: 'c', status });
    expect((await d[1]!.wait('system.settled')).payload).toMatchObject({ call_id: 'c', status });
  });

  it('call_id is one name for both kinds', async () => {
    const { a } = await relay.room(1);
    await a.ok('tool.call', { name: 'choice', action: 'select', call_id: 'c', arguments: {} });
    expect(await a.refused('app.call', { call_id: 'c', capability: 'clipboard.write', reason: 'x', arguments: {} })).toBe('call_id_conflict');
  });

  it('one call_id in two conversations is two calls', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    const second = await relay.conversation(agent);
    const [a2, d2] = [await relay.join(agent, {}, second), await relay.join(devices[0]!, {}, second)];
    for (const wire of [a, a2]) await wire.ok('tool.call', { name: 'choice', action: 'select', call_id: 'c', arguments: {} });
    await d[0]!.ok('tool.result', { name: 'choice', action: 'select', call_id: 'c', result: { message: 'x' } });
    await Promise.all([a.wait('tool.result'), a2.sync(), d2.sync()]);
    expect([a2.of('tool.result'), d2.of('system.settled')]).toEqual([[], []]);
    await d2.ok('tool.result', { name: 'choice', action: 'select', call_id: 'c', result: { message: 'y' } });
    await a2.wait('tool.result');
  });

  it('action may be left out of a call and its result', async () => {
    const { a, d } = await relay.room(1);
    await a.ok('tool.call', { name: 'choice', call_id: 'c', arguments: {} });
    const result = await d[0]!.ok('tool.result', { name: 'choice', call_id: 'c', result: { message: 'x' } });
    await a.message(result.id);
  });
});

describe('§4 cancel_pending', () => {
  it('settles all of the agent’s unsettled calls as cancelled, and nothing else', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    const calls: string[] = [];
    for (const kind of KINDS) {
      for (const extra of [{}, { target: { kind: 'app' as const, id: devices[0]!.id } }]) {
        const call_id = freshId('c');
        calls.push(call_id);
        await a.ok(kind.call, kind.asks(call_id), extra);
      }
    }
    await a.ok('tool.call', KINDS[0].asks('done'));
    await d[0]!.ok('tool.result', KINDS[0].answers('done'));
    const again = await relay.join(agent, { cancel_pending: true, resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect(again.welcome.pending_calls).toEqual([]);
    const results = again.replay.filter(({ type, sender }) => type.endsWith('.result') && sender.kind === 'relay');
    expect(results.map(({ payload }) => payload.call_id)).toEqual(calls);
    for (const result of results) expect(result.payload.error).toMatchObject({ code: 'cancelled' });
    for (const [index, wire] of d.entries()) {
      await wire.sync();
      const told = wire.of('system.settled').filter(({ payload }) => payload.status === 'cancelled');
      expect(told.map(({ payload }) => payload.call_id)).toEqual(index === 0 ? calls : [calls[0], calls[2]]);
      expect(told.every(({ payload }) => JSON.stringify(payload.by) === JSON.stringify({ kind: 'agent', id: agent.id }))).toBe(true);
    }
    expect(await d[0]!.refused('tool.result', KINDS[0].answers(calls[0]!))).toBe('already_settled');
    const entries = await relay.audit(agent);
    expect(entries.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'cancelled', 'cancelled', 'cancelled']);
  });

  it('is an agent’s: a device cannot', async () => {
    const { devices, a } = await relay.room(1);
    await a.ok('tool.call', KINDS[0].asks('c'));
    const wire = await relay.join(devices[0]!, { cancel_pending: true });
    expect(wire.welcome.pending_calls).toEqual(['c']);
    await a.sync();
    expect(a.of('tool.result')).toEqual([]);
  });
});
