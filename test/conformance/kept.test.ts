/** §5: what is kept (status, tool lists), what is ephemeral, and what becomes of each for who is there, away or late. */
import { describe, expect, it } from 'vitest';
import { useRelay } from './people.ts';
import type { Joined } from './wire.ts';

const relay = useRelay();

const TOOLS = [{ name: 'choice', type: 'action', description: 'x', inputSchema: { type: 'object' } }];
const answer = (wire: Joined, reply_to?: string, tools: object[] = TOOLS) =>
  wire.ok('tool.list', { tools, ...(reply_to !== undefined && { reply_to }) });

describe('§5 tool.list', () => {
  it('is asked of the devices that are there, and answered to the agent alone', async () => {
    const { devices, a, d } = await relay.room(2);
    const ask = await a.ok('tool.list');
    expect([ask.seq, ask.duplicate]).toEqual([null, false]);
    for (const wire of d) expect((await wire.message(ask.id)).payload).toEqual({});
    const said = await answer(d[0]!, ask.id);
    expect(said.seq).toBeNull();
    expect(await a.message(said.id)).toMatchObject({
      type: 'tool.list',
      seq: null,
      sender: { kind: 'app', id: devices[0]!.id },
      payload: { tools: TOOLS, reply_to: ask.id },
    });
    await Promise.all([a.sync(), d[1]!.sync()]);
    expect(d[1]!.count(said.id)).toBe(0);
    expect(a.of('tool.list').filter(({ payload }) => payload.stale !== undefined)).toEqual([]);
  });

  it('with no device there is answered by the relay: each one’s last answer, as theirs, stale', async () => {
    const { devices, a, d } = await relay.room(3);
    await answer(d[0]!);
    await answer(d[1]!, undefined, [{ name: 'old', type: 'app' }]);
    await answer(d[1]!, undefined, [{ name: 'canvas', type: 'app' }]);
    for (const wire of d) await wire.end();
    const from = a.frames.length;
    const ask = await a.ok('tool.list', {});
    await a.sync();
    const lists = a.of('tool.list', from);
    const saidBy = (frame: (typeof lists)[number]) => ('id' in frame.sender ? frame.sender.id : frame.sender.kind);
    expect(lists.map((frame) => [saidBy(frame), frame.seq, frame.payload.stale, frame.payload.reply_to, frame.payload.tools]).toSorted()).toEqual(
      [
        [devices[0]!.id, null, true, ask.id, TOOLS],
        [devices[1]!.id, null, true, ask.id, [{ name: 'canvas', type: 'app' }]],
      ].toSorted(),
    );
    // The question is not waiting for them.
    const back = await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect(back.replay).toEqual([]);
  });

  it('with none known is answered by the relay itself: no tools, stale', async () => {
    const { a, d } = await relay.room(1);
    await d[0]!.end();
    const ask = await a.ok('tool.list', {});
    const frame = await a.wait('tool.list');
    expect(frame).toMatchObject({ sender: { kind: 'relay' }, seq: null, payload: { tools: [], stale: true, reply_to: ask.id } });
    await a.sync();
    expect(a.of('tool.list')).toHaveLength(1);
  });

  it('for one device looks at that device', async () => {
    const { devices, a, d } = await relay.room(2);
    await answer(d[0]!);
    await d[0]!.end();
    const to = (i: number) => ({ target: { kind: 'app' as const, id: devices[i]!.id } });
    await a.ok('tool.list', {}, to(0));
    expect(await a.wait(({ type, payload }) => type === 'tool.list' && payload.stale === true)).toMatchObject({ sender: { id: devices[0]!.id } });
    const ask = await a.ok('tool.list', {}, to(1));
    await d[1]!.message(ask.id);
    await a.sync();
    expect(a.of('tool.list').filter(({ payload }) => payload.stale === true)).toHaveLength(1);
    expect(d[1]!.of('tool.list')).toHaveLength(1);
  });

  it('asked over HTTP is answered on the agent’s socket', async () => {
    const { agent, a, d } = await relay.room(1);
    await d[0]!.end();
    const { status, json } = await relay.post(agent, 'tool.list', {});
    expect([status, json.seq]).toEqual([202, null]);
    expect((await a.wait('tool.list')).payload).toMatchObject({ stale: true, reply_to: json.id });
  });

  it('of a revoked device is forgotten', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    for (const wire of d) {
      await answer(wire);
      await wire.end();
    }
    await relay.call('DELETE', `/v1/devices/${devices[0]!.id}`, { as: agent });
    const from = a.frames.length;
    await a.ok('tool.list', {});
    await a.sync();
    expect(a.of('tool.list', from).map(({ sender }) => sender)).toEqual([{ kind: 'app', id: devices[1]!.id }]);
  });

  it('of a device without tools, or with odd ones, is refused', async () => {
    const { d } = await relay.room(1);
    for (const payload of [{}, { tools: {} }, { tools: [{}] }, { tools: [{ name: 'x', type: 'magic' }] }, { tools: ['choice'] }]) {
      expect(await d[0]!.refused('tool.list', payload), JSON.stringify(payload)).toBe('invalid_payload');
    }
  });

  it('is in no log and outlives a killed relay', async () => {
    const { agent, a, d } = await relay.room(1);
    await a.ok('tool.list', {});
    const { id } = await answer(d[0]!);
    expect(await relay.history(agent)).toEqual([]);
    await relay.crash();
    const back = await relay.join(agent);
    expect(back.replay.map((frame) => frame.id)).toEqual([id]);
    await back.ok('tool.list', {});
    expect((await back.wait(({ payload }) => payload.stale === true)).payload.tools).toEqual(TOOLS);
  });
});

