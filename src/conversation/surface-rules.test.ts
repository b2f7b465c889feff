/** lineup.v1.ui.* (§5): open, patch, close, and what the user does. */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';

const OPEN = 'lineup.v1.ui.open';
const PATCH = 'lineup.v1.ui.patch';
const CLOSE = 'lineup.v1.ui.close';
const EVENT = 'lineup.v1.ui.event';

const opening = (instance_id = 's', app: JsonObject = {}): JsonObject => ({
  instance_id,
  app: { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>', ...app },
  state: { n: 0 },
});
const patch = (n: number, instance_id = 's'): JsonObject => ({ instance_id, state: { n } });
const event = (name: string, instance_id = 's'): JsonObject => ({ instance_id, event: name, data: {} });
const inventory = (revision: string, ...ids: string[]): JsonObject => ({
  revision,
  standard_components: [],
  applications: ids.map((id) => ({ id, version: '1' })),
  capabilities: [],
});
const onlyFor = (device: { id: string }) => ({ target: { kind: 'app', id: device.id } });

async function scene(limits: ConstructorParameters<typeof Room>[0] = {}) {
  const room = new Room(limits);
  const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
  return { room, agent, phone, tablet };
}

const states = (socket: Socket): unknown[] => socket.of(PATCH).map(({ payload }) => (payload.state as JsonObject).n);

describe('a surface', () => {
  it('is opened, patched and closed for every device', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, OPEN, opening());
    await room.send(agent, PATCH, patch(1));
    await room.send(agent, CLOSE, { instance_id: 's', reason: 'done' });
    for (const socket of [phone, tablet]) expect(socket.logged().map(({ type }) => type)).toEqual([OPEN, PATCH, CLOSE]);
    expect(room.ledger.surfaces.count).toBe(0);
  });

  it.each([PATCH, CLOSE, EVENT])('that was never opened, or is closed, takes no %s', async (type) => {
    const { room, agent, phone } = await scene();
    const sender = type === EVENT ? phone : agent;
    const payload = type === PATCH ? patch(1) : type === EVENT ? event('tap') : { instance_id: 's' };
    expect(await room.ask(sender, type, payload)).toMatchObject({ code: 'unknown_instance' });
    await room.send(agent, OPEN, opening());
    await room.send(agent, CLOSE, { instance_id: 's' });
    expect(await room.ask(sender, type, payload)).toMatchObject({ code: 'unknown_instance' });
  });

  it('is for the device that it was opened for, with all that follows', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, OPEN, opening(), onlyFor(PHONE));
    await room.send(agent, PATCH, patch(1));
    expect(await room.ask(tablet, EVENT, event('tap'))).toMatchObject({ code: 'unknown_instance' });
    await room.send(phone, EVENT, event('tap'));
    await room.send(agent, CLOSE, { instance_id: 's' }, onlyFor(TABLET));
    expect(phone.logged().map(({ type }) => type)).toEqual([OPEN, PATCH, CLOSE]);
    expect(tablet.logged()).toEqual([]);
    expect((await room.join(TABLET, room.resume(0))).logged()).toEqual([]);
  });

  it('is not opened for a device that is not there', async () => {
    const { room, agent } = await scene();
    expect(await room.ask(agent, OPEN, opening(), onlyFor({ id: 'dv_nobodyaaaaaaaaaaa' }))).toMatchObject({ code: 'wrong_target' });
  });

  it('is replaced by another open of the same instance', async () => {
    const { room, agent } = await scene({ open_surfaces: 1 });
    await room.send(agent, OPEN, opening());
    await room.send(agent, PATCH, patch(1));
    const { seq } = await room.ask(agent, OPEN, opening('s', { version: '2.0.0' }));
    expect(room.ledger.surfaces.all()).toEqual([{ instance_id: 's', audience: null, open_seq: seq, patch_seq: null }]);
    expect((await room.join(PHONE)).seqs()).toEqual([seq]);
    expect(room.ledger.log.frameAt(2)).toBeUndefined();
  });

  it('may be one of 64, and no more (§8)', async () => {
    const { room, agent } = await scene({ open_surfaces: 2 });
    for (const id of ['a', 'b']) await room.send(agent, OPEN, opening(id));
    expect(await room.ask(agent, OPEN, opening('c'))).toMatchObject({ code: 'too_many' });
    await room.send(agent, CLOSE, { instance_id: 'a' });
    expect(await room.ask(agent, OPEN, opening('c'))).toMatchObject({ duplicate: false });
  });

  it('opened again with the same id and content is a duplicate, delivered to nobody', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, OPEN, opening(), { id: 'o' });
    await room.send(agent, PATCH, patch(1), { id: 'p' });
    await room.send(agent, PATCH, patch(2));
    const before = phone.frames.length;
    expect(await room.ask(agent, OPEN, opening(), { id: 'o' })).toEqual({ ref: 'o', seq: 1, duplicate: true });
    // The patch was compacted away meanwhile.
    expect(await room.ask(agent, PATCH, patch(1), { id: 'p' })).toEqual({ ref: 'p', seq: 2, duplicate: true });
    expect(await room.ask(agent, PATCH, patch(9), { id: 'p' })).toMatchObject({ code: 'id_conflict' });
    expect(phone.frames.length).toBe(before);
    await room.send(agent, CLOSE, { instance_id: 's' }, { id: 'c' });
    expect(await room.ask(agent, CLOSE, { instance_id: 's' }, { id: 'c' })).toMatchObject({ seq: 4, duplicate: true });
    expect(room.ledger.surfaces.count).toBe(0);
  });

  it('stays open while the object sleeps, and after a crash', async () => {
    const { room, agent } = await scene();
    await room.send(agent, OPEN, opening());
    await room.send(agent, PATCH, patch(1));
    room.hibernate();
    await room.send(agent, PATCH, patch(2));
    room.crash();
    expect((await room.join(PHONE)).seqs()).toEqual([1, 3]);
  });
});

