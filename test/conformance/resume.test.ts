/** §4, resume: what a socket gets between its welcome and `system.synced`, and what a gap is. */
import { describe, expect, it } from 'vitest';
import { useRelay, type Room } from './people.ts';
import type { Frame, Joined } from './wire.ts';

const relay = useRelay();

const ids = (frames: readonly Frame[]): string[] => frames.map(({ id }) => id);
const syncedSeq = (wire: Joined): unknown => wire.of('system.synced')[0]?.payload.seq;

/** A room with five texts of the agent (seq 1 to 5). */
async function roomWithTexts(): Promise<Room & { texts: string[]; epoch: string }> {
  const room = await relay.room(1);
  const texts: string[] = [];
  for (let i = 1; i <= 5; i++) texts.push((await room.a.ok('text', { content: `${i}` })).id);
  return { ...room, texts, epoch: room.a.welcome.epoch };
}

describe('§4 resume', () => {
  it('without it nothing is replayed, and synced tells the head', async () => {
    const { devices, texts } = await roomWithTexts();
    const wire = await relay.join(devices[0]!);
    expect(wire.welcome).toMatchObject({ resumed: false, gap: false, head_seq: 5, oldest_seq: 1 });
    expect(wire.replay).toEqual([]);
    expect(syncedSeq(wire)).toBe(5);
    expect(texts).toHaveLength(5);
  });

  it.each([
    [0, 5],
    [2, 3],
    [4, 1],
    [5, 0],
  ])('from seq %i of the same epoch brings the %i after it, exactly as they came live', async (seq, count) => {
    const { devices, d, texts, epoch } = await roomWithTexts();
    await d[0]!.message(texts[4]!);
    const wire = await relay.join(devices[0]!, { resume: { epoch, seq } });
    expect(wire.welcome).toMatchObject({ resumed: true, gap: false, epoch });
    expect(wire.replay).toEqual(d[0]!.of('text').slice(5 - count));
    expect(syncedSeq(wire)).toBe(5);
  });

  it('brings own messages too, of other sockets and of HTTP', async () => {
    const { agent, devices, d, epoch } = await roomWithTexts();
    const own = await d[0]!.ok('text', { content: 'mine' });
    const { json } = await relay.post(devices[0]!, 'text', { content: 'mine by HTTP' });
    for (const who of [devices[0]!, agent]) {
      const wire = await relay.join(who, { resume: { epoch, seq: 5 } });
      expect(ids(wire.replay)).toEqual([own.id, json.id]);
    }
  });

  it.each([
    ['an unknown epoch', (epoch: string) => ({ epoch: `${epoch}x`, seq: 3 })],
    ['an unknown epoch at seq 0', () => ({ epoch: 'other', seq: 0 })],
    ['an empty epoch', () => ({ epoch: '', seq: 5 })],
    ['a seq above the head', (epoch: string) => ({ epoch, seq: 6 })],
    ['a seq far above it', (epoch: string) => ({ epoch, seq: Number.MAX_SAFE_INTEGER })],
  ])('from %s is a gap: everything from oldest_seq', async (_what, resume) => {
    const { devices, texts, epoch } = await roomWithTexts();
    const wire = await relay.join(devices[0]!, { resume: resume(epoch) });
    expect(wire.welcome).toMatchObject({ resumed: false, gap: true, epoch, head_seq: 5, oldest_seq: 1 });
    expect(ids(wire.replay)).toEqual(texts);
    expect(syncedSeq(wire)).toBe(5);
  });

  it('in an empty log at seq 0 is no gap, above it is one', async () => {
    const { devices, d } = await relay.room(1);
    const { epoch } = d[0]!.welcome;
    const fresh = await relay.join(devices[0]!, { resume: { epoch, seq: 0 } });
    expect(fresh.welcome).toMatchObject({ resumed: true, gap: false, head_seq: 0, oldest_seq: 1 });
    const ahead = await relay.join(devices[0]!, { resume: { epoch, seq: 1 } });
    expect(ahead.welcome).toMatchObject({ resumed: false, gap: true });
    expect([fresh.replay, ahead.replay, syncedSeq(fresh), syncedSeq(ahead)]).toEqual([[], [], 0, 0]);
  });

  it.each([
    ['a text', 'x'],
    ['null', null],
    ['a list', []],
    ['an empty object', {}],
    ['no seq', { epoch: 'e' }],
    ['no epoch', { seq: 1 }],
    ['a seq that is text', { epoch: 'e', seq: '1' }],
    ['a negative seq', { epoch: 'e', seq: -1 }],
    ['half a seq', { epoch: 'e', seq: 1.5 }],
    ['a seq beyond 2^53 - 1', { epoch: 'e', seq: 2 ** 53 }],
    ['an epoch that is a number', { epoch: 1, seq: 1 }],
  ])('that is malformed (%s) is invalid_payload, then 4400', async (_what, resume) => {
    const agent = await relay.enrol();
    const wire = relay.connect(agent);
    await wire.opened();
    const id = wire.send('system.hello', { name: 'x', session: 's', resume });
    expect(await wire.closed).toBe(4400);
    expect(wire.frames.map(({ type, payload }) => [type, payload.ref, payload.code])).toEqual([['system.error', id, 'invalid_payload']]);
  });

  it('keeps the epoch over reconnects and restarts', async () => {
    const { devices, texts, epoch } = await roomWithTexts();
    await relay.crash();
    const wire = await relay.join(devices[0]!, { resume: { epoch, seq: 0 } });
    expect(wire.welcome).toMatchObject({ resumed: true, gap: false, epoch });
    expect(ids(wire.replay)).toEqual(texts);
  });

  it('lets live frames come only after synced, and each once', async () => {
    const { agent, devices, a, epoch } = await roomWithTexts();
    for (let i = 0; i < 300; i++) a.send('text', { content: `before ${i}` });
    const joining = relay.join(devices[0]!, { resume: { epoch, seq: 0 } });
    for (let i = 0; i < 300; i++) a.send('text', { content: `after ${i}` });
    const wire = await joining;
    await a.sync();
    await wire.until('every text', () => wire.of('text').length === 605 || undefined);
    const seqs = wire.of('text').map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 605 }, (_, i) => i + 1));
    const after = wire.frames.slice(wire.frames.findIndex(({ type }) => type === 'system.synced') + 1).filter(({ type }) => type === 'text');
    expect(after.every(({ seq }) => seq! > (syncedSeq(wire) as number))).toBe(true);
    expect((await relay.history(agent)).length).toBe(605);
  });

  it('two at once of one device do not mix', async () => {
    const { devices, texts, epoch } = await roomWithTexts();
    const wires = await Promise.all([0, 2, 4].map((seq) => relay.join(devices[0]!, { resume: { epoch, seq } })));
    expect(wires.map(({ replay }) => ids(replay))).toEqual([texts, texts.slice(2), texts.slice(4)]);
  });
});

