/** Flow (§4): replay and live are one pump, within the window of each socket. */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';

/** Characters that make a frame larger than 1 000 bytes, and three of them smaller than 4 000. */
const KILO = 'x'.repeat(1_000);
const WINDOW = { window_bytes: 4_000 };
const OPEN: JsonObject = { instance_id: 's', app: { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' }, state: {} };

const say = (room: Room, socket: Socket, content = KILO): Promise<string> => room.send(socket, 'text', { content });
const received = (room: Room, socket: Socket, seq: number): Promise<string> => room.send(socket, 'system.received', { seq });

/** An agent, and a phone that has been sent all that fits: 1 to 3 of 5. */
async function lagging(): Promise<{ room: Room; agent: Socket; phone: Socket }> {
  const room = new Room(WINDOW);
  const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
  for (let i = 0; i < 5; i++) await say(room, agent);
  expect(phone.seqs()).toEqual([1, 2, 3]);
  return { room, agent, phone };
}

describe('the window', () => {
  it('opens by what was received, and what waited comes in order', async () => {
    const { room, phone } = await lagging();
    await received(room, phone, 1);
    expect(phone.seqs()).toEqual([1, 2, 3, 4]);
    await received(room, phone, 4);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5]);
  });

  it('lets no new message overtake those that wait', async () => {
    const { room, agent, phone } = await lagging();
    await say(room, agent, 'small');
    expect(phone.seqs()).toEqual([1, 2, 3]);
    await received(room, phone, 1);
    expect(phone.seqs()).toEqual([1, 2, 3, 4]);
    await received(room, phone, 2);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('holds back one socket and not the others', async () => {
    const { room } = await lagging();
    const tablet = await room.join(TABLET, room.resume(5));
    const agent = await room.join(AGENT);
    await say(room, agent);
    expect(tablet.seqs()).toEqual([6]);
  });

  it('is wide enough for one frame, however large', async () => {
    const room = new Room({ window_bytes: 100 });
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    for (let i = 0; i < 2; i++) await say(room, agent);
    expect(phone.seqs()).toEqual([1]);
    await received(room, phone, 1);
    expect(phone.seqs()).toEqual([1, 2]);
  });

  it('holds for a replay as well, and synced stands behind it', async () => {
    const { room } = await lagging();
    const phone = await room.join(PHONE, room.resume(0));
    expect(phone.types()).toEqual(['system.welcome', 'text', 'text', 'text']);
    await received(room, phone, 3);
    expect(phone.types().slice(4)).toEqual(['text', 'text', 'system.synced']);
  });

  it('has synced between the replay and what came meanwhile, whether that fits or not', async () => {
    const { room } = await lagging();
    const [phone, tab] = [await room.join(PHONE, room.resume(0)), await room.join(PHONE, room.resume(0))];
    const agent = await room.join(AGENT);
    for (let i = 0; i < 2; i++) await say(room, agent);
    await received(room, phone, 3);
    expect(phone.frames.slice(4).map(({ type, seq }) => seq ?? type)).toEqual([4, 5, 'system.synced', 6]);
    expect(phone.of('system.synced')[0]!.payload).toEqual({ seq: 5 });
    await received(room, tab, 2);
    expect(tab.frames.slice(4).map(({ type, seq }) => seq ?? type)).toEqual([4, 5, 'system.synced']);
  });

  it('says synced at once when the rest of the replay is for others', async () => {
    const { room, agent } = await lagging();
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: KILO }, { target: { kind: 'app', id: TABLET.id } });
    const phone = await room.join(PHONE, room.resume(2));
    expect(phone.types()).toEqual(['system.welcome', 'text', 'text', 'text', 'system.synced']);
    expect(phone.of('system.synced')[0]!.payload).toEqual({ seq: 8 });
  });

  it('does not count what is restored', async () => {
    const room = new Room(WINDOW);
    const agent = await room.join(AGENT);
    for (const id of ['a', 'b', 'c']) await room.send(agent, 'ui.open', { ...OPEN, instance_id: id, state: { KILO } });
    for (let i = 0; i < 3; i++) await say(room, agent);
    const phone = await room.join(PHONE, room.resume(3));
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('counts what a settled call says of its end', async () => {
    const room = new Room({ window_bytes: 600 });
    const [agent, tablet] = [await room.join(AGENT), await room.join(TABLET)];
    for (const call_id of ['a', 'b']) {
      await room.send(agent, 'tool.call', { name: 'choice', call_id, arguments: {} });
      await room.send(tablet, 'tool.result', { name: 'choice', call_id, result: { message: '' } });
    }
    // Without that, both frames would fit.
    const plain = room.ledger.log.frameAt(1)!.length;
    expect(2 * plain).toBeLessThan(600);
    const phone = await room.join(PHONE, room.resume(0));
    expect(phone.texts[1]!.length * 2).toBeGreaterThan(600);
    expect(phone.seqs()).toEqual([1]);
  });

  it('is not narrowed by what was received before it came', async () => {
    const { room } = await lagging();
    const phone = await room.join(PHONE, room.resume(0));
    // It has them from the history, say.
    await received(room, phone, 5);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5]);
    const agent = await room.join(AGENT);
    for (let i = 0; i < 3; i++) await say(room, agent);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('is not narrowed for ever by an old cursor that comes late', async () => {
    const { room, phone } = await lagging();
    await received(room, phone, 3);
    await received(room, phone, 1);
    await received(room, phone, 5);
    const agent = await room.join(AGENT);
    for (let i = 0; i < 3; i++) await say(room, agent);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('refuses a cursor beyond the newest message', async () => {
    const { room, phone } = await lagging();
    expect(await received(room, phone, 6).then((id) => room.answer(phone, id)?.payload)).toMatchObject({ code: 'invalid_payload' });
    expect(phone.seqs()).toEqual([1, 2, 3]);
  });
});

describe('a socket that retention overtakes', () => {
  it.each(['a live one', 'one in its replay', 'one that slept'])('is closed so that it comes back and is told of the gap: %s', async (which) => {
    const room = new Room({ ...WINDOW, retain_messages: 10 });
    const agent = await room.join(AGENT);
    if (which === 'one in its replay') for (let i = 0; i < 5; i++) await say(room, agent);
    const phone = await room.join(PHONE, room.resume(0));
    const received1 = JSON.stringify({ v: 1, id: 'r', type: 'system.received', payload: { seq: 1 } });
    while (room.ledger.log.oldest === 1) await say(room, agent);
    if (which === 'one that slept') room.hibernate();
    expect(phone.seqs()).toEqual([1, 2, 3]);
    void room.hand(phone, JSON.stringify({ v: 1, id: 'a', type: 'run.cancel', payload: {} }));
    void room.hand(phone, JSON.stringify({ v: 1, id: 'b', type: 'run.cancel', payload: {} }));
    await room.raw(phone, received1);
    expect([phone.seqs(), phone.closedWith, phone.of('system.ack').length]).toEqual([[1, 2, 3], 1013, 2]);
    const again = await room.join(PHONE, room.resume(3));
    expect(again.of('system.welcome')[0]!.payload).toMatchObject({ resumed: false, gap: true });
    expect(again.seqs()[0]).toBe(room.ledger.log.oldest);
  });

  it('is not closed while it has been sent everything that is gone', async () => {
    const room = new Room({ retain_messages: 10 });
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    for (let i = 0; i < 200; i++) await say(room, agent, 'x');
    await received(room, phone, 1);
    expect([phone.closedWith, phone.seqs().length]).toEqual([null, 200]);
  });
});

describe('after a sleep', () => {
  it('the window is as full as it was', async () => {
    const { room, phone } = await lagging();
    room.hibernate();
    await say(room, await room.join(AGENT));
    expect(phone.seqs()).toEqual([1, 2, 3]);
    await received(room, phone, 2);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5]);
  });

  it('counts what compaction has taken from the log since it was sent', async () => {
    const room = new Room(WINDOW);
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(agent, 'ui.open', OPEN);
    for (let n = 0; n < 2; n++) await room.send(agent, 'ui.patch', { instance_id: 's', state: { n, KILO } });
    room.hibernate();
    for (let i = 0; i < 4; i++) await say(room, agent);
    const bytes = phone.texts.slice(2).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThanOrEqual(4_000);
    await received(room, phone, 3);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('counts what retention has taken since, until all of it was received', async () => {
    const room = new Room({ ...WINDOW, retain_days: 1 });
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    for (let i = 0; i < 3; i++) await say(room, agent);
    room.pass(2 * 86_400_000);
    room.hibernate();
    await received(room, phone, 1);
    await say(room, agent);
    expect(phone.seqs()).toEqual([1, 2, 3]);
    await received(room, phone, 3);
    expect(phone.seqs()).toEqual([1, 2, 3, 4]);
  });

  it('is never stuck for what was compacted away unsent', async () => {
    const room = new Room(WINDOW);
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(agent, 'ui.open', OPEN);
    for (let n = 0; n < 9; n++) {
      await room.send(agent, 'ui.patch', { instance_id: 's', state: { n, KILO } });
      if (n % 2 === 0) room.hibernate();
      if (n % 3 === 0) await received(room, phone, phone.seqs().at(-1)!);
    }
    await received(room, phone, phone.seqs().at(-1)!);
    await say(room, agent);
    expect(phone.seqs().at(-1)).toBe(11);
  });

  it('goes on live where it was live', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await say(room, agent);
    room.hibernate();
    await say(room, agent);
    expect(phone.seqs()).toEqual([1, 2]);
  });

  it('goes on live where it was live, whoever had what waited committed', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    for (const id of ['a', 'b']) void room.hand(agent, JSON.stringify({ v: 1, id, type: 'text', payload: { content: 'x' } }));
    // A request for history does this, say.
    room.conversation.flush();
    await room.turn();
    room.hibernate();
    await say(room, agent);
    expect(phone.seqs()).toEqual([1, 2, 3]);
  });

  it('finishes a replay that was under way', async () => {
    const { room } = await lagging();
    const phone = await room.join(PHONE, room.resume(0));
    room.hibernate();
    await received(room, phone, 3);
    expect(phone.types().slice(-3)).toEqual(['text', 'text', 'system.synced']);
    room.hibernate();
    await received(room, phone, 5);
    expect(phone.of('system.synced')).toHaveLength(1);
  });
});

describe('a socket that sent a message', () => {
  it('does not get it back; the other sockets of its participant do', async () => {
    const room = new Room();
    const [agent, phone, tab] = [await room.join(AGENT), await room.join(PHONE), await room.join(PHONE)];
    const id = await say(room, phone, 'mine');
    expect(phone.seqs()).toEqual([]);
    for (const socket of [agent, tab]) expect(socket.of('text').map((frame) => frame.id)).toEqual([id]);
  });

  it('does not get it back either when it lagged, before or after a sleep', async () => {
    const { room, phone } = await lagging();
    await say(room, phone, 'mine');
    room.hibernate();
    await received(room, phone, 3);
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5]);
    await say(room, await room.join(AGENT), 'next');
    expect(phone.seqs()).toEqual([1, 2, 3, 4, 5, 7]);
  });

  it('gets it after a reconnect', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    await say(room, phone, 'mine');
    expect((await room.join(PHONE, room.resume(0))).seqs()).toEqual([1]);
  });

  it('is none when it came by HTTP: all of them get it', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    expect(await room.post(PHONE, 'text', { content: 'x' })).toMatchObject({ ok: true, seq: 1, duplicate: false });
    for (const socket of [agent, phone]) expect(socket.seqs()).toEqual([1]);
  });
});

