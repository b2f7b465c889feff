/** Who is online (§4 "Presence") and how far everyone has read ("Receipts"). */
import { describe, expect, it } from 'vitest';
import { AGENT, OPENS_AT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';

const at = (ms: number): string => new Date(OPENS_AT + ms).toISOString();
const presence = (socket: Socket): JsonObject[] => socket.of('system.presence').map(({ payload }) => payload);
const receipts = (socket: Socket): JsonObject[] => socket.of('system.receipt').map(({ payload }) => payload);
const online = (socket: Socket): [string, boolean][] =>
  presence(socket).map(({ peer, online: is }) => [(peer as JsonObject).id as string, is as boolean]);

describe('presence', () => {
  it('is told to the other side, and to nobody else', async () => {
    const room = new Room();
    const [agent, tablet] = [await room.join(AGENT), await room.join(TABLET)];
    room.pass(1_000);
    const phone = await room.join(PHONE);
    expect(presence(agent).at(-1)).toEqual({ peer: { ...PHONE, name: PHONE.id }, online: true, last_seen: at(1_000) });
    room.pass(1_000);
    room.cut(phone);
    expect(presence(agent).at(-1)).toEqual({ peer: { ...PHONE, name: PHONE.id }, online: false, last_seen: at(1_000) });
    expect(presence(tablet)).toEqual([]);
    room.cut(agent);
    expect(online(tablet)).toEqual([[AGENT.id, false]]);
  });

  it('comes once for a participant, however many sockets it has', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    const tabs = [await room.join(PHONE), await room.join(PHONE), await room.join(PHONE)];
    room.cut(tabs[1]!);
    room.cut(tabs[0]!);
    expect(online(agent)).toEqual([[PHONE.id, true]]);
    room.cut(tabs[2]!);
    expect(online(agent)).toEqual([
      [PHONE.id, true],
      [PHONE.id, false],
    ]);
  });

  it('does not change when a participant only changes sockets', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    await room.join(AGENT, { session: 'a' });
    await room.join(AGENT, { session: 'a', attempt: 1 });
    await room.join(AGENT, { session: 'b' });
    expect(online(phone)).toEqual([[AGENT.id, true]]);
  });

  it('counts nobody who has not said hello', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    room.cut(room.connect(PHONE));
    expect(presence(agent)).toEqual([]);
  });

  it('ends for who is silent for more than 75 s, judged with whatever comes next', async () => {
    const room = new Room();
    const [agent] = [await room.join(AGENT), await room.join(PHONE)];
    room.pass(75_000);
    await room.send(agent, 'system.ping');
    expect(online(agent)).toEqual([[PHONE.id, true]]);
    room.pass(1_000);
    await room.send(agent, 'text', { content: 'x' });
    expect(presence(agent).at(-1)).toEqual({ peer: { ...PHONE, name: PHONE.id }, online: false, last_seen: at(0) });
  });

  it('goes by the pings that the runtime answered', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    room.pass(80_000);
    phone.lastPing = room.now - 20_000;
    await room.send(agent, 'system.ping');
    expect(online(agent)).toEqual([[PHONE.id, true]]);
    room.pass(60_000);
    await room.send(agent, 'system.ping');
    expect(presence(agent).at(-1)).toMatchObject({ online: false, last_seen: at(60_000) });
  });

  it('begins again at once with a frame of who was silent', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    room.pass(80_000);
    await room.send(agent, 'system.ping');
    room.pass(100);
    await room.send(phone, 'system.ping');
    expect(presence(agent).at(-1)).toMatchObject({ online: true, last_seen: at(80_100) });
  });

  it('says of who is cut after a long silence when it was last heard', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    room.pass(600_000);
    room.cut(phone);
    expect(presence(agent).at(-1)).toMatchObject({ online: false, last_seen: at(0) });
    const again = await room.join(AGENT);
    expect(again.of('system.welcome')[0]!.payload.peers).toMatchObject([{ ...PHONE, last_seen: at(0) }, TABLET]);
  });

  it('is not announced again after a sleep', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    const before = [agent, phone].map((socket) => presence(socket).length);
    room.hibernate();
    await room.send(agent, 'system.ping');
    await room.send(phone, 'system.ping');
    expect([agent, phone].map((socket) => presence(socket).length)).toEqual(before);
  });

  it('that was told to be over before a sleep is not told again', async () => {
    const room = new Room();
    const [agent] = [await room.join(AGENT), await room.join(PHONE)];
    room.pass(80_000);
    await room.send(agent, 'system.ping');
    room.hibernate();
    await room.send(agent, 'system.ping');
    expect(online(agent)).toEqual([
      [PHONE.id, true],
      [PHONE.id, false],
    ]);
  });

  it('that ended during a sleep is told at the first frame', async () => {
    const room = new Room();
    const [agent] = [await room.join(AGENT), await room.join(PHONE)];
    room.now += 200_000;
    room.hibernate();
    await room.send(agent, 'system.ping');
    expect(online(agent).at(-1)).toEqual([PHONE.id, false]);
    expect(agent.types().at(-1)).toBe('system.pong');
  });

  it('is known before the question that asks for tools, not after it', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(phone, 'tool.list', { tools: [{ name: 'choice', type: 'action' }] });
    room.now += 200_000;
    room.hibernate();
    await room.send(agent, 'tool.list', {});
    expect(agent.of('tool.list').at(-1)).toMatchObject({ sender: PHONE, payload: { stale: true } });
    expect(phone.of('tool.list')).toEqual([]);
  });

  it('knows who is online when asked', async () => {
    const room = new Room();
    await room.join(PHONE);
    expect([PHONE, TABLET].map(({ id }) => room.conversation.roster.isOnline(id))).toEqual([true, false]);
    room.pass(80_000);
    room.conversation.judgePresence();
    expect(room.conversation.roster.onlineIds()).toEqual([]);
  });

  it('writes a row only for who goes after a while, or has read on', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    await room.send(agent, 'text', { content: 'x' });
    const rows = () => room.sql.writes.filter((write) => write === 'UPDATE participants').length;
    room.cut(await room.join(PHONE));
    expect(rows()).toBe(1);
    for (let i = 0; i < 50; i++) room.cut(await room.join(PHONE, room.resume(0)));
    expect(rows()).toBe(1);
    room.cut(await room.join(PHONE, room.resume(1)));
    expect(rows()).toBe(2);
    room.pass(61_000);
    room.cut(await room.join(PHONE));
    expect(rows()).toBe(3);
  });
});

