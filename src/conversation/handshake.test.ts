/** What a socket gets when it says hello (§4): the welcome, what is restored, the replay, and the end of it. */
import { describe, expect, it } from 'vitest';
import { AGENT, CONVERSATION_ID, PHONE, Room, TABLET, type Seen, type Socket } from '../../test/support/room.ts';
import type { Participant } from '../protocol/envelope.ts';
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

describe('a hello that is none', () => {
  it.each<[string, string | ArrayBuffer]>([
    ['another frame', JSON.stringify({ v: 1, id: 'a', type: 'text', payload: { content: 'x' } })],
    ['no JSON', '{'],
    ['a binary frame', new ArrayBuffer(3)],
    ['a hello without a name', JSON.stringify({ v: 1, id: 'a', type: 'system.hello', payload: {} })],
    ['a malformed resume', JSON.stringify({ v: 1, id: 'a', type: 'system.hello', payload: { name: 'x', resume: { epoch: 'e', seq: -1 } } })],
    ['a broken resume', JSON.stringify({ v: 1, id: 'a', type: 'system.hello', payload: { name: 'x', resume: 7 } })],
  ])('closes with 4400: %s', async (_what, data) => {
    const room = new Room();
    const socket = room.connect(PHONE);
    await room.raw(socket, data);
    expect(socket.closedWith).toBe(4400);
    expect(socket.of('system.welcome')).toEqual([]);
    expect(room.ledger.log.head).toBe(0);
  });

  it('says what was wrong with a malformed resume', async () => {
    const room = new Room();
    const socket = room.connect(PHONE);
    const id = await room.send(socket, 'system.hello', { name: 'x', resume: { epoch: 'e' } });
    expect(socket.frames).toMatchObject([{ type: 'system.error', payload: { ref: id, code: 'invalid_payload' } }]);
    expect(String(socket.frames[0]!.payload.message)).toMatch(/^payload\.resume\.seq: /);
  });

  it('is refused when it comes twice, and the socket stays', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    expect(await room.ask(phone, 'system.hello', { name: 'x' })).toMatchObject({ code: 'unsupported_type' });
    expect(phone.closedWith).toBeNull();
  });
});

describe('a token that comes with hello', () => {
  const hello = (token?: string): string =>
    JSON.stringify({ v: 1, id: 'h', type: 'system.hello', payload: { name: 'x', session: 's', ...(token !== undefined && { token }) } });
  const text = (id: string): string => JSON.stringify({ v: 1, id, type: 'text', payload: { content: id } });
  const admit =
    (participant: Participant): Room['admit'] =>
    async () => ({ ok: true, participant, name: 'Phone', freshToken: 'fresh' });

  it('lets in whom it names', async () => {
    const room = new Room();
    room.admit = admit(PHONE);
    const socket = room.connect(null);
    await room.raw(socket, hello('good'));
    expect(welcomeOf(socket)).toMatchObject({ you: PHONE, token: 'fresh' });
  });

  it('closes with the code of its refusal, and with 4401 when there is none', async () => {
    const room = new Room();
    room.admit = async () => ({ ok: false, close: 4403 });
    const [revoked, without] = [room.connect(null), room.connect(null)];
    await room.raw(revoked, hello('bad'));
    await room.raw(without, hello());
    expect([revoked.closedWith, without.closedWith]).toEqual([4403, 4401]);
  });

  it('holds what comes while it is checked, and keeps the order', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    room.admit = async (token) => {
      await gate;
      return admit(PHONE)(token);
    };
    const socket = room.connect(null);
    const done = room.hand(socket, hello('good'));
    for (const id of ['a', 'b', 'c', 'd']) void room.hand(socket, text(id));
    await room.turn();
    expect(socket.frames).toEqual([]);
    open();
    // The next ones come when the first of those that were held are being committed.
    for (let i = 0; i < 20; i++) {
      await Promise.resolve();
      if (socket.of('system.ack').length === 1) break;
    }
    void room.hand(socket, text('e'));
    await room.turn();
    await done;
    await room.turn();
    expect(socket.of('system.ack').map(({ payload }) => payload.ref)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(agent.of('text').map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('holds only so much', async () => {
    const room = new Room();
    room.admit = () => new Promise(() => undefined);
    const socket = room.connect(null);
    void room.hand(socket, hello('good'));
    for (let i = 0; i < 64; i++) void room.hand(socket, text(`m${i}`));
    expect(socket.closedWith).toBeNull();
    void room.hand(socket, text('one too many'));
    expect(socket.closedWith).toBe(4400);
  });

  it('that could not be checked closes the socket so that the client tries again', async () => {
    const room = new Room();
    room.admit = async () => {
      throw new Error('the directory does not answer');
    };
    const socket = room.connect(null);
    await room.raw(socket, hello('good'));
    expect(socket.closedWith).toBe(4408);
    expect(room.reports).toHaveLength(1);
  });

  it('is for nobody when the socket is gone meanwhile', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    room.admit = admit(PHONE);
    const socket = room.connect(null);
    const done = room.hand(socket, hello('good'));
    room.cut(socket);
    await done;
    expect(agent.of('system.presence')).toEqual([]);
    expect(room.conversation.roster.isOnline(PHONE.id)).toBe(false);
  });
});

describe('nothing comes before the welcome', () => {
  it('neither presence nor what is settled by the hello', async () => {
    const { room, agent } = await after(0);
    const phone = await room.join(PHONE);
    await room.send(agent, 'tool.call', { ...CALL('c'), expires_at: '2026-01-01T00:01:00Z' });
    await room.send(agent, 'tool.call', CALL('d'));
    room.now += 80_000;
    // The phone has been silent for too long, and c has expired: both come to light with this hello.
    const again = await room.join(AGENT, { cancel_pending: true, ...room.resume(0) });
    expect(again.types()[0]).toBe('system.welcome');
    expect(again.of('system.presence')).toEqual([]);
    expect(welcomeOf(again).peers).toMatchObject([{ ...PHONE, online: false }, TABLET]);
    expect(phone.of('system.settled').map(({ payload }) => payload.status)).toEqual(['expired', 'cancelled']);
    const tab = await room.join(PHONE);
    expect(tab.types()[0]).toBe('system.welcome');
  });
});
