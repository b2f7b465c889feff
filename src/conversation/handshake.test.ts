/** What a socket gets when it says hello (§4): the welcome, what is restored, the replay, and the end of it. */
import { describe, expect, it } from 'vitest';
import { AGENT, CONVERSATION_ID, PHONE, Room, TABLET, type Seen, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';

const OPEN = (instance_id: string): JsonObject => ({
  instance_id,
  app: { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' },
  state: {},
});
const CALL = (call_id: string): JsonObject => ({ name: 'choice', call_id, arguments: {} });
const welcomeOf = (socket: Socket): JsonObject => socket.of('system.welcome')[0]!.payload;
const brief = (frames: readonly Seen[]): (string | number)[] => frames.map(({ type, seq }) => (typeof seq === 'number' ? seq : type));

/** A room in which the agent has said so many texts. */
async function after(texts: number, limits: ConstructorParameters<typeof Room>[0] = {}): Promise<{ room: Room; agent: Socket }> {
  const room = new Room(limits);
  const agent = await room.join(AGENT);
  for (let i = 1; i <= texts; i++) await room.send(agent, 'text', { content: `${i}` });
  return { room, agent };
}

describe('the welcome', () => {
  it('says who you are, where the log stands and what the limits are', async () => {
    const { room } = await after(2);
    const phone = await room.join(PHONE);
    expect(welcomeOf(phone)).toEqual({
      you: PHONE,
      conversation: { id: CONVERSATION_ID, title: 'Room' },
      epoch: room.ledger.meta.epoch,
      head_seq: 2,
      oldest_seq: 1,
      resumed: false,
      gap: false,
      peers: [{ ...AGENT, name: 'Hermes', online: true, last_seen: '2026-01-01T00:00:00.000Z', received: 0 }],
      status: null,
      pending_calls: [],
      surfaces: [],
      limits: { ...DEFAULT_LIMITS, rate_per_s: 0 },
      token: null,
    });
  });

  it('tells the agent its devices, those too that are away or never came, and what they declared', async () => {
    const { room, agent } = await after(0);
    const phone = await room.join(PHONE);
    await room.send(phone, 'client.inventory', { revision: 'r7', standard_components: [], applications: [], capabilities: [] });
    room.cut(agent);
    const again = await room.join(AGENT);
    const { peers, inventories } = welcomeOf(again);
    expect(peers).toMatchObject([
      { ...PHONE, online: true },
      { ...TABLET, online: false, last_seen: null },
    ]);
    expect(inventories).toEqual([{ device_id: PHONE.id, revision: 'r7' }]);
    expect(welcomeOf(phone)).not.toHaveProperty('inventories');
  });

  it('has the newest status, the pending calls and the open surfaces', async () => {
    const { room, agent } = await after(0);
    await room.send(agent, 'status', { state: 'thinking' });
    await room.send(agent, 'status', { state: 'working', detail: 'x' });
    await room.send(agent, 'tool.call', CALL('c2'));
    await room.send(agent, 'tool.call', CALL('c1'));
    await room.send(agent, 'ui.open', OPEN('s2'));
    await room.send(agent, 'ui.open', OPEN('s1'));
    for (const who of [PHONE, AGENT]) {
      const socket = await room.join(who);
      expect(welcomeOf(socket)).toMatchObject({
        status: { state: 'working', detail: 'x' },
        pending_calls: ['c2', 'c1'],
        surfaces: ['s2', 's1'],
      });
    }
  });

  it('tells a device nothing that is for another one', async () => {
    const { room, agent } = await after(0);
    const target = { kind: 'app', id: TABLET.id };
    await room.send(agent, 'status', { state: 'idle' });
    await room.send(agent, 'status', { state: 'working' }, { target });
    await room.send(agent, 'tool.call', CALL('c'), { target });
    await room.send(agent, 'ui.open', OPEN('s'), { target });
    const phone = await room.join(PHONE);
    expect(welcomeOf(phone)).toMatchObject({ status: { state: 'idle' }, pending_calls: [], surfaces: [] });
    expect(phone.types()).toEqual(['system.welcome', 'system.synced']);
    expect(welcomeOf(await room.join(TABLET))).toMatchObject({ status: { state: 'working' }, pending_calls: ['c'], surfaces: ['s'] });
  });

  it('brings a fresh token once', async () => {
    const room = new Room();
    const phone = room.connect(PHONE, 'fresh');
    await room.hello(phone);
    expect(welcomeOf(phone).token).toBe('fresh');
    expect(phone.saved?.freshToken).toBeNull();
  });
});

describe('resuming', () => {
  it('replays everything after the cursor, own messages included, then says synced', async () => {
    const { room } = await after(3);
    const phone = await room.join(PHONE);
    await room.send(phone, 'text', { content: 'mine' });
    const again = await room.join(PHONE, room.resume(2));
    expect(welcomeOf(again)).toMatchObject({ resumed: true, gap: false, head_seq: 4 });
    expect(brief(again.frames)).toEqual(['system.welcome', 3, 4, 'system.synced']);
    expect(again.of('system.synced')[0]!.payload).toEqual({ seq: 4 });
  });

  it('replays nothing to who remembers nothing', async () => {
    const { room } = await after(3);
    const phone = await room.join(PHONE);
    expect(brief(phone.frames)).toEqual(['system.welcome', 'system.synced']);
    expect(welcomeOf(phone)).toMatchObject({ resumed: false, gap: false });
  });

  it('skips what is for others, and syncs at the head all the same', async () => {
    const { room, agent } = await after(1);
    await room.send(agent, 'text', { content: 'x' }, { target: { kind: 'app', id: TABLET.id } });
    const phone = await room.join(PHONE, room.resume(0));
    expect(brief(phone.frames)).toEqual(['system.welcome', 1, 'system.synced']);
    expect(phone.of('system.synced')[0]!.payload).toEqual({ seq: 2 });
  });

  const trimmed = () => after(70, { retain_messages: 6 });
  it.each([
    ['at the head', 70, false],
    ['ahead of the head', 71, true],
    ['just before the oldest', 64, false],
    ['older than that', 63, true],
    ['at the very beginning', 0, true],
  ])('%s: gap is %3$s', async (_where, seq, gap) => {
    const { room } = await trimmed();
    expect(room.ledger.log.oldest).toBe(65);
    const phone = await room.join(PHONE, room.resume(seq));
    expect(welcomeOf(phone)).toMatchObject({ resumed: !gap, gap, oldest_seq: 65, head_seq: 70 });
    expect(phone.seqs()).toEqual(seq === 70 ? [] : [65, 66, 67, 68, 69, 70]);
  });

  it('in an unknown epoch is a gap, whatever the seq', async () => {
    const { room } = await after(2);
    const phone = await room.join(PHONE, { resume: { epoch: 'another', seq: 2 } });
    expect(welcomeOf(phone)).toMatchObject({ resumed: false, gap: true });
    expect(phone.seqs()).toEqual([1, 2]);
  });

  it('in an empty log is no gap at its beginning', async () => {
    const { room } = await after(0);
    expect(welcomeOf(await room.join(PHONE, room.resume(0)))).toMatchObject({ resumed: true, gap: false, head_seq: 0, oldest_seq: 1 });
    expect(welcomeOf(await room.join(PHONE, room.resume(1)))).toMatchObject({ resumed: false, gap: true });
  });

  it('in a log that retention emptied is no gap at its head', async () => {
    const { room } = await after(3);
    room.pass(91 * 86_400_000);
    expect(welcomeOf(await room.join(PHONE, room.resume(3)))).toMatchObject({ resumed: true, gap: false, head_seq: 3, oldest_seq: 4 });
    expect(welcomeOf(await room.join(PHONE, room.resume(2)))).toMatchObject({ resumed: false, gap: true });
  });

  it('shows a call that was settled meanwhile as settled', async () => {
    const { room, agent } = await after(0);
    const phone = await room.join(PHONE);
    await room.send(agent, 'tool.call', CALL('c'));
    await room.send(phone, 'tool.result', { name: 'choice', call_id: 'c', result: { message: '' } });
    for (const who of [TABLET, AGENT]) {
      const socket = await room.join(who, room.resume(0));
      expect(socket.of('tool.call')[0]!.settled).toEqual({ status: 'completed', by: PHONE, at: '2026-01-01T00:00:00.000Z' });
    }
  });
});

describe('what is restored', () => {
  it('comes once more whatever the cursor, in the order of its seqs, and is never replayed as well', async () => {
    const { room, agent } = await after(1);
    await room.send(agent, 'ui.open', OPEN('s'));
    await room.send(agent, 'tool.call', CALL('c'));
    await room.send(agent, 'ui.patch', { instance_id: 's', state: { n: 1 } });
    await room.send(agent, 'ui.patch', { instance_id: 's', state: { n: 2 } });
    await room.send(agent, 'text', { content: 'x' });
    const come = async (hello: JsonObject) => brief((await room.join(PHONE, hello)).frames);
    expect(await come({})).toEqual(['system.welcome', 2, 3, 5, 'system.synced']);
    expect(await come(room.resume(6))).toEqual(['system.welcome', 2, 3, 5, 'system.synced']);
    expect(await come(room.resume(3))).toEqual(['system.welcome', 2, 3, 5, 6, 'system.synced']);
    expect(await come(room.resume(0))).toEqual(['system.welcome', 1, 2, 3, 5, 6, 'system.synced']);
    expect(await come({ resume: { epoch: 'x', seq: 9 } })).toEqual(['system.welcome', 1, 2, 3, 5, 6, 'system.synced']);
  });

  it('comes from outside the history too', async () => {
    const { room, agent } = await after(1, { retain_messages: 6 });
    await room.send(agent, 'tool.call', CALL('c'));
    await room.send(agent, 'ui.open', OPEN('s'));
    await room.send(agent, 'ui.patch', { instance_id: 's', state: { n: 1 } });
    for (let i = 0; i < 66; i++) await room.send(agent, 'text', { content: 'x' });
    expect(room.ledger.log.oldest).toBe(65);
    room.hibernate();
    const phone = await room.join(PHONE, room.resume(0));
    expect(phone.seqs()).toEqual([2, 3, 4, 65, 66, 67, 68, 69, 70]);
    await room.send(agent, 'ui.close', { instance_id: 's' });
    await room.send(phone, 'tool.result', { name: 'choice', call_id: 'c', result: { message: '' } });
    expect((await room.join(PHONE)).seqs()).toEqual([]);
    expect([2, 3, 4].map((seq) => room.ledger.log.frameAt(seq))).toEqual([undefined, undefined, undefined]);
  });

  it('is for the agent what its devices declared, and no call or surface', async () => {
    const { room, agent } = await after(0);
    const [phone, tablet] = [await room.join(PHONE), await room.join(TABLET)];
    await room.send(phone, 'tool.list', { tools: [{ name: 'choice', type: 'action' }] });
    await room.send(tablet, 'tool.list', { tools: [] });
    await room.send(phone, 'app.list', { capabilities: [] });
    await room.send(phone, 'client.inventory', { revision: 'r', standard_components: [], applications: [], capabilities: [] });
    await room.send(agent, 'tool.call', CALL('c'));
    await room.send(agent, 'ui.open', OPEN('s'));
    const again = await room.join(AGENT, room.resume(2));
    expect(again.frames.map(({ type, sender, seq }) => [type, sender?.id, seq])).toEqual([
      ['system.welcome', undefined, undefined],
      ['lineup.v1.client.inventory', PHONE.id, null],
      ['lineup.v1.app.list', PHONE.id, null],
      ['tool.list', PHONE.id, null],
      ['tool.list', TABLET.id, null],
      ['system.synced', undefined, undefined],
    ]);
  });
});