describe('a receipt', () => {
  it('tells the other side how far a participant has read', async () => {
    const room = new Room();
    const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: 'x' });
    await room.send(phone, 'system.received', { seq: 2 });
    expect(receipts(agent)).toEqual([{ participant: PHONE, seq: 2 }]);
    await room.send(agent, 'system.received', { seq: 3 });
    for (const socket of [phone, tablet]) expect(receipts(socket)).toEqual([{ participant: AGENT, seq: 3 }]);
    expect(phone.of('system.ack')).toEqual([]);
  });

  it('comes only when the cursor of a participant moves on, whichever of its sockets moved it', async () => {
    const room = new Room();
    const [agent, phone, tab] = [await room.join(AGENT), await room.join(PHONE), await room.join(PHONE)];
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: 'x' });
    for (const seq of [2, 2, 1]) await room.send(phone, 'system.received', { seq });
    await room.send(tab, 'system.received', { seq: 1 });
    await room.send(tab, 'system.received', { seq: 3 });
    expect(receipts(agent).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it('comes of a resume as well, but not of one that ended in a gap', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: 'x' });
    await room.join(PHONE, { resume: { epoch: 'another', seq: 3 } });
    await room.join(PHONE);
    expect(receipts(agent)).toEqual([]);
    await room.join(PHONE, room.resume(2));
    expect(receipts(agent)).toEqual([{ participant: PHONE, seq: 2 }]);
  });

  const receivedBy = async (room: Room): Promise<unknown[]> => {
    const peers = (await room.join(AGENT)).of('system.welcome')[0]!.payload.peers as JsonObject[];
    return peers.map(({ received }) => received);
  };

  it('is remembered in welcomes: while its sockets are there, when they are gone, and after a crash what was written', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: 'x' });
    await room.send(phone, 'system.received', { seq: 2 });
    expect(await receivedBy(room)).toEqual([2, 0]);
    room.hibernate();
    expect(await receivedBy(room)).toEqual([2, 0]);
    room.cut(phone);
    room.crash();
    expect(await receivedBy(room)).toEqual([2, 0]);
  });

  it('is not told again after a sleep, and not forgotten with a batch that fails', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: 'x' });
    await room.send(phone, 'system.received', { seq: 2 });
    room.hibernate();
    await room.send(phone, 'system.received', { seq: 1 });
    expect(receipts(agent)).toHaveLength(1);
    room.sql.failWith = new Error('no');
    await room.send(agent, 'text', { content: 'x' });
    room.sql.failWith = undefined;
    await room.send(phone, 'system.received', { seq: 2 });
    expect(receipts(agent)).toHaveLength(1);
  });

  it('is not made of a hello that resumes nothing, after a sleep either', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    for (let i = 0; i < 3; i++) await room.send(agent, 'text', { content: 'x' });
    await room.join(PHONE);
    room.hibernate();
    expect(await receivedBy(room)).toEqual([0, 0]);
  });
});

describe('a ping', () => {
  it('is answered with its own payload and id, after what was sent before it', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    await room.burst([
      { socket: phone, type: 'run.cancel', id: 'a', payload: {} },
      { socket: phone, type: 'run.cancel', id: 'b', payload: {} },
      { socket: phone, type: 'system.ping', id: 'p', payload: { at: 5 } },
    ]);
    expect(phone.frames.slice(-3).map(({ payload }) => payload)).toEqual([
      { ref: 'a', seq: 1, duplicate: false },
      { ref: 'b', seq: 2, duplicate: false },
      { at: 5, ping_id: 'p' },
    ]);
  });
});
