import { describe, expect, it } from 'vitest';
import { DirectoryWorld } from '../../../test/support/directory.ts';
import { makeId } from '../../protocol/ids.ts';
import { conversations, deleteConversation, makeConversation, renameConversation } from './conversing.ts';
import { agents, revokeAgent } from './enrolling.ts';

const notFound = { ok: false, error: { code: 'not_found' } };

describe('conversations', () => {
  it('are made by the agent and its devices, and each is told to the others', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent('Hermes');
    const device = await world.device(agent);
    world.heard.length = 0;
    const made = await makeConversation(world.registry, device.token, 'Second');
    const conversation = { conversation_id: expect.stringMatching(/^cv_[a-z0-9]{24}$/), title: 'Second', created_at: '2026-11-29T12:00:00.000Z' };
    expect(made).toEqual({ ok: true, value: conversation });
    expect(world.heard).toHaveLength(2);
    expect(world.heard).toContainEqual({ to: agent.conversation, letter: { kind: 'conversation', conversation, change: 'created' } });
    expect(world.heard).toContainEqual({
      to: made.ok && made.value.conversation_id,
      letter: {
        kind: 'create',
        conversation: { ...conversation, agent: { id: agent.id, name: 'Hermes' }, devices: [expect.objectContaining({ device_id: device.id })] },
      },
    });
    for (const { token } of [agent, device]) {
      const listed = conversations(world.registry, token);
      expect(listed.ok && listed.value.map(({ title }) => title).toSorted()).toEqual([null, 'Second'].toSorted());
    }
  });

  it('are renamed, and all hear it, the renamed one too', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    await makeConversation(world.registry, agent.token, 'Second');
    world.heard.length = 0;
    expect(await renameConversation(world.registry, agent.token, agent.conversation, 'First')).toMatchObject({ ok: true, value: { title: 'First' } });
    expect(world.heard.map(({ letter }) => letter)).toEqual(
      [1, 2].map(() =>
        expect.objectContaining({ kind: 'conversation', change: 'renamed', conversation: expect.objectContaining({ title: 'First' }) }),
      ),
    );
    expect(world.kinds(agent.conversation)).toEqual(['conversation']);
  });

  it('are deleted: the others hear it, the deleted one hears its end', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const second = await makeConversation(world.registry, agent.token, 'Second');
    const id = second.ok ? second.value.conversation_id : '';
    world.heard.length = 0;
    expect(await deleteConversation(world.registry, agent.token, id)).toEqual({ ok: true, value: null });
    expect(world.kinds(id)).toEqual(['deleted']);
    expect(world.heard).toContainEqual({ to: agent.conversation, letter: expect.objectContaining({ kind: 'conversation', change: 'deleted' }) });
    expect(await deleteConversation(world.registry, agent.token, id)).toMatchObject(notFound);
    expect(await renameConversation(world.registry, agent.token, id, 'x')).toMatchObject(notFound);
  });

  it('of somebody else are like none', async () => {
    const world = new DirectoryWorld();
    const [agent, other] = [await world.agent(), await world.agent()];
    const device = await world.device(other);
    for (const { token } of [other, device]) {
      for (const id of [agent.conversation, makeId('cv')]) {
        expect(await renameConversation(world.registry, token, id, 'x')).toMatchObject(notFound);
        expect(await deleteConversation(world.registry, token, id)).toMatchObject(notFound);
      }
    }
    expect(world.kinds(agent.conversation)).toEqual(['create']);
  });

  it('are limited in number', async () => {
    const world = new DirectoryWorld();
    world.limits.conversations_per_agent = 2;
    const agent = await world.agent();
    expect(await makeConversation(world.registry, agent.token, null)).toMatchObject({ ok: true });
    expect(await makeConversation(world.registry, agent.token, null)).toMatchObject({ ok: false, error: { code: 'too_many' } });
  });
});

describe('a change', () => {
  it('asks to be woken before it is told, so that a crash in the middle of telling is made up for', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    expect(world.wakeAt).toBeNull();
    const renaming = renameConversation(world.registry, agent.token, agent.conversation, 'New');
    expect(world.kinds(agent.conversation)).toEqual(['create']);
    expect(world.wakeAt).toBe(world.clock.at + 5_000);
    await renaming;
    expect(world.wakeAt).toBeNull();
  });
});

describe('revoking an agent', () => {
  it("ends its conversations, devices and codes, and nobody else's", async () => {
    const world = new DirectoryWorld();
    const [agent, other] = [await world.agent('To go'), await world.agent('To stay')];
    await world.device(agent);
    const device = await world.device(other);
    const { code } = world.code(agent);
    expect(await revokeAgent(world.registry, agent.id)).toBe(true);
    expect(world.kinds(agent.conversation)).toEqual(['create', 'paired', 'agent-revoked']);
    expect(agents(world.registry)).toEqual([
      {
        agent: { agent_id: other.id, name: 'To stay', agent: null, version: null, enrolled_at: '2026-11-29T12:00:00.000Z' },
        conversation_ids: [other.conversation],
      },
    ]);
    expect(await world.redeem(code)).toMatchObject({ ok: false, error: { code: 'pairing_not_found' } });
    expect(world.sql.exec('SELECT (SELECT COUNT(*) FROM devices) AS devices, (SELECT COUNT(*) FROM conversations) AS conversations')).toEqual([
      { devices: 1, conversations: 1 },
    ]);
    expect(conversations(world.registry, device.token)).toMatchObject({ ok: true });
    expect(await revokeAgent(world.registry, agent.id)).toBe(false);
  });

  it('reaches a conversation that did not hear it at first', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    world.deaf.add(agent.conversation);
    await world.device(agent);
    expect(await revokeAgent(world.registry, agent.id)).toBe(true);
    expect(world.kinds(agent.conversation)).toEqual(['create']);
    world.deaf.clear();
    world.clock.at = world.wakeAt ?? 0;
    await world.registry.deliverDue();
    expect(world.kinds(agent.conversation)).toEqual(['create', 'agent-revoked']);
  });
});
