/** Kept types (§5, §7): only the latest counts, none is in the log, each is told live. */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';

const INVENTORY = 'lineup.v1.client.inventory';
const inventory = (revision: string, more: JsonObject = {}): JsonObject => ({
  revision,
  standard_components: [],
  applications: [],
  capabilities: [],
  ...more,
});
const capability = (name: string): JsonObject => ({ name, version: '1', risk: 'display_only' });
const tools = (...names: string[]): JsonObject => ({ tools: names.map((name) => ({ name, type: 'action' })) });

async function scene() {
  const room = new Room();
  const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
  return { room, agent, phone, tablet };
}

const inventories = async (room: Room): Promise<unknown> => (await room.join(AGENT)).of('system.welcome')[0]!.payload.inventories;
const revisions = (socket: Socket): unknown[] => socket.of(INVENTORY).map(({ payload }) => payload.revision);

describe('a kept message', () => {
  it('is acknowledged without a seq, told live, and not in the log', async () => {
    const { room, agent, phone, tablet } = await scene();
    expect(await room.ask(agent, 'status', { state: 'idle' }, { id: 's' })).toEqual({ ref: 's', seq: null, duplicate: false });
    for (const socket of [phone, tablet]) expect(socket.of('status')).toMatchObject([{ id: 's', seq: null, sender: AGENT }]);
    expect(room.ledger.log.head).toBe(0);
  });

  it('applies again when it is sent again', async () => {
    const { room, agent, phone } = await scene();
    for (const state of ['idle', 'working', 'idle']) await room.send(agent, 'status', { state }, { id: 's' });
    expect(phone.of('status').map(({ payload }) => payload.state)).toEqual(['idle', 'working', 'idle']);
  });

  it('of a device goes to its agent and its own other sockets', async () => {
    const { room, agent, phone, tablet } = await scene();
    const tab = await room.join(PHONE);
    await room.send(phone, 'app.list', { capabilities: [] });
    expect([agent, tab, phone, tablet].map((socket) => socket.of('lineup.v1.app.list').length)).toEqual([1, 1, 0, 0]);
  });

  it('for a device that is not there is a wrong target', async () => {
    const { room, agent } = await scene();
    const target = { kind: 'app', id: 'dv_nobodyaaaaaaaaaaa' };
    expect(await room.ask(agent, 'status', { state: 'idle' }, { target })).toMatchObject({ code: 'wrong_target' });
    expect(await room.ask(agent, 'tool.list', {}, { target })).toMatchObject({ code: 'wrong_target' });
  });

  it('is still there after a sleep and after a crash', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'status', { state: 'working' });
    await room.send(phone, INVENTORY, inventory('7'));
    for (const away of [() => room.hibernate(), () => room.crash()]) {
      away();
      expect((await room.join(PHONE)).of('system.welcome')[0]!.payload.status).toEqual({ state: 'working' });
      expect(await inventories(room)).toEqual([{ device_id: PHONE.id, revision: '7' }]);
    }
  });
});

describe('a status', () => {
  const statusOf = async (room: Room, who: typeof PHONE): Promise<unknown> => (await room.join(who)).of('system.welcome')[0]!.payload.status;

  it('for one device is known to that one alone, until there is one for all', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, 'status', { state: 'idle' });
    await room.send(agent, 'status', { state: 'idle' }, { target: { kind: 'app', id: TABLET.id } });
    await room.send(agent, 'status', { state: 'working' }, { target: { kind: 'app', id: PHONE.id } });
    expect([phone, tablet].map((socket) => socket.of('status').length)).toEqual([2, 2]);
    room.hibernate();
    expect([await statusOf(room, PHONE), await statusOf(room, TABLET), await statusOf(room, AGENT)]).toEqual([
      { state: 'working' },
      { state: 'idle' },
      { state: 'working' },
    ]);
    await room.send(await room.join(AGENT), 'status', { state: 'waiting' });
    expect([await statusOf(room, PHONE), await statusOf(room, TABLET)]).toEqual([{ state: 'waiting' }, { state: 'waiting' }]);
  });
});

describe('an inventory', () => {
  it('is current with its revision, and the newest accepted one counts', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, INVENTORY, inventory('1'));
    await room.send(tablet, INVENTORY, inventory('1'));
    await room.send(phone, INVENTORY, inventory('2'));
    expect(revisions(agent)).toEqual(['1', '1', '2']);
    expect(await inventories(room)).toEqual([
      { device_id: PHONE.id, revision: '2' },
      { device_id: TABLET.id, revision: '1' },
    ]);
  });

  it('with the revision and content of another is a duplicate; a superseded one does not become current again', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, INVENTORY, inventory('1', { capabilities: [capability('a')] }));
    await room.send(phone, INVENTORY, inventory('2'));
    const { revision, ...rest } = inventory('1', { capabilities: [capability('a')] });
    expect(await room.ask(phone, INVENTORY, { ...rest, revision: revision! })).toMatchObject({ seq: null, duplicate: true });
    expect(revisions(agent)).toEqual(['1', '2']);
    expect(await inventories(room)).toEqual([{ device_id: PHONE.id, revision: '2' }]);
  });

  it('with the revision of another and other content is a conflict', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, INVENTORY, inventory('1'));
    room.hibernate();
    expect(await room.ask(phone, INVENTORY, inventory('1', { capabilities: [capability('a')] }))).toMatchObject({ code: 'revision_conflict' });
    expect(revisions(agent)).toEqual(['1']);
  });

  it('has its revisions for itself: another device may use the same', async () => {
    const { room, phone, tablet } = await scene();
    await room.send(phone, INVENTORY, inventory('1'));
    expect(await room.ask(tablet, INVENTORY, inventory('1', { capabilities: [capability('a')] }))).toMatchObject({ duplicate: false });
  });

  it('goes with its device when that is revoked', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, INVENTORY, inventory('1', { capabilities: [capability('a')] }));
    await room.send(phone, 'tool.list', tools('choice'));
    room.revoke(PHONE);
    expect(await inventories(room)).toEqual([]);
    const again = await room.join(AGENT);
    expect([again.of(INVENTORY), again.of('tool.list')]).toEqual([[], []]);
    room.hibernate();
    expect(room.ledger.declarations.standing('capability', 'a', [PHONE.id])).toBe('unknown');
    expect(agent.closedWith).toBe(4409);
  });
});

