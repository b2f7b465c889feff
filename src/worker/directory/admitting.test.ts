import { describe, expect, it } from 'vitest';
import { DirectoryWorld } from '../../../test/support/directory.ts';
import { makeId } from '../../protocol/ids.ts';
import { admit, knows, refresh } from './admitting.ts';
import { enrol, replaceToken, revokeAgent } from './enrolling.ts';
import { revokeDevice } from './pairing.ts';

const DAY_MS = 86_400_000;

describe('admitting', () => {
  it('lets an agent and its devices into its conversation, under their own names', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent('Hermes');
    const device = await world.device(agent);
    const admission = (kind: string, id: string, name: string) => ({
      ok: true,
      admission: { participant: { kind, id }, name, fresh_token: null, at: world.clock.at },
    });
    expect(await admit(world.registry, agent.token, agent.conversation)).toEqual(admission('agent', agent.id, 'Hermes'));
    expect(await admit(world.registry, device.token, agent.conversation)).toEqual(admission('app', device.id, 'Phone'));
  });

  it('tells a conversation of somebody else and one that does not exist apart for nobody', async () => {
    const world = new DirectoryWorld();
    const [agent, other] = [await world.agent(), await world.agent()];
    const device = await world.device(other);
    for (const { token } of [other, device]) {
      for (const id of [agent.conversation, makeId('cv'), 'x', null]) {
        expect(await admit(world.registry, token, id)).toEqual({ ok: false, denial: 'not_found' });
      }
    }
  });

  it('knows who was revoked, whichever conversation they ask for', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const [device, second] = [await world.device(agent), await world.device(agent)];
    await revokeDevice(world.registry, agent.token, device.id);
    for (const id of [agent.conversation, makeId('cv'), null]) {
      expect(await admit(world.registry, device.token, id)).toEqual({ ok: false, denial: 'revoked' });
    }
    expect(await admit(world.registry, second.token, agent.conversation)).toMatchObject({ ok: true });
    await revokeAgent(world.registry, agent.id);
    for (const { token } of [agent, device, second]) {
      expect(await admit(world.registry, token, agent.conversation)).toEqual({ ok: false, denial: 'revoked' });
      expect(await refresh(world.registry, token)).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
    }
  });

  it("refuses an agent's older tokens once it has a new one; its devices' stay good", async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const device = await world.device(agent);
    expect(await replaceToken(world.registry, agent.id)).toMatchObject({ token: expect.stringContaining('.') });
    expect(await admit(world.registry, agent.token, agent.conversation)).toEqual({ ok: false, denial: 'replaced' });
    expect(await refresh(world.registry, agent.token)).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
    expect(await admit(world.registry, world.claims({ role: 'agent', sub: agent.id, gen: 1 }), agent.conversation)).toMatchObject({ ok: true });
    expect(await admit(world.registry, device.token, agent.conversation)).toMatchObject({ ok: true });
    expect(await replaceToken(world.registry, makeId('ag'))).toBeNull();
  });

  it('brings a fresh token when the old one is in its last third', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const device = await world.device(agent);
    world.clock.at += 21 * DAY_MS;
    expect(await admit(world.registry, agent.token, agent.conversation)).toMatchObject({ admission: { fresh_token: null } });
    expect(await admit(world.registry, device.token, agent.conversation)).toMatchObject({ admission: { fresh_token: expect.stringContaining('.') } });
  });
});

describe('a conversation that did not hear of its making', () => {
  it('is made before anybody enters it, and nobody is sent away for good', async () => {
    const world = new DirectoryWorld();
    const hearing = world.heard;
    // The id is not known before: every conversation is deaf at first.
    world.deaf.has = () => true;
    const { agent_id, conversation_id } = await enrol(world.registry, { name: 'Hermes', agent: null, version: null });
    const token = world.claims({ role: 'agent', sub: agent_id, gen: 0 });
    expect(hearing).toEqual([]);
    await expect(admit(world.registry, token, conversation_id)).rejects.toThrow(/could not be made yet/);
    await expect(knows(world.registry, conversation_id)).rejects.toThrow(/could not be made yet/);
    world.deaf.has = () => false;
    expect(await admit(world.registry, token, conversation_id)).toMatchObject({ ok: true });
    expect(world.kinds(conversation_id)).toEqual(['create']);
    expect(world.wakeAt).toBeNull();
    expect(await knows(world.registry, conversation_id)).toBe(true);
    expect(await knows(world.registry, makeId('cv'))).toBe(false);
  });
});
