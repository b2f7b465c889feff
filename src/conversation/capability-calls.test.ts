/** What becomes of an app.call by what devices declare (§6, 6). */
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../test/support/calls.ts';
import { AGENT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';

async function scene() {
  const room = new Room();
  const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
  return { room, agent, phone, tablet };
}

const statusOf = (room: Room, callId: string): string | undefined => room.ledger.calls.get(callId)?.status;

describe('an app.call for a capability (rule 6)', () => {
  const inventory = (revision: string, ...capabilities: string[]): JsonObject => ({
    revision,
    standard_components: [],
    applications: [],
    capabilities: capabilities.map((name) => ({ name, version: '1', risk: 'display_only' })),
  });
  const ask = (room: Room, agent: Socket, call_id: string, target?: string) =>
    room.ask(agent, 'app.call', KINDS.app.asked(call_id), target === undefined ? {} : { target: { kind: 'app', id: target } });
  const unsupported = (code: string) => [{ sender: { kind: 'relay' }, payload: { status: 'unsupported', error: { code } } }];

  it('is delivered while no inventory is known', async () => {
    const { room, agent, phone } = await scene();
    await ask(room, agent, 'c');
    expect(phone.of('lineup.v1.app.call')).toHaveLength(1);
  });

  it('that nobody declares is settled at once as undeclared, and shown to no device', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, 'client.inventory', inventory('1', 'app.notify'));
    const before = [phone, tablet].map((socket) => socket.frames.length);
    expect(await ask(room, agent, 'c')).toMatchObject({ duplicate: false });
    expect(agent.of('lineup.v1.app.result')).toMatchObject(unsupported('undeclared'));
    expect([phone, tablet].map((socket) => socket.frames.length)).toEqual(before);
    expect((await room.join(TABLET, room.resume(0))).logged()).toEqual([]);
  });

  it('that was declared once is settled as revoked', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'client.inventory', inventory('1', 'clipboard.write'));
    await room.send(phone, 'client.inventory', inventory('2'));
    await ask(room, agent, 'c');
    expect(agent.of('lineup.v1.app.result')).toMatchObject(unsupported('revoked'));
  });

  it('that any device declares is delivered', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, 'client.inventory', inventory('1'));
    await room.send(tablet, 'client.inventory', inventory('1', 'clipboard.write'));
    await ask(room, agent, 'c');
    expect(phone.of('lineup.v1.app.call')).toHaveLength(1);
  });

  it('for one device goes by the inventory of that one', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, 'client.inventory', inventory('1'));
    await room.send(tablet, 'client.inventory', inventory('1', 'clipboard.write'));
    await ask(room, agent, 'c', PHONE.id);
    expect(agent.of('lineup.v1.app.result')).toMatchObject(unsupported('undeclared'));
    await ask(room, agent, 'd', TABLET.id);
    expect(tablet.of('lineup.v1.app.call')).toHaveLength(1);
  });

  it('goes by app.list as well, and of the two by the newer', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'app.list', { capabilities: inventory('', 'clipboard.write').capabilities! });
    await ask(room, agent, 'c');
    expect(statusOf(room, 'c')).toBe('pending');
    await room.send(phone, 'client.inventory', inventory('1'));
    await ask(room, agent, 'd');
    expect(agent.of('lineup.v1.app.result')).toMatchObject(unsupported('revoked'));
    await room.send(phone, 'app.list', { capabilities: inventory('', 'clipboard.write').capabilities! });
    await ask(room, agent, 'e');
    expect(statusOf(room, 'e')).toBe('pending');
  });

  it('does not go by a superseded inventory that is sent again', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'client.inventory', inventory('1', 'clipboard.write'));
    await room.send(phone, 'client.inventory', inventory('2'));
    expect(await room.ask(phone, 'client.inventory', inventory('1', 'clipboard.write'))).toMatchObject({ seq: null, duplicate: true });
    await ask(room, agent, 'c');
    expect(agent.of('lineup.v1.app.result')).toMatchObject(unsupported('revoked'));
  });

  it('is delivered again once the only device with an inventory is revoked', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, 'client.inventory', inventory('1'));
    room.revoke(PHONE);
    await ask(room, agent, 'c');
    expect(tablet.of('lineup.v1.app.call')).toHaveLength(1);
  });

  it('stands as it stood after the object slept', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'client.inventory', inventory('1', 'clipboard.write'));
    await room.send(phone, 'client.inventory', inventory('2', 'app.notify'));
    room.hibernate();
    await ask(room, agent, 'c');
    expect(agent.of('lineup.v1.app.result')).toMatchObject(unsupported('revoked'));
  });
});