describe('how a capability stands', () => {
  const standing = (room: Room, name: string, ...devices: string[]) => room.ledger.declarations.standing('capability', name, devices);

  it('is unknown, declared, revoked or undeclared', async () => {
    const { room, phone } = await scene();
    expect(standing(room, 'a', PHONE.id)).toBe('unknown');
    await room.send(phone, INVENTORY, inventory('1', { capabilities: [capability('a'), capability('b')] }));
    await room.send(phone, INVENTORY, inventory('2', { capabilities: [capability('a')] }));
    for (const away of [() => undefined, () => room.hibernate()]) {
      away();
      expect(['a', 'b', 'c'].map((name) => standing(room, name, PHONE.id))).toEqual(['declared', 'revoked', 'undeclared']);
      expect(standing(room, 'a', TABLET.id)).toBe('unknown');
      expect(standing(room, 'b', PHONE.id, TABLET.id)).toBe('revoked');
    }
  });

  it('may be declared anew', async () => {
    const { room, phone } = await scene();
    for (const [revision, names] of [
      ['1', ['a']],
      ['2', []],
      ['3', ['a']],
    ] as const) {
      await room.send(phone, INVENTORY, inventory(revision, { capabilities: names.map(capability) }));
    }
    expect(standing(room, 'a', PHONE.id)).toBe('declared');
  });

  it('does not change with a sealed app.list that says nothing', async () => {
    const { room, phone } = await scene();
    await room.send(phone, INVENTORY, inventory('1', { capabilities: [capability('a')] }));
    await room.send(phone, 'app.list', { sealed: 'x.y' });
    expect(standing(room, 'a', PHONE.id)).toBe('declared');
  });

  it('writes what changed, and nothing for what did not', async () => {
    const { room, phone } = await scene();
    await room.send(phone, INVENTORY, inventory('1', { capabilities: [capability('a'), capability('b')] }));
    room.sql.writes.length = 0;
    await room.send(phone, INVENTORY, inventory('2', { capabilities: [capability('a')] }));
    expect(room.sql.writes.filter((write) => write === 'INSERT INTO declared')).toHaveLength(1);
  });
});

describe('the question for tools', () => {
  it('goes to the devices that are there, and their answers to the agent', async () => {
    const { room, agent, phone, tablet } = await scene();
    expect(await room.ask(agent, 'tool.list', {}, { id: 'q' })).toMatchObject({ seq: null, duplicate: false });
    for (const socket of [phone, tablet]) expect(socket.of('tool.list')).toMatchObject([{ id: 'q', payload: {} }]);
    await room.send(phone, 'tool.list', { ...tools('choice'), reply_to: 'q' });
    expect(agent.of('tool.list')).toMatchObject([{ sender: PHONE, payload: { ...tools('choice'), reply_to: 'q' } }]);
    expect(tablet.of('tool.list')).toHaveLength(1);
  });

  it('is answered by the relay when no device is there: the last answer of each, stale', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, 'tool.list', { ...tools('choice'), reply_to: 'before' });
    await room.send(tablet, 'tool.list', tools('input'));
    for (const socket of [phone, tablet]) room.cut(socket);
    const from = agent.frames.length;
    await room.send(agent, 'tool.list', {}, { id: 'q' });
    expect(agent.frames.slice(from)).toMatchObject([
      { type: 'system.ack', payload: { ref: 'q' } },
      { type: 'tool.list', sender: PHONE, seq: null, payload: { ...tools('choice'), reply_to: 'q', stale: true } },
      { type: 'tool.list', sender: TABLET, payload: { ...tools('input'), reply_to: 'q', stale: true } },
    ]);
  });

  it('is answered by the relay with nothing when nothing is known', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    await room.send(agent, 'tool.list', {}, { id: 'q' });
    expect(agent.of('tool.list')).toMatchObject([{ sender: { kind: 'relay' }, payload: { tools: [], reply_to: 'q', stale: true } }]);
  });

  it('for a device that is away is answered for that one, though others are there', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(tablet, 'tool.list', tools('input'));
    room.cut(tablet);
    await room.send(agent, 'tool.list', {}, { target: { kind: 'app', id: TABLET.id } });
    expect(agent.of('tool.list').at(-1)).toMatchObject({ sender: TABLET, payload: { stale: true } });
    expect(phone.of('tool.list')).toEqual([]);
  });
});
