import { describe, expect, it } from 'vitest';
import { DirectoryWorld } from '../../../test/support/directory.ts';
import { makeId } from '../../protocol/ids.ts';
import { deleteConversation, makeConversation } from './conversing.ts';
import { devices, makePairing, pairing, revokeDevice } from './pairing.ts';

const notFound = { ok: false, error: { code: 'pairing_not_found', message: 'code: unknown, used or expired' } };

describe('redeeming a code', () => {
  it('makes a device of the agent, which every conversation hears of', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent('Hermes');
    const second = await makeConversation(world.registry, agent.token, 'Second');
    const redeemed = await world.redeem(world.code(agent).code);
    expect(redeemed).toMatchObject({ ok: true, value: { agent: { id: agent.id, name: 'Hermes' }, conversation_id: agent.conversation } });
    const device = { device_id: redeemed.ok && redeemed.value.device_id, name: 'Phone', platform: 'web', paired_at: '2026-11-29T12:00:00.000Z' };
    for (const to of [agent.conversation, second.ok && second.value.conversation_id]) {
      expect(world.heard).toContainEqual({ to, letter: { kind: 'paired', device } });
    }
    expect(world.wakeAt).toBeNull();
  });

  it('has one winner, however many come at once', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const { code } = world.code(agent);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => world.redeem(code, `address ${i}`)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    for (const answer of answers) if (!answer.ok) expect(answer).toEqual(notFound);
    expect(world.registry.devices.countOf(agent.id)).toBe(1);
  });

  it('answers alike for codes that are unknown, used, expired, or no codes', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const [used, expired] = [world.code(agent), world.code(agent, 30)];
    await world.redeem(used.code);
    world.clock.at += 30_000;
    for (const code of [used.code, expired.code, 'ZZZZ0000', 'short', '', 'UUUUUUUU']) expect(await world.redeem(code), code).toEqual(notFound);
    expect(pairing(world.registry, agent.token, expired.pairing_id)).toEqual({ ok: true, value: { state: 'expired' } });
  });

  it('works to the last moment before it expires', async () => {
    const world = new DirectoryWorld();
    const { code } = world.code(await world.agent(), 30);
    world.clock.at += 29_999;
    expect(await world.redeem(code)).toMatchObject({ ok: true });
  });

  it('is refused to everybody at a limited address, the right code included, until exactly the time it says', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    for (let i = 0; i < 10; i++) {
      expect(await world.redeem('ZZZZ0000')).toEqual(notFound);
      world.clock.at += 1_000;
    }
    const { code } = world.code(agent);
    expect(await world.redeem(code)).toMatchObject({ ok: false, error: { code: 'rate_limited' }, retry_after_s: 50 });
    expect(await world.redeem(world.code(agent).code, 'elsewhere')).toMatchObject({ ok: true });
    world.registry = world.start();
    world.clock.at += 49_999;
    expect(await world.redeem(code)).toMatchObject({ retry_after_s: 1 });
    world.clock.at += 1;
    expect(await world.redeem(code)).toMatchObject({ ok: true });
  });

  it('refuses a device too many and leaves the code good', async () => {
    const world = new DirectoryWorld();
    world.limits.devices_per_agent = 2;
    const agent = await world.agent();
    const first = await world.device(agent);
    await world.device(agent);
    const { code, pairing_id } = world.code(agent);
    for (let i = 0; i < 12; i++) expect(await world.redeem(code)).toMatchObject({ ok: false, error: { code: 'too_many' } });
    expect(pairing(world.registry, agent.token, pairing_id)).toEqual({ ok: true, value: { state: 'pending' } });
    await revokeDevice(world.registry, agent.token, first.id);
    expect(await world.redeem(code)).toMatchObject({ ok: true });
  });

  it('gives the device a conversation even when the agent has deleted all of its own', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    await deleteConversation(world.registry, agent.token, agent.conversation);
    const redeemed = await world.redeem(world.code(agent).code);
    const made = redeemed.ok ? redeemed.value.conversation_id : '';
    expect(made).not.toBe(agent.conversation);
    expect(world.heard.at(-1)).toMatchObject({ to: made, letter: { kind: 'create', conversation: { devices: [{ name: 'Phone' }] } } });
  });
});

