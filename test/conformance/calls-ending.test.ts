/** §6, items 7 and 8, and §4 `cancel_pending`: calls that wait, and every way that a call ends. */
import { describe, expect, it } from 'vitest';
import { KINDS, roomWithCall, type Kind } from './call-kinds.ts';
import { useRelay } from './people.ts';
import { freshId } from './wire.ts';

const relay = useRelay();
const asked = (kind: Kind, count?: number) => roomWithCall(relay, kind, count);

describe.each(KINDS)('§6 $kind', (kind) => {
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

  it('7: a device that is revoked between the question and its answer settles nothing; the others still may', async () => {
    const { agent, devices, a, d, call_id } = await asked(kind);
    await relay.call('DELETE', `/v1/devices/${devices[0]!.id}`, { as: agent });
    expect(await d[0]!.closed).toBe(4403);
    expect((await relay.post(devices[0]!, kind.result, kind.answers(call_id))).status).toBe(401);
    await a.sync();
    expect(a.of(kind.result)).toEqual([]);
    await d[1]!.ok(kind.result, kind.answers(call_id));
    await a.wait(kind.result);
  });

  it('8: cancelling settles a pending call: one result by the relay, dialogs closed', async () => {
    const { agent, a, d, call_id, ack } = await asked(kind);
    const mark = a.frames.length;
    const cancel = await a.ok(kind.cancel, { call_id });
    const result = await a.wait(kind.result);
    expect(result).toMatchObject({ sender: { kind: 'relay' }, payload: { call_id, ...kind.ended('cancelled') } });
    for (const wire of d) {
      expect((await wire.wait('system.settled')).payload).toEqual({ call_id, status: 'cancelled', by: { kind: 'agent', id: agent.id } });
      await wire.message(cancel.id);
    }
    expect(
      a.frames
        .slice(mark)
        .map(({ type }) => type)
        .filter((type) => type !== 'system.presence'),
    ).toEqual(['system.ack', kind.result]);
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