describe('§5 status', () => {
  it('is the latest in every welcome, also after a killed relay, and is not restored beside it', async () => {
    const { agent, devices, a } = await relay.room(2);
    expect(a.welcome.status).toBeNull();
    await a.ok('status', { state: 'thinking' });
    await a.ok('status', { state: 'working', detail: 'x', run_id: 'r', extra: 1 });
    await relay.crash();
    for (const who of [agent, ...devices]) {
      const wire = await relay.join(who);
      expect([wire.welcome.status, wire.replay]).toEqual([{ state: 'working', detail: 'x', run_id: 'r', extra: 1 }, []]);
    }
  });

  it('for one device is not told to another, live or in a welcome', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    const to = { target: { kind: 'app' as const, id: devices[0]!.id } };
    await a.ok('status', { state: 'idle', detail: 'for all' });
    const { id } = await a.ok('status', { state: 'working', detail: 'SECRET' }, to);
    await d[0]!.message(id);
    await d[1]!.sync();
    const [first, second] = [await relay.join(devices[0]!), await relay.join(devices[1]!)];
    expect([first.welcome.status, second.welcome.status]).toEqual([
      { state: 'working', detail: 'SECRET' },
      { state: 'idle', detail: 'for all' },
    ]);
    expect([...d[1]!.texts, ...second.texts].join()).not.toContain('SECRET');
    await relay.crash();
    expect((await relay.join(devices[1]!)).welcome.status).toEqual({ state: 'idle', detail: 'for all' });
    // The next one for all is newer for everybody.
    const agent2 = await relay.join(agent);
    expect(agent2.welcome.status).toEqual({ state: 'working', detail: 'SECRET' });
    await agent2.ok('status', { state: 'waiting' });
    for (const who of [agent, ...devices]) expect((await relay.join(who)).welcome.status).toEqual({ state: 'waiting' });
  });
});

describe('§5 ephemeral types', () => {
  const ALL = [
    ['text.delta', 'agent', { message_id: 'm', offset: 0, delta: 'Hel' }],
    ['progress', 'agent', { run_id: 'r', percent: 50, message: 'half' }],
    ['agent.event', 'agent', { event: 'agent:toolCallStart', data: { name: 'x' } }],
    ['tool.progress', 'app', { call_id: 'c', percent: 100, message: 'done' }],
  ] as const;

  it.each(ALL)('%s goes to who is there and leaves no trace', async (type, from, payload) => {
    const room = await relay.room(2);
    const sender = from === 'agent' ? room.a : room.d[0]!;
    const receivers = from === 'agent' ? room.d : [room.a];
    const id = sender.send(type, payload);
    for (const wire of receivers) expect(await wire.message(id)).toMatchObject({ type, seq: null, payload });
    // Nothing is deduplicated that is not stored.
    sender.send(type, payload, { id });
    for (const wire of receivers) await wire.until('the repeat', () => wire.count(id) === 2 || undefined);
    await Promise.all([sender.sync(), room.d[1]!.sync()]);
    expect([sender.count(id), sender.of('system.ack'), sender.of('system.error')]).toEqual([0, [], []]);
    expect(room.d[1]!.count(id)).toBe(from === 'agent' ? 2 : 0);
    expect(await relay.history(room.agent)).toEqual([]);
    for (const who of [room.agent, ...room.devices]) {
      const late = await relay.join(who, { resume: { epoch: room.a.welcome.epoch, seq: 0 } });
      expect([late.replay, late.welcome.head_seq]).toEqual([[], 0]);
    }
  });

  it.each([
    ['text.delta', { message_id: 'm', offset: -1, delta: 'x' }],
    ['text.delta', { message_id: 'm', offset: 0.5, delta: 'x' }],
    ['text.delta', { message_id: 'm', offset: 0 }],
    ['text.delta', { offset: 0, delta: 'x' }],
    ['progress', { percent: 5 }],
    ['progress', { run_id: 'r', percent: -1 }],
    ['progress', { run_id: 'r', percent: 101 }],
    ['agent.event', { event: 'x' }],
    ['agent.event', { data: {} }],
  ])('%s %j is invalid_payload and reaches nobody', async (type, payload) => {
    const { a, d } = await relay.room(1);
    expect(await a.refused(type, payload)).toBe('invalid_payload');
    await d[0]!.sync();
    expect(d[0]!.messages()).toEqual([]);
  });

  it('arrive in order among themselves and with what is logged', async () => {
    const { a, d } = await relay.room(1);
    const sent: string[] = [];
    for (let i = 0; i < 40; i++) sent.push(i % 4 === 3 ? a.send('text', { content: `${i}` }) : a.send('progress', { run_id: 'r', percent: i }));
    await d[0]!.message(sent.at(-1)!);
    const got = d[0]!.messages();
    for (const type of ['text', 'progress']) {
      const mine = got.filter((frame) => frame.type === type).map(({ id }) => id);
      expect(mine).toEqual(sent.filter((id) => mine.includes(id)));
    }
    expect(got).toHaveLength(40);
  });
});
