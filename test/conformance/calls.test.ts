/** §6, items 1 to 4: a call is asked once, answered once, and only by those it is for. */
import { describe, expect, it } from 'vitest';
import { KINDS, roomWithCall, type Kind } from './call-kinds.ts';
import { useRelay, type Room } from './people.ts';
import type { Extra } from './wire.ts';

const relay = useRelay();
const asked = (kind: Kind, count?: number, extra?: (room: Room) => Extra) => roomWithCall(relay, kind, count, extra);

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
});