describe('§4 a storm', () => {
  it('of 128 sockets that come back at once, twice, loses and mixes nothing', async () => {
    const agent = await relay.enrol();
    const phones = [];
    for (let i = 0; i < 16; i++) phones.push(await relay.pair(agent, `Phone ${i}`));
    const a = await relay.join(agent);
    const texts: string[] = [];
    for (let i = 0; i < 50; i++) texts.push((await a.ok('text', { content: `${i}` })).id);
    const resume = { epoch: a.welcome.epoch, seq: 20 };
    for (let round = 0; round < 2; round++) {
      const wires = await Promise.all(phones.flatMap((phone) => Array.from({ length: 8 }, () => relay.join(phone, { resume }))));
      for (const wire of wires) expect(ids(wire.replay)).toEqual(texts.slice(20));
      const { id } = await a.ok('text', { content: 'to all' });
      await Promise.all(wires.map((wire) => wire.message(id)));
      texts.push(id);
      relay.hangUp(a);
    }
    await a.sync();
  });
});

describe('§4 flow, in a replay', () => {
  it('waits at the window, synced behind it, and goes on as the cursor moves', async () => {
    const { devices, a, d } = await relay.room(1);
    const { epoch } = d[0]!.welcome;
    const total = 100;
    const sent = Array.from({ length: total }, (_, i) => a.send('text', { content: `${i} `.padEnd(60_000, 'x') }));
    await a.answer(sent.at(-1)!);
    const wire = relay.connect(devices[0]!);
    await wire.opened();
    wire.send('system.hello', { name: 'x', session: 'slow', resume: { epoch, seq: 0 } });
    await wire.wait('system.welcome');
    await wire.sync();
    const first = wire.of('text').length;
    expect(first).toBeGreaterThanOrEqual(68);
    expect(first).toBeLessThanOrEqual(69);
    expect(wire.of('system.synced')).toEqual([]);
    // What is said meanwhile waits behind the replay; what is ephemeral is dropped.
    const live = await a.ok('text', { content: 'live' });
    a.send('progress', { run_id: 'r', percent: 1 });
    await a.sync();
    for (let known = 0; wire.of('system.synced').length === 0;) {
      const seen = wire.of('text');
      expect(seen.length).toBeGreaterThan(known);
      known = seen.length;
      wire.send('system.received', { seq: seen[known - 1]!.seq });
      await wire.sync();
    }
    await wire.message(live.id);
    expect(wire.of('text').map(({ id }) => id)).toEqual([...sent, live.id]);
    const order = wire.frames.filter(({ type }) => type === 'text' || type === 'system.synced');
    expect(order.findIndex(({ type }) => type === 'system.synced')).toBe(total);
    expect(wire.of('system.synced')[0]!.payload.seq).toBe(total);
    expect(wire.of('progress')).toEqual([]);
    a.send('progress', { run_id: 'r', percent: 2 });
    expect((await wire.wait('progress')).payload.percent).toBe(2);
  });

  it('starts at the cursor that the resume tells', async () => {
    const { devices, a, d } = await relay.room(1);
    const sent = Array.from({ length: 75 }, (_, i) => a.send('text', { content: `${i} `.padEnd(60_000, 'x') }));
    await a.answer(sent.at(-1)!);
    const wire = await relay.join(devices[0]!, { resume: { epoch: d[0]!.welcome.epoch, seq: 10 } });
    expect(ids(wire.replay)).toEqual(sent.slice(10));
  });
});

