/** §5, lineup.v1.ui.*: open, patch, close, the user's events, and what is left for who comes later. */
import { describe, expect, it } from 'vitest';
import { useRelay, type Room } from './people.ts';
import type { Extra, Joined } from './wire.ts';

const relay = useRelay();

const APP = { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' };
const open = (a: Joined, instance_id: string, more: object = {}, extra: Extra = {}) =>
  a.ok('lineup.v1.ui.open', { instance_id, app: APP, state: { n: 0 }, ...more }, extra);
const patch = (a: Joined, instance_id: string, n: number) => a.ok('lineup.v1.ui.patch', { instance_id, state: { n } });
const close = (a: Joined, instance_id: string) => a.ok('lineup.v1.ui.close', { instance_id, reason: 'completed' });
const types = (frames: readonly { type: string }[]): string[] => frames.map(({ type }) => type.replace('lineup.v1.', ''));

/** What a fresh device is shown. */
async function shown(room: Room, device = 0): Promise<{ surfaces: string[]; replay: [string, unknown, unknown][] }> {
  const wire = await relay.join(room.devices[device]!);
  const replay = wire.replay.map(({ type, payload }): [string, unknown, unknown] => [
    type.replace('lineup.v1.', ''),
    payload.instance_id,
    payload.state,
  ]);
  return { surfaces: wire.welcome.surfaces, replay };
}

describe('§5 ui.open, patch and close', () => {
  it('reach the devices in order and are acknowledged', async () => {
    const { a, d } = await relay.room(2);
    const sent = [await open(a, 'i'), await patch(a, 'i', 1), await close(a, 'i')];
    for (const wire of d) {
      for (const { id, seq } of sent) expect(await wire.message(id)).toMatchObject({ seq });
      expect(types(wire.messages())).toEqual(['ui.open', 'ui.patch', 'ui.close']);
    }
    expect((await d[0]!.message(sent[0]!.id)).payload).toEqual({ instance_id: 'i', app: APP, state: { n: 0 } });
    expect((await d[0]!.message(sent[2]!.id)).payload).toEqual({ instance_id: 'i', reason: 'completed' });
  });

  it('only the newest patch of an instance stays in the log; the others are gone from replay and history, without a gap', async () => {
    const room = await relay.room(1);
    const { agent, a, devices } = room;
    await open(a, 'i');
    await open(a, 'other');
    for (let n = 1; n <= 5; n++) await patch(a, 'i', n);
    await patch(a, 'other', 9);
    const replayed = await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    for (const log of [replayed.replay, await relay.history(agent)]) {
      expect(log.map(({ type, payload }) => [type.slice(10), payload.instance_id, payload.state])).toEqual([
        ['ui.open', 'i', { n: 0 }],
        ['ui.open', 'other', { n: 0 }],
        ['ui.patch', 'i', { n: 5 }],
        ['ui.patch', 'other', { n: 9 }],
      ]);
    }
    expect(replayed.welcome).toMatchObject({ resumed: true, gap: false });
    expect(await shown(room)).toEqual({
      surfaces: ['i', 'other'],
      replay: [
        ['ui.open', 'i', { n: 0 }],
        ['ui.open', 'other', { n: 0 }],
        ['ui.patch', 'i', { n: 5 }],
        ['ui.patch', 'other', { n: 9 }],
      ],
    });
  });

  it('a compacted patch sent again is still known: a duplicate, or a conflict', async () => {
    const { a, d } = await relay.room(1);
    await open(a, 'i');
    const first = await patch(a, 'i', 1);
    await patch(a, 'i', 2);
    expect(await a.ok('lineup.v1.ui.patch', { instance_id: 'i', state: { n: 1 } }, { id: first.id })).toMatchObject({
      duplicate: true,
      seq: first.seq,
    });
    expect(await a.refused('lineup.v1.ui.patch', { instance_id: 'i', state: { n: 3 } }, { id: first.id })).toBe('id_conflict');
    await d[0]!.sync();
    expect(d[0]!.of('lineup.v1.ui.patch')).toHaveLength(2);
  });

  it('the same instance_id replaces: new app, new state, old patches gone', async () => {
    const room = await relay.room(1);
    const { a } = room;
    await open(a, 'i');
    await patch(a, 'i', 1);
    await open(a, 'i', { app: { ...APP, version: '2.0.0' }, state: { n: 10 } });
    expect(await shown(room)).toEqual({ surfaces: ['i'], replay: [['ui.open', 'i', { n: 10 }]] });
    await patch(a, 'i', 11);
    expect((await shown(room)).replay).toEqual([
      ['ui.open', 'i', { n: 10 }],
      ['ui.patch', 'i', { n: 11 }],
    ]);
  });

  it('a closed instance is gone for who comes later, and may be opened again', async () => {
    const room = await relay.room(1);
    const { a } = room;
    await open(a, 'i');
    await patch(a, 'i', 1);
    await close(a, 'i');
    expect(await shown(room)).toEqual({ surfaces: [], replay: [] });
    const again = await relay.join(room.agent);
    expect(again.welcome.surfaces).toEqual([]);
    await open(again, 'i', { state: { n: 5 } });
    expect(await shown(room)).toEqual({ surfaces: ['i'], replay: [['ui.open', 'i', { n: 5 }]] });
  });

  it('patch, close and event of an instance that was never opened, or is closed, are unknown_instance', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    await open(a, 'closed');
    await close(a, 'closed');
    for (const instance_id of ['never', 'closed', 'CLOSED']) {
      expect(await a.refused('ui.patch', { instance_id, state: {} })).toBe('unknown_instance');
      expect(await a.refused('ui.close', { instance_id })).toBe('unknown_instance');
      expect(await d[0]!.refused('ui.event', { instance_id, event: 'go', data: {} })).toBe('unknown_instance');
      expect(await d[0]!.refused('ui.event', { instance_id, event: 'close', data: {} })).toBe('unknown_instance');
    }
    const overHttp = await relay.post(devices[0]!, 'ui.event', { instance_id: 'never', event: 'go', data: {} });
    expect([overHttp.status, overHttp.code]).toEqual([404, 'unknown_instance']);
    expect(await relay.history(agent)).toHaveLength(2);
  });

  it.each(['html', 'css', 'js', 'app'])('a patch with %s is invalid_payload, sealed or not', async (field) => {
    const room = await relay.room(1);
    const { a } = room;
    await open(a, 'i');
    const value = field === 'app' ? APP : 'x';
    expect(await a.refused('ui.patch', { instance_id: 'i', state: {}, [field]: value })).toBe('invalid_payload');
    expect(await a.refused('ui.patch', { instance_id: 'i', sealed: 'x', [field]: value })).toBe('invalid_payload');
    expect((await shown(room)).replay).toEqual([['ui.open', 'i', { n: 0 }]]);
  });

  it('what is open survives a reload and a killed relay', async () => {
    const room = await relay.room(2);
    const { a, devices } = room;
    await open(a, 'i', {}, { target: { kind: 'app', id: devices[0]!.id } });
    await patch(a, 'i', 3);
    await relay.crash();
    expect(await shown(room)).toEqual({
      surfaces: ['i'],
      replay: [
        ['ui.open', 'i', { n: 0 }],
        ['ui.patch', 'i', { n: 3 }],
      ],
    });
    expect(await shown(room, 1)).toEqual({ surfaces: [], replay: [] });
  });

  it('patches and closes go where the open went', async () => {
    const { a, d, devices } = await relay.room(2);
    await open(a, 'i', {}, { target: { kind: 'app', id: devices[0]!.id } });
    await patch(a, 'i', 1);
    await close(a, 'i');
    await Promise.all([d[0]!.wait('lineup.v1.ui.close'), d[1]!.sync()]);
    expect(d[1]!.messages()).toEqual([]);
    const late = await relay.join(devices[1]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect(late.replay).toEqual([]);
  });

  it('a surface of one device is unknown to another', async () => {
    const { a, d, devices } = await relay.room(2);
    await open(a, 'i', {}, { target: { kind: 'app', id: devices[0]!.id } });
    for (const event of ['go', 'close']) {
      expect(await d[1]!.refused('ui.event', { instance_id: 'i', event, data: {} })).toBe('unknown_instance');
    }
    await d[0]!.ok('ui.event', { instance_id: 'i', event: 'go', data: {} });
  });
});

describe('§5 ui.event', () => {
  it('goes to the agent alone', async () => {
    const { devices, a, d } = await relay.room(2);
    await open(a, 'i');
    const { id, seq } = await d[0]!.ok('lineup.v1.ui.event', { instance_id: 'i', event: 'refresh', data: { unit: 'c' } });
    expect(await a.message(id)).toMatchObject({
      seq,
      sender: { id: devices[0]!.id },
      payload: { instance_id: 'i', event: 'refresh', data: { unit: 'c' } },
    });
    const tab = await relay.join(devices[0]!);
    await Promise.all([d[1]!.sync(), tab.sync()]);
    expect([d[1]!.count(id), tab.count(id)]).toEqual([0, 0]);
  });

  it('close by the user closes it for everyone: the agent has the event, every other device socket a ui.close by the relay', async () => {
    const room = await relay.room(2);
    const { agent, devices, a, d } = room;
    const tab = await relay.join(devices[0]!);
    await open(a, 'i');
    await patch(a, 'i', 1);
    await Promise.all([...d, tab].map((wire) => wire.wait('lineup.v1.ui.patch')));
    const event = await d[0]!.ok('lineup.v1.ui.event', { instance_id: 'i', event: 'close', data: {} });
    await a.message(event.id);
    const closes = await Promise.all([d[1]!, tab].map((wire) => wire.wait('lineup.v1.ui.close')));
    for (const frame of closes) {
      expect(frame).toEqual(closes[0]);
      expect(frame).toMatchObject({ sender: { kind: 'relay' }, payload: { instance_id: 'i', reason: 'user' } });
      expect(frame.seq).toBeGreaterThan(event.seq);
    }
    await Promise.all([a.sync(), d[0]!.sync()]);
    expect([a.of('lineup.v1.ui.close'), d[0]!.of('lineup.v1.ui.close')]).toEqual([[], []]);
    expect(await a.refused('ui.patch', { instance_id: 'i', state: {} })).toBe('unknown_instance');
    expect(await d[1]!.refused('ui.event', { instance_id: 'i', event: 'close', data: {} })).toBe('unknown_instance');
    expect((await shown(room)).surfaces).toEqual([]);
    // Who was away hears of it; the agent knows by the event.
    const resume = { epoch: a.welcome.epoch, seq: event.seq - 1 };
    const [late, back] = [await relay.join(devices[1]!, { resume }), await relay.join(agent, { resume })];
    expect([types(late.replay), types(back.replay)]).toEqual([['ui.close'], ['ui.event']]);
    // The event sent again is a duplicate, and closes nothing twice.
    expect(await d[0]!.ok('lineup.v1.ui.event', { instance_id: 'i', event: 'close', data: {} }, { id: event.id })).toMatchObject({ duplicate: true });
  });

  it('close over HTTP reaches all the sockets of that device', async () => {
    const { devices, a, d } = await relay.room(1);
    await open(a, 'i');
    await relay.post(devices[0]!, 'ui.event', { instance_id: 'i', event: 'close', data: {} });
    await d[0]!.wait('lineup.v1.ui.close');
    expect((await a.wait('lineup.v1.ui.event')).payload.event).toBe('close');
  });

  it.each(['a', 'Z9', 'a.b:c-d_e', `a${'b'.repeat(63)}`])('takes the event name %s', async (event) => {
    const { a, d } = await relay.room(1);
    await open(a, 'i');
    await d[0]!.ok('ui.event', { instance_id: 'i', event, data: {} });
  });

  it.each(['', '1a', '_a', '.a', 'a b', 'ä', `a${'b'.repeat(64)}`, 'a\n', 5, null])('refuses the event name %j', async (event) => {
    const { a, d } = await relay.room(1);
    await open(a, 'i');
    expect(await d[0]!.refused('ui.event', { instance_id: 'i', event, data: {} })).toBe('invalid_payload');
  });

  it.each([undefined, null, 'x', 5, [], true])('refuses data that is no object: %j', async (data) => {
    const { a, d } = await relay.room(1);
    await open(a, 'i');
    expect(await d[0]!.refused('ui.event', { instance_id: 'i', event: 'go', data })).toBe('invalid_payload');
  });

  it('takes data below 16 KiB and no more, in UTF-8 bytes', async () => {
    const { agent, a, d } = await relay.room(1);
    await open(a, 'i');
    // {"s":"…"} is 8 bytes around the text.
    const event = (s: string) => ({ instance_id: 'i', event: 'go', data: { s } });
    const { id } = await d[0]!.ok('ui.event', event('x'.repeat(16_383 - 8)));
    expect((await a.message(id)).payload.data).toEqual({ s: 'x'.repeat(16_375) });
    expect(await d[0]!.refused('ui.event', event('x'.repeat(16_384 - 8)))).toBe('event_too_large');
    await d[0]!.ok('ui.event', event('ü'.repeat(8_187)));
    expect(await d[0]!.refused('ui.event', event('ü'.repeat(8_188)))).toBe('event_too_large');
    expect(await relay.history(agent)).toHaveLength(3);
  });
});
