/** §2, targets and sealed payloads: of every type, live, replayed, in history and by HTTP. */
import { describe, expect, it } from 'vitest';
import { useRelay, type Room } from './people.ts';
import { freshId, type Joined } from './wire.ts';

const relay = useRelay();

const SEALED = 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..aXY.Y2lwaGVydGV4dA.dGFn';
const CAPABILITY = { name: 'clipboard.write', version: '1.0', risk: 'user_confirmation' };

/** A message of every type, what has to be there before it, and what of it is routing (§5 ●). */
interface Sample {
  type: string;
  from: 'agent' | 'app';
  stored: boolean;
  payload: (is: { call: string; instance: string; text: string; file: string }) => object;
  routing: readonly string[];
  /** Reaches the user's other devices too, when a device sends it without a target. */
  toOthers?: true;
}

const SAMPLES: readonly Sample[] = [
  { type: 'text', from: 'agent', stored: true, payload: () => ({ content: 'x' }), routing: [] },
  {
    type: 'text.delta',
    from: 'agent',
    stored: false,
    payload: () => ({ message_id: 'm', offset: 0, delta: 'x' }),
    routing: ['message_id', 'offset'],
  },
  { type: 'text.edit', from: 'agent', stored: true, payload: ({ text }) => ({ message_id: text, content: 'x' }), routing: ['message_id'] },
  { type: 'image', from: 'agent', stored: true, payload: () => ({ url: 'https://x.example/a.png' }), routing: [] },
  {
    type: 'file',
    from: 'agent',
    stored: true,
    payload: ({ file }) => ({ file_id: file, name: 'a', mime_type: 'text/plain', size: 1 }),
    routing: ['file_id'],
  },
  { type: 'status', from: 'agent', stored: false, payload: () => ({ state: 'working' }), routing: [] },
  { type: 'progress', from: 'agent', stored: false, payload: () => ({ run_id: 'r' }), routing: [] },
  { type: 'error', from: 'agent', stored: true, payload: () => ({ code: 'x', message: 'x' }), routing: [] },
  { type: 'agent.event', from: 'agent', stored: false, payload: () => ({ event: 'agent:runStarted', data: {} }), routing: ['event'] },
  { type: 'tool.list', from: 'agent', stored: false, payload: () => ({}), routing: [] },
  {
    type: 'tool.call',
    from: 'agent',
    stored: true,
    payload: () => ({ name: 'choice', action: 'select', call_id: freshId('c'), arguments: {} }),
    routing: ['name', 'action', 'call_id'],
  },
  {
    type: 'lineup.v1.app.call',
    from: 'agent',
    stored: true,
    payload: () => ({ call_id: freshId('c'), capability: 'clipboard.write', reason: 'x', arguments: {} }),
    routing: ['call_id', 'capability'],
  },
  {
    type: 'lineup.v1.ui.open',
    from: 'agent',
    stored: true,
    payload: () => ({ instance_id: freshId('i'), app: { id: 'com.x.y', name: 'x', version: '1.0.0', html: '<p>' }, state: {} }),
    routing: ['instance_id', 'app'],
  },
  {
    type: 'lineup.v1.ui.patch',
    from: 'agent',
    stored: true,
    payload: ({ instance }) => ({ instance_id: instance, state: {} }),
    routing: ['instance_id'],
  },
  { type: 'tool.cancel', from: 'agent', stored: true, payload: ({ call }) => ({ call_id: call }), routing: ['call_id'] },
  { type: 'lineup.v1.ui.close', from: 'agent', stored: true, payload: ({ instance }) => ({ instance_id: instance }), routing: ['instance_id'] },
  { type: 'text', from: 'app', stored: true, payload: () => ({ content: 'x' }), routing: [], toOthers: true },
  { type: 'image', from: 'app', stored: true, payload: () => ({ url: 'https://x.example/a.png' }), routing: [], toOthers: true },
  {
    type: 'file',
    from: 'app',
    stored: true,
    payload: ({ file }) => ({ file_id: file, name: 'a', mime_type: 'text/plain', size: 1 }),
    routing: ['file_id'],
    toOthers: true,
  },
  { type: 'run.cancel', from: 'app', stored: true, payload: () => ({}), routing: [] },
  { type: 'tool.list', from: 'app', stored: false, payload: () => ({ tools: [] }), routing: [] },
  { type: 'tool.progress', from: 'app', stored: false, payload: ({ call }) => ({ call_id: call, percent: 1 }), routing: ['call_id'] },
  {
    type: 'tool.result',
    from: 'app',
    stored: true,
    payload: ({ call }) => ({ name: 'choice', action: 'select', call_id: call, result: { message: 'x' } }),
    routing: ['call_id'],
  },
  {
    type: 'lineup.v1.ui.event',
    from: 'app',
    stored: true,
    payload: ({ instance }) => ({ instance_id: instance, event: 'go', data: {} }),
    routing: ['instance_id', 'event'],
  },
  {
    type: 'lineup.v1.client.inventory',
    from: 'app',
    stored: false,
    payload: () => ({ revision: freshId('r'), standard_components: [], applications: [], capabilities: [CAPABILITY] }),
    routing: ['revision', 'standard_components', 'applications', 'capabilities'],
  },
  { type: 'lineup.v1.app.list', from: 'app', stored: false, payload: () => ({ capabilities: [CAPABILITY] }), routing: [] },
];