describe('§4 restored', () => {
  /** A room where a call and a surface are open, and a settled call and a closed surface are not. */
  async function open() {
    const room = await relay.room(2);
    const { a, d, devices } = room;
    const call = (call_id: string, extra = {}) =>
      a.ok('tool.call', { name: 'choice', action: 'select', call_id, arguments: { question: '?', options: ['a'] } }, extra);
    const surface = (instance_id: string, extra = {}) =>
      a.ok('lineup.v1.ui.open', { instance_id, app: { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' }, state: {} }, extra);
    const patch = (instance_id: string, n: number) => a.ok('lineup.v1.ui.patch', { instance_id, state: { n } });
    const pending = await call('pending');
    await call('settled');
    const forSecond = await call('for-second', { target: { kind: 'app', id: devices[1]!.id } });
    const opened = await surface('open');
    await surface('closed');
    await patch('closed', 1);
    await patch('open', 1);
    await a.ok('lineup.v1.ui.close', { instance_id: 'closed' });
    const patched = await patch('open', 2);
    await d[0]!.ok('tool.result', { name: 'choice', action: 'select', call_id: 'settled', result: { message: 'a' } });
    const app = await a.ok('lineup.v1.app.call', { call_id: 'app', capability: 'clipboard.write', reason: 'why', arguments: {} });
    const onlySecond = await surface('second', { target: { kind: 'app', id: devices[1]!.id } });
    return { ...room, pending, forSecond, opened, patched, app, onlySecond, epoch: a.welcome.epoch, head: onlySecond.seq };
  }

  it('without resume: each pending call it may answer, each open surface and its newest patch, with their own id and seq', async () => {
    const room = await open();
    const [first, second] = [await relay.join(room.devices[0]!), await relay.join(room.devices[1]!)];
    const { pending, forSecond, opened, patched, app, onlySecond } = room;
    expect(first.replay.map(({ id, seq }) => [id, seq])).toEqual([pending, opened, patched, app].map(({ id, seq }) => [id, seq]));
    expect(second.replay.map(({ id, seq }) => [id, seq])).toEqual(
      [pending, forSecond, opened, patched, app, onlySecond].map(({ id, seq }) => [id, seq]),
    );
    expect(first.replay).toEqual(first.replay.map(({ id }) => room.d[0]!.messages().find((frame) => frame.id === id)));
    expect(first.replay.every(({ settled }) => settled === undefined)).toBe(true);
    expect([first.welcome.pending_calls, first.welcome.surfaces]).toEqual([['pending', 'app'], ['open']]);
    expect([second.welcome.pending_calls, second.welcome.surfaces]).toEqual([
      ['pending', 'for-second', 'app'],
      ['open', 'second'],
    ]);
    expect([first.welcome.inventories, second.welcome.inventories]).toEqual([undefined, undefined]);
  });

  it('and replayed meet without an overlap, wherever the cursor is, and come in order', async () => {
    const room = await open();
    for (let seq = 0; seq <= room.head; seq++) {
      const wire = await relay.join(room.devices[1]!, { resume: { epoch: room.epoch, seq } });
      const keys = wire.replay.map(({ id }) => id);
      expect(new Set(keys).size).toBe(keys.length);
      const seqs = wire.replay.map((frame) => frame.seq!);
      const replayed = seqs.findIndex((each) => each > seq);
      const restored = replayed === -1 ? seqs : seqs.slice(0, replayed);
      expect(seqs).toEqual([...seqs].sort((x, y) => x - y));
      const everOpen = [room.pending, room.forSecond, room.opened, room.patched, room.app, room.onlySecond].map((each) => each.seq);
      expect(restored).toEqual(everOpen.filter((each) => each <= seq));
      await wire.end();
    }
  });

  it('frames do not move the cursor that synced tells, and need no system.received', async () => {
    const room = await open();
    const wire = await relay.join(room.devices[0]!, { resume: { epoch: room.epoch, seq: room.head } });
    expect(wire.replay.length).toBe(4);
    expect(wire.of('system.synced')[0]!.payload.seq).toBe(room.head);
  });

  it('to the agent: inventory, app.list and tool list of each device, with seq null, whatever the cursor', async () => {
    const { agent, a, d, devices } = await relay.room(2);
    const inventory = { revision: 'r1', standard_components: [], applications: [], capabilities: [] };
    const sent = [
      await d[0]!.ok('lineup.v1.client.inventory', inventory),
      await d[0]!.ok('lineup.v1.app.list', { capabilities: [] }),
      await d[0]!.ok('tool.list', { tools: [{ name: 'choice', type: 'action' }] }),
      await d[1]!.ok('lineup.v1.client.inventory', { ...inventory, revision: 'r2' }),
    ];
    await d[0]!.ok('lineup.v1.client.inventory', { ...inventory, revision: 'r3' });
    const text = await d[0]!.ok('text', { content: 'x' });
    for (const payload of [{}, { resume: { epoch: a.welcome.epoch, seq: 0 } }, { resume: { epoch: 'other', seq: 0 } }]) {
      const wire = await relay.join(agent, payload);
      const kept = wire.replay.filter(({ seq }) => seq === null);
      expect(wire.replay.slice(0, kept.length)).toEqual(kept);
      expect(kept.map(({ type, sender, payload: said }) => [type, 'id' in sender && sender.id, said.revision]).toSorted()).toEqual(
        [
          ['lineup.v1.app.list', devices[0]!.id, undefined],
          ['lineup.v1.client.inventory', devices[0]!.id, 'r3'],
          ['lineup.v1.client.inventory', devices[1]!.id, 'r2'],
          ['tool.list', devices[0]!.id, undefined],
        ].toSorted(),
      );
      expect(kept.filter(({ id }) => sent.some((each) => each.id === id))).toHaveLength(3);
      expect(wire.replay.slice(kept.length).map(({ id }) => id)).toEqual('resume' in payload ? [text.id] : []);
      expect(wire.welcome.inventories).toEqual(
        expect.arrayContaining([
          { device_id: devices[0]!.id, revision: 'r3' },
          { device_id: devices[1]!.id, revision: 'r2' },
        ]),
      );
      expect(wire.welcome.inventories).toHaveLength(2);
    }
  });

  it('outlives a killed relay', async () => {
    const room = await open();
    await relay.crash();
    const wire = await relay.join(room.devices[0]!);
    expect(wire.replay.map(({ id }) => id)).toEqual([room.pending, room.opened, room.patched, room.app].map(({ id }) => id));
  });
});