describe('frames without a seq', () => {
  it('that are ephemeral are dropped for a socket that waits, and reach the others', async () => {
    const { room, agent, phone } = await lagging();
    const tablet = await room.join(TABLET);
    await room.send(agent, 'text.delta', { message_id: 'm', offset: 0, delta: 'x' });
    expect([phone.of('text.delta').length, tablet.of('text.delta').length]).toEqual([0, 1]);
    await received(room, phone, 3);
    await room.send(agent, 'text.delta', { message_id: 'm', offset: 1, delta: 'x' });
    expect(phone.of('text.delta')).toMatchObject([{ seq: null, payload: { offset: 1 } }]);
  });

  it('that are kept come once it has caught up, the newest only', async () => {
    const { room, agent, phone } = await lagging();
    for (const state of ['thinking', 'working']) await room.send(agent, 'status', { state });
    await room.send(agent, 'status', { state: 'error' }, { target: { kind: 'app', id: TABLET.id } });
    expect(phone.of('status')).toEqual([]);
    await received(room, phone, 1);
    expect(phone.of('status')).toEqual([]);
    room.hibernate();
    await received(room, phone, 4);
    expect(phone.of('status').map(({ payload }) => payload.state)).toEqual(['working']);
    expect(phone.types().at(-1)).toBe('status');
  });

  it('come to the agent likewise', async () => {
    const room = new Room(WINDOW);
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    for (let i = 0; i < 4; i++) await say(room, phone);
    const inventory = (revision: string) => ({ revision, standard_components: [], applications: [], capabilities: [] });
    for (const revision of ['1', '2']) await room.send(phone, 'client.inventory', inventory(revision));
    expect(agent.of('lineup.v1.client.inventory')).toEqual([]);
    await received(room, agent, 3);
    expect(agent.of('lineup.v1.client.inventory').map(({ payload }) => payload.revision)).toEqual(['2']);
  });

  it('that are kept do not wait for the rest of their own batch', async () => {
    const room = new Room();
    const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
    await room.burst([
      { socket: tablet, type: 'run.cancel', id: 'first', payload: {} },
      { socket: agent, type: 'text', id: 'a', payload: { content: 'x' } },
      { socket: agent, type: 'status', id: 'b', payload: { state: 'idle' } },
      { socket: agent, type: 'text', id: 'c', payload: { content: 'x' }, target: { kind: 'app', id: TABLET.id } },
    ]);
    expect(phone.types().slice(-2)).toEqual(['text', 'status']);
    expect(tablet.types().slice(-3)).toEqual(['text', 'status', 'text']);
  });

  it('that are control frames wait for nothing', async () => {
    const { room, agent, phone } = await lagging();
    room.cut(agent);
    expect(phone.types().at(-1)).toBe('system.presence');
  });
});

describe('a long log', () => {
  it('is replayed whole, in order, however many pages it is read in', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    for (let i = 0; i < 700; i++) await say(room, agent, `${i}`);
    const phone = await room.join(PHONE, room.resume(100));
    expect(phone.seqs()).toEqual(Array.from({ length: 600 }, (_, i) => 101 + i));
    expect(phone.types().at(-1)).toBe('system.synced');
  });

  it('that is for others all the way ends at the head', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    for (let i = 0; i < 300; i++) await room.send(agent, 'text', { content: 'x' }, { target: { kind: 'app', id: TABLET.id } });
    const phone = await room.join(PHONE, room.resume(0));
    expect(phone.types()).toEqual(['system.welcome', 'system.synced']);
    await say(room, agent, 'live');
    expect(phone.seqs()).toEqual([301]);
  });
});