/** A room where everything that a sample may refer to is there for the first device, whom alone it is for if `aimed`. */
async function prepared(aimed: boolean): Promise<Room & { is: Parameters<Sample['payload']>[0] }> {
  const room = await relay.room(2);
  const { a, agent, devices } = room;
  const extra = aimed ? { target: { kind: 'app' as const, id: devices[0]!.id } } : {};
  const call = freshId('c');
  await a.ok('tool.call', { name: 'choice', action: 'select', call_id: call, arguments: {} }, extra);
  const instance = freshId('i');
  await a.ok('ui.open', { instance_id: instance, app: { id: 'com.x.y', name: 'x', version: '1.0.0', html: '' }, state: {} }, extra);
  const { id: text } = await a.ok('text', { content: 'original' }, extra);
  const file = await relay.upload(agent, 'x');
  await Promise.all(room.d.map((wire) => wire.sync()));
  return { ...room, is: { call, instance, text, file } };
}

/** Sends a sample, over the socket or HTTP, and waits until it is through. @returns its id */
async function send(room: Room, sample: Sample, payload: object, { by, target }: { by: 'socket' | 'http'; target?: object }): Promise<string> {
  const [person, wire] = sample.from === 'agent' ? [room.agent, room.a] : [room.devices[0]!, room.d[0]!];
  const id = freshId();
  const extra = { id, ...(target && { target: target as never }) };
  if (by === 'http') expect(await relay.post(person, sample.type, payload, extra)).toMatchObject({ status: 202, json: { id } });
  else wire.send(sample.type, payload, extra);
  await wire.sync();
  expect(wire.of('system.error')).toEqual([]);
  await Promise.all([room.a, ...room.d].map((each) => each.sync()));
  return id;
}

const seenBy = (id: string, ...wires: Joined[]): boolean[] => wires.map((wire) => wire.count(id) === 1);