describe('a pairing', () => {
  it('goes from pending to redeemed, and names its device until that is revoked', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const made = makePairing(world.registry, agent.token, { ttl_s: 30, label: 'kitchen' });
    const { code, pairing_id } = made.ok ? made.value : { code: '', pairing_id: '' };
    const status = () => pairing(world.registry, agent.token, pairing_id);
    expect(status()).toEqual({ ok: true, value: { state: 'pending', label: 'kitchen' } });
    const redeemed = await world.redeem(code);
    const device_id = redeemed.ok ? redeemed.value.device_id : '';
    world.clock.at += 60_000;
    expect(status()).toMatchObject({ ok: true, value: { state: 'redeemed', device: { device_id } } });
    await revokeDevice(world.registry, agent.token, device_id);
    expect(status()).toEqual({ ok: true, value: { state: 'redeemed', label: 'kitchen' } });
  });

  it("is an agent's own affair", async () => {
    const world = new DirectoryWorld();
    const [agent, other] = [await world.agent(), await world.agent()];
    const device = await world.device(agent);
    const { pairing_id } = world.code(agent);
    expect(pairing(world.registry, other.token, pairing_id)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(pairing(world.registry, device.token, pairing_id)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(makePairing(world.registry, device.token, { ttl_s: 600, label: null })).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(pairing(world.registry, agent.token, makeId('pr'))).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });

  it('is forgotten a day after it ended, and there are never too many', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    for (let i = 0; i < 1_000; i++) world.code(agent);
    expect(makePairing(world.registry, agent.token, { ttl_s: 600, label: null })).toMatchObject({ ok: false, error: { code: 'too_many' } });
    world.clock.at += 600_000 + 86_400_000;
    world.code(agent);
    expect(world.sql.exec('SELECT COUNT(*) AS n FROM pairings')).toEqual([{ n: 1 }]);
  });
});

describe('revoking a device', () => {
  it('is told in every conversation, and again where it was not heard', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const second = await makeConversation(world.registry, agent.token, null);
    const far = second.ok ? second.value.conversation_id : '';
    const device = await world.device(agent);
    world.deaf.add(far);
    expect(await revokeDevice(world.registry, agent.token, device.id)).toEqual({ ok: true, value: null });
    expect(world.kinds(agent.conversation).at(-1)).toBe('revoked');
    expect(world.kinds(far).at(-1)).toBe('paired');
    // What is told meanwhile waits behind it.
    await world.device(agent);
    expect(world.kinds(far).at(-1)).toBe('paired');
    world.deaf.delete(far);
    world.registry = world.start();
    world.clock.at = world.wakeAt ?? 0;
    await world.registry.deliverDue();
    expect(world.kinds(far)).toEqual(['create', 'paired', 'revoked', 'paired']);
    expect(world.wakeAt).toBeNull();
  });

  it('is for its agent and itself alone', async () => {
    const world = new DirectoryWorld();
    const [agent, other] = [await world.agent(), await world.agent()];
    const [device, sibling, stranger] = [await world.device(agent), await world.device(agent), await world.device(other)];
    for (const { token } of [sibling, other, stranger]) {
      expect(await revokeDevice(world.registry, token, device.id)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
    expect(await revokeDevice(world.registry, device.token, device.id)).toMatchObject({ ok: true });
    expect(await revokeDevice(world.registry, agent.token, device.id)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await revokeDevice(world.registry, device.token, device.id)).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
  });

  it('leaves in the lists what each may see', async () => {
    const world = new DirectoryWorld();
    const agent = await world.agent();
    const [one, two] = [await world.device(agent), await world.device(agent)];
    const ids = (who: { token: typeof agent.token }) => {
      const listed = devices(world.registry, who.token);
      return listed.ok && listed.value.devices.map(({ device_id }) => device_id).toSorted();
    };
    expect(ids(agent)).toEqual([one.id, two.id].toSorted());
    expect(ids(one)).toEqual([one.id]);
    await revokeDevice(world.registry, agent.token, one.id);
    expect(ids(agent)).toEqual([two.id]);
    expect(ids(one)).toBe(false);
  });
});