describe('a patch', () => {
  it('leaves only the newest in the log', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, OPEN, opening());
    for (const n of [1, 2, 3]) await room.send(agent, PATCH, patch(n));
    expect(states(phone)).toEqual([1, 2, 3]);
    const late = await room.join(TABLET, room.resume(0));
    expect(late.seqs()).toEqual([1, 4]);
    expect(states(late)).toEqual([3]);
  });

  it('keeps those of other instances', async () => {
    const { room, agent } = await scene();
    for (const id of ['a', 'b']) await room.send(agent, OPEN, opening(id));
    for (const [n, id] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
    ] as const)
      await room.send(agent, PATCH, patch(n, id));
    expect(states(await room.join(TABLET, room.resume(0)))).toEqual([2, 3]);
  });

  it('goes with the surface that is closed', async () => {
    const { room, agent } = await scene();
    await room.send(agent, OPEN, opening());
    await room.send(agent, PATCH, patch(1));
    await room.send(agent, CLOSE, { instance_id: 's' });
    const late = await room.join(TABLET, room.resume(0));
    expect(late.logged().map(({ type }) => type)).toEqual([OPEN, CLOSE]);
  });
});

describe('an open without html', () => {
  const bare = (id = 's'): JsonObject => opening(id, { html: undefined as never });

  it('is delivered while no inventory is known', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, OPEN, bare());
    expect(phone.of(OPEN)).toHaveLength(1);
  });

  it('needs the app in a current inventory, else it is undeclared or revoked', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'client.inventory', inventory('1'));
    expect(await room.ask(agent, OPEN, bare())).toMatchObject({ code: 'undeclared' });
    await room.send(phone, 'client.inventory', inventory('2', 'com.example.app'));
    expect(await room.ask(agent, OPEN, bare())).toMatchObject({ duplicate: false });
    await room.send(phone, 'client.inventory', inventory('3'));
    expect(await room.ask(agent, OPEN, bare('t'))).toMatchObject({ code: 'revoked' });
    expect(await room.ask(agent, OPEN, opening('t'))).toMatchObject({ duplicate: false });
  });

  it('goes by the inventory of the device that it is for', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, 'client.inventory', inventory('1'));
    await room.send(tablet, 'client.inventory', inventory('1', 'com.example.app'));
    expect(await room.ask(agent, OPEN, bare(), onlyFor(PHONE))).toMatchObject({ code: 'undeclared' });
    expect(await room.ask(agent, OPEN, bare(), onlyFor(TABLET))).toMatchObject({ duplicate: false });
    expect(await room.ask(agent, OPEN, bare('t'))).toMatchObject({ duplicate: false });
  });

  it('does not go by app.list, which says nothing of apps', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'app.list', { capabilities: [] });
    expect(await room.ask(agent, OPEN, bare())).toMatchObject({ duplicate: false });
  });

  it('is not looked at when it is sealed', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'client.inventory', inventory('1'));
    expect(await room.ask(agent, OPEN, { instance_id: 's', app: { id: 'com.example.app' }, sealed: 'x.y' })).toMatchObject({ duplicate: false });
  });
});

describe('an event', () => {
  it('goes to the agent, and to the other sockets of its device', async () => {
    const { room, agent, phone, tablet } = await scene();
    const tab = await room.join(PHONE);
    await room.send(agent, OPEN, opening());
    await room.send(phone, EVENT, event('tap'));
    expect([agent, tab, phone, tablet].map((socket) => socket.of(EVENT).length)).toEqual([1, 1, 0, 0]);
  });

  it('named close closes the surface for everyone: the other sockets get a close of the relay, the agent the event', async () => {
    const { room, agent, phone, tablet } = await scene();
    const tab = await room.join(PHONE);
    await room.send(agent, OPEN, opening());
    await room.send(agent, PATCH, patch(1));
    await room.send(phone, EVENT, event('close'));
    for (const socket of [tab, tablet]) {
      expect(socket.of(CLOSE)).toMatchObject([{ seq: 4, sender: { kind: 'relay' }, payload: { instance_id: 's', reason: 'user' } }]);
    }
    for (const socket of [agent, phone]) expect(socket.of(CLOSE)).toEqual([]);
    expect(agent.of(EVENT)).toMatchObject([{ seq: 3, payload: { event: 'close' } }]);
    expect((await room.join(TABLET)).of('system.welcome')[0]!.payload.surfaces).toEqual([]);
    expect(await room.ask(tablet, EVENT, event('close'))).toMatchObject({ code: 'unknown_instance' });
    expect((await room.join(AGENT, room.resume(0))).of(CLOSE)).toEqual([]);
  });

  it('that closes what one device alone saw is told to nobody else', async () => {
    const { room, agent, phone, tablet } = await scene();
    const tab = await room.join(PHONE);
    await room.send(agent, OPEN, opening(), onlyFor(PHONE));
    await room.send(phone, EVENT, event('close'));
    expect([tab, tablet, agent].map((socket) => socket.of(CLOSE).length)).toEqual([1, 0, 0]);
  });

  it('over HTTP that closes tells all sockets of devices', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, OPEN, opening());
    await room.post(PHONE, EVENT, event('close'));
    expect([phone, tablet].map((socket) => socket.of(CLOSE).length)).toEqual([1, 1]);
  });
});