describe.concurrent.each(SAMPLES.filter(({ from }) => from === 'agent'))('§2 $type of the agent', (sample) => {
  it.each(['socket', 'http'] as const)('for one device reaches that one alone: live, replayed, in history and in a new hello (by %s)', async (by) => {
    const room = await prepared(true);
    const { agent, devices, a, d } = room;
    const tab = await relay.join(devices[0]!);
    const id = await send(room, sample, { ...sample.payload(room.is), note: 'SECRET' }, { by, target: { kind: 'app', id: devices[0]!.id } });
    await tab.sync();
    expect(seenBy(id, d[0]!, tab, d[1]!)).toEqual([true, true, false]);
    expect(seenBy(id, a)).toEqual([by === 'http']);
    expect((await d[0]!.message(id)).target).toEqual({ kind: 'app', id: devices[0]!.id });
    for (const resume of [{ epoch: a.welcome.epoch, seq: 0 }, { epoch: 'other', seq: 0 }, undefined]) {
      const hello = resume ? { resume } : {};
      const [first, second] = [await relay.join(devices[0]!, hello), await relay.join(devices[1]!, hello)];
      expect(second.texts.join()).not.toContain('SECRET');
      if (sample.stored && resume) expect(first.replay.map((frame) => frame.id)).toContain(id);
    }
    expect((await relay.history(devices[1]!)).map((frame) => frame.id)).not.toContain(id);
    for (const who of [agent, devices[0]!]) expect((await relay.history(who)).some((frame) => frame.id === id)).toBe(sample.stored);
  });

  it('without a target, or for {kind:"app"}, reaches all', async () => {
    for (const target of [undefined, { kind: 'app' }]) {
      const room = await prepared(false);
      const id = await send(room, sample, sample.payload(room.is), { by: 'socket', ...(target && { target }) });
      expect(seenBy(id, room.a, ...room.d)).toEqual([false, true, true]);
    }
  });

  it('for nobody here is wrong_target, stored nowhere', async () => {
    const room = await prepared(false);
    const before = await relay.history(room.agent);
    const stranger = await relay.pair(await relay.enrol());
    for (const target of [
      { kind: 'app', id: stranger.id },
      { kind: 'app', id: `dv_${'a'.repeat(24)}` },
      { kind: 'agent' },
      { kind: 'agent', id: room.agent.id },
      { kind: 'relay' },
      {},
    ]) {
      const answer = await room.a.ask(sample.type, sample.payload(room.is), { target: target as never });
      expect(answer, JSON.stringify(target)).toMatchObject({ type: 'system.error', code: 'wrong_target' });
    }
    expect(await relay.history(room.agent)).toEqual(before);
    await room.d[0]!.sync();
    expect(room.d[0]!.count('x')).toBe(0);
  });
});

describe.concurrent.each(SAMPLES.filter(({ from }) => from === 'app'))('§2 $type of a device', (sample) => {
  it.each(['socket', 'http'] as const)('reaches the agent, and the user’s other devices when it is for them (by %s)', async (by) => {
    const room = await prepared(false);
    const tab = await relay.join(room.devices[0]!);
    const id = await send(room, sample, sample.payload(room.is), { by });
    await tab.sync();
    const own = sample.type !== 'tool.list' || by === 'http';
    expect(seenBy(id, room.a, room.d[1]!)).toEqual([true, sample.toOthers ?? false]);
    expect(seenBy(id, room.d[0]!)).toEqual([by === 'http']);
    if (own) expect(seenBy(id, tab), 'the sender’s other socket').toEqual([true]);
    expect((await relay.history(room.devices[0]!)).some((frame) => frame.id === id)).toBe(sample.stored);
    expect((await relay.history(room.devices[1]!)).some((frame) => frame.id === id)).toBe(sample.toOthers ?? false);
  });

  it('for the agent reaches the agent alone', async () => {
    for (const id of [undefined, 'own']) {
      const room = await prepared(false);
      const target = id === undefined ? { kind: 'agent' } : { kind: 'agent', id: room.agent.id };
      const sent = await send(room, sample, sample.payload(room.is), { by: 'socket', target });
      expect(seenBy(sent, room.a, room.d[1]!)).toEqual([true, false]);
    }
  });

  it('for a device or a stranger is wrong_target, stored nowhere', async () => {
    const room = await prepared(false);
    const before = await relay.history(room.agent);
    const stranger = await relay.enrol();
    for (const target of [
      { kind: 'app', id: room.devices[1]!.id },
      { kind: 'app', id: room.devices[0]!.id },
      { kind: 'app' },
      { kind: 'agent', id: stranger.id },
      { kind: 'agent', id: `ag_${'a'.repeat(24)}` },
    ]) {
      const answer = await room.d[0]!.ask(sample.type, sample.payload(room.is), { target: target as never });
      expect(answer, JSON.stringify(target)).toMatchObject({ type: 'system.error', code: 'wrong_target' });
    }
    expect(await relay.history(room.agent)).toEqual(before);
  });
});

describe.concurrent.each(SAMPLES)('§2 sealed $type of $from', ({ routing, ...sample }) => {
  it('needs its routing fields alone, and is forwarded untouched', async () => {
    const room = await prepared(false);
    const whole = sample.payload(room.is) as Record<string, unknown>;
    const payload = { ...Object.fromEntries(routing.map((name) => [name, name === 'app' ? { id: 'com.x.y' } : whole[name]])), sealed: SEALED };
    const id = await send(room, { ...sample, routing }, payload, { by: 'socket' });
    const receiver = sample.from === 'agent' ? room.d[0]! : room.a;
    expect((await receiver.message(id)).payload).toEqual(payload);
  });

  it.each(routing.filter((name) => name !== 'action'))('without its %s is invalid_payload', async (missing) => {
    const room = await prepared(false);
    const whole = sample.payload(room.is) as Record<string, unknown>;
    const wire = sample.from === 'agent' ? room.a : room.d[0]!;
    const without = Object.fromEntries(routing.filter((name) => name !== missing).map((name) => [name, whole[name]]));
    expect(await wire.refused(sample.type, { ...without, sealed: SEALED })).toBe('invalid_payload');
    expect(await wire.refused(sample.type, { ...whole, [missing]: {}, sealed: SEALED })).toBe('invalid_payload');
  });

  it('with something else than a text in sealed is invalid_payload', async () => {
    const room = await prepared(false);
    const wire = sample.from === 'agent' ? room.a : room.d[0]!;
    for (const sealed of [5, {}, null, '', []])
      expect(await wire.refused(sample.type, { ...sample.payload(room.is), sealed })).toBe('invalid_payload');
  });
});

describe.concurrent('§2 sealed', () => {
  it('calls settle, expire, cancel and are told apart by their routing fields', async () => {
    const { agent, a, d } = await relay.room(1);
    await a.ok('tool.call', { name: 'choice', call_id: 'c', sealed: SEALED });
    expect(await a.ok('tool.call', { name: 'choice', call_id: 'c', sealed: SEALED })).toMatchObject({ duplicate: true });
    expect(await a.refused('tool.call', { name: 'choice', call_id: 'c', sealed: `${SEALED}x` })).toBe('call_id_conflict');
    await d[0]!.ok('tool.result', { call_id: 'c', sealed: SEALED });
    await a.wait('tool.result');
    await a.ok('app.call', { call_id: 'd', capability: 'x.y', sealed: SEALED, expires_at: new Date(Date.now() + 200).toISOString() });
    expect((await a.wait('lineup.v1.app.result')).payload).toMatchObject({ call_id: 'd', status: 'expired' });
    expect((await relay.audit(agent)).map(({ call_id, status, reason }) => [call_id, status, reason])).toEqual([
      ['d', 'expired', undefined],
      ['c', 'completed', undefined],
    ]);
  });

  it('app.list says nothing that the relay could hold against a call', async () => {
    const { a, d } = await relay.room(1);
    await d[0]!.ok('app.list', { sealed: SEALED });
    const { id } = await a.ok('app.call', { call_id: 'c', capability: 'x.y', sealed: SEALED });
    await d[0]!.message(id);
  });

  it('surfaces open, change and close', async () => {
    const { agent, a, d } = await relay.room(1);
    await a.ok('ui.open', { instance_id: 'i', app: { id: 'com.x.y' }, sealed: SEALED });
    await a.ok('ui.patch', { instance_id: 'i', sealed: SEALED });
    await d[0]!.ok('ui.event', { instance_id: 'i', event: 'close', sealed: SEALED });
    expect((await relay.join(agent)).welcome.surfaces).toEqual([]);
  });
});
