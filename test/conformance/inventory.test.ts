/** §7 and §6, item 6: what devices declare, and calls for what they do not. */
import { describe, expect, it } from 'vitest';
import { useRelay } from './people.ts';
import { freshId, type Joined } from './wire.ts';

const relay = useRelay();

const capability = (name: string, extra: object = {}) => ({ name, version: '1.0', risk: 'user_confirmation', ...extra });
const inventory = (revision: string, capabilities: object[] = [], more: object = {}) => ({
  revision,
  standard_components: [{ id: 'choice', version: '1' }],
  applications: [],
  capabilities,
  ...more,
});
const declare = (wire: Joined, revision: string, ...names: string[]) =>
  wire.ok(
    'lineup.v1.client.inventory',
    inventory(
      revision,
      names.map((name) => capability(name)),
    ),
  );

/** Asks for a capability. @returns how it was settled at once, or `delivered` */
async function ask(a: Joined, d: Joined, name: string, target?: string): Promise<string> {
  const call_id = freshId('c');
  const from = a.frames.length;
  const { id } = await a.ok(
    'lineup.v1.app.call',
    { call_id, capability: name, reason: 'why', arguments: {} },
    target === undefined ? {} : { target: { kind: 'app', id: target } },
  );
  await Promise.all([a.sync(), d.sync()]);
  const result = a.of('lineup.v1.app.result', from).find(({ payload }) => payload.call_id === call_id);
  expect(d.count(id), 'shown').toBe(result ? 0 : 1);
  if (!result) return 'delivered';
  expect(result).toMatchObject({ sender: { kind: 'relay' }, payload: { status: 'unsupported' } });
  expect((await d.ask('lineup.v1.app.result', { call_id, status: 'completed' })).type).toBe('system.error');
  return (result.payload.error as { code: string }).code;
}

describe('§7 inventory', () => {
  it('goes to the agent at once, with seq null, is told in its welcome, and is not in the log', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    const payload = inventory('catalog-1', [capability('artifact.save', { input_schema: { type: 'object' } })], {
      applications: [{ id: 'com.lineup.svg-canvas', version: '1.0.0', surfaces: [{ id: 'canvas', events: ['draw', 'resize'] }] }],
    });
    const ack = await d[0]!.ok('lineup.v1.client.inventory', payload);
    expect([ack.seq, ack.duplicate]).toEqual([null, false]);
    expect(await a.message(ack.id)).toMatchObject({
      type: 'lineup.v1.client.inventory',
      seq: null,
      sender: { kind: 'app', id: devices[0]!.id },
      payload,
    });
    await d[1]!.sync();
    expect(d[1]!.count(ack.id)).toBe(0);
    expect((await relay.join(agent)).welcome.inventories).toEqual([{ device_id: devices[0]!.id, revision: 'catalog-1' }]);
    expect(await relay.history(agent)).toEqual([]);
  });

  it('the same revision with the same content is a duplicate, told to nobody; with other content revision_conflict', async () => {
    const { agent, a, d } = await relay.room(1);
    const { id } = await declare(d[0]!, 'r1', 'clipboard.write');
    await a.message(id);
    const from = a.frames.length;
    expect(await declare(d[0]!, 'r1', 'clipboard.write')).toMatchObject({ duplicate: true, seq: null });
    expect(await d[0]!.refused('client.inventory', inventory('r1', [capability('app.open_url')]))).toBe('revision_conflict');
    await a.sync();
    expect(a.messages(from)).toEqual([]);
    expect((await relay.join(agent)).replay).toMatchObject([{ payload: { revision: 'r1', capabilities: [{ name: 'clipboard.write' }] } }]);
  });

  it('a superseded revision sent again is a duplicate and does not become current', async () => {
    const { agent, a, d } = await relay.room(1);
    await declare(d[0]!, 'r1', 'clipboard.write');
    await declare(d[0]!, 'r2', 'app.open_url');
    expect(await declare(d[0]!, 'r1', 'clipboard.write')).toMatchObject({ duplicate: true });
    expect(await d[0]!.refused('client.inventory', inventory('r1', []))).toBe('revision_conflict');
    expect((await relay.join(agent)).welcome.inventories).toMatchObject([{ revision: 'r2' }]);
    const again = await relay.join(agent);
    expect(await ask(again, d[0]!, 'clipboard.write')).toBe('revoked');
    expect(a.of('lineup.v1.client.inventory')).toHaveLength(2);
  });

  it('revisions are each device’s own', async () => {
    const { agent, devices, d } = await relay.room(2);
    await declare(d[0]!, 'r1', 'clipboard.write');
    expect(await declare(d[1]!, 'r1', 'app.open_url')).toMatchObject({ duplicate: false });
    expect((await relay.join(agent)).welcome.inventories?.map(({ device_id }) => device_id).toSorted()).toEqual(
      devices.map(({ id }) => id).toSorted(),
    );
  });

  it('revoking a device drops it', async () => {
    const { agent, devices, d } = await relay.room(2);
    await declare(d[0]!, 'r1', 'clipboard.write');
    await relay.call('DELETE', `/v1/devices/${devices[0]!.id}`, { as: agent });
    const a = await relay.join(agent);
    expect([a.welcome.inventories, a.replay]).toEqual([[], []]);
    // Nobody has said anything any more, so the call waits for whoever is left.
    expect(await ask(a, d[1]!, 'app.open_url')).toBe('delivered');
  });

  it('outlives a killed relay, with what was declared before', async () => {
    const { agent, devices, d } = await relay.room(1);
    await declare(d[0]!, 'r1', 'clipboard.write');
    await declare(d[0]!, 'r2', 'app.open_url');
    await relay.crash();
    const [a, wire] = [await relay.join(agent), await relay.join(devices[0]!)];
    expect(a.welcome.inventories).toEqual([{ device_id: devices[0]!.id, revision: 'r2' }]);
    expect(a.replay).toMatchObject([{ type: 'lineup.v1.client.inventory', payload: { revision: 'r2' } }]);
    expect(await declare(wire, 'r1', 'clipboard.write')).toMatchObject({ duplicate: true });
    expect([await ask(a, wire, 'clipboard.write'), await ask(a, wire, 'app.open_url'), await ask(a, wire, 'other')]).toEqual([
      'revoked',
      'delivered',
      'undeclared',
    ]);
  });

  it.each([
    ['no revision', { standard_components: [], applications: [], capabilities: [] }],
    ['an empty revision', inventory('')],
    ['a revision that is a number', { ...inventory('r'), revision: 1 }],
    ['no components', { revision: 'r', applications: [], capabilities: [] }],
    ['no applications', { revision: 'r', standard_components: [], capabilities: [] }],
    ['no capabilities', { revision: 'r', standard_components: [], applications: [] }],
    ['a list that is none', { ...inventory('r'), capabilities: {} }],
    ['an unknown risk', inventory('r', [capability('a.b', { risk: 'harmless' })])],
    ['no risk', inventory('r', [{ name: 'a.b', version: '1' }])],
    ['a risk in capitals', inventory('r', [capability('a.b', { risk: 'DISPLAY_ONLY' })])],
    ['a capability without a name', inventory('r', [{ version: '1', risk: 'restricted' }])],
    ['bundle source', inventory('r', [], { applications: [{ id: 'com.x.y', version: '1.0.0', html: '<p>' }] })],
    ['an install source', inventory('r', [], { applications: [{ id: 'com.x.y', version: '1.0.0', source: 'https://x.example' }] })],
    ['login state', inventory('r', [], { user: 'me@x.example' })],
    ['a file path', inventory('r', [], { applications: [{ id: 'com.x.y', version: '1.0.0', path: '/home/me/app' }] })],
    ['more in a component', inventory('r', [], { standard_components: [{ id: 'choice', version: '1', path: '/x' }] })],
    ['more in a capability', inventory('r', [capability('a.b', { token: 'x' })])],
    ['more in a surface', inventory('r', [], { applications: [{ id: 'com.x.y', version: '1', surfaces: [{ id: 'c', events: [], html: '' }] }] })],
    ['an app id that is no reverse domain', inventory('r', [], { applications: [{ id: 'canvas', version: '1.0.0' }] })],
  ])('with %s is invalid_payload and changes nothing', async (_what, payload) => {
    const { agent, a, d } = await relay.room(1);
    expect(await d[0]!.refused('lineup.v1.client.inventory', payload)).toBe('invalid_payload');
    await a.sync();
    expect(a.messages()).toEqual([]);
    expect((await relay.join(agent)).welcome.inventories).toEqual([]);
  });

  it.each(['display_only', 'user_confirmation', 'system_permission', 'restricted'])('takes the risk %s', async (risk) => {
    const { d } = await relay.room(1);
    await d[0]!.ok('client.inventory', inventory('r1', [capability('a.b', { risk })]));
    await d[0]!.ok('app.list', { capabilities: [capability('a.b', { risk })] });
  });

  it('app.list too wants a known risk', async () => {
    const { d } = await relay.room(1);
    for (const payload of [{}, { capabilities: {} }, { capabilities: [capability('a.b', { risk: 'none' })] }, { capabilities: [{ name: 'a.b' }] }]) {
      expect(await d[0]!.refused('lineup.v1.app.list', payload)).toBe('invalid_payload');
    }
  });
});

describe('§6, 6 calls for capabilities', () => {
  it('with no inventory known are delivered, and queued for who is away', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    expect(await ask(a, d[0]!, 'anything.at_all')).toBe('delivered');
    await d[0]!.end();
    await a.ok('app.call', { call_id: 'later', capability: 'x.y', reason: '', arguments: {} });
    expect((await relay.join(devices[0]!)).welcome.pending_calls).toContain('later');
    expect(await relay.history(agent)).toHaveLength(2);
  });

  it('that nobody declares are undeclared; that somebody declares are delivered to all', async () => {
    const { a, d } = await relay.room(2);
    await declare(d[0]!, 'r1', 'clipboard.write');
    expect(await ask(a, d[0]!, 'clipboard.write')).toBe('delivered');
    expect(await ask(a, d[1]!, 'clipboard.write')).toBe('delivered');
    expect(await ask(a, d[0]!, 'app.open_url')).toBe('undeclared');
    expect(await ask(a, d[1]!, 'app.open_url')).toBe('undeclared');
    expect(await ask(a, d[0]!, 'Clipboard.write')).toBe('undeclared');
  });

  it('that an earlier revision declared are revoked, until they are declared again', async () => {
    const { a, d } = await relay.room(2);
    await declare(d[0]!, 'r1', 'clipboard.write');
    await declare(d[0]!, 'r2');
    expect(await ask(a, d[0]!, 'clipboard.write')).toBe('revoked');
    await declare(d[1]!, 'r1', 'clipboard.write');
    expect(await ask(a, d[1]!, 'clipboard.write')).toBe('delivered');
    await declare(d[1]!, 'r2');
    await declare(d[0]!, 'r3', 'clipboard.write');
    expect(await ask(a, d[0]!, 'clipboard.write')).toBe('delivered');
  });

  it('with a target only that device counts', async () => {
    const { devices, a, d } = await relay.room(3);
    await declare(d[0]!, 'r1', 'clipboard.write');
    await declare(d[1]!, 'r1', 'app.open_url');
    expect(await ask(a, d[0]!, 'clipboard.write', devices[0]!.id)).toBe('delivered');
    expect(await ask(a, d[1]!, 'clipboard.write', devices[1]!.id)).toBe('undeclared');
    // That one has said nothing yet.
    expect(await ask(a, d[2]!, 'clipboard.write', devices[2]!.id)).toBe('delivered');
    await declare(d[0]!, 'r2');
    await declare(d[1]!, 'r2', 'clipboard.write');
    expect(await ask(a, d[0]!, 'clipboard.write', devices[0]!.id)).toBe('revoked');
  });

  it('app.list declares and makes known too; the newer of the two is current, and what it drops is revoked', async () => {
    const { a, d } = await relay.room(1);
    const list = (...names: string[]) => d[0]!.ok('lineup.v1.app.list', { capabilities: names.map((name) => capability(name)) });
    await list('clipboard.write', 'app.open_url');
    expect([await ask(a, d[0]!, 'clipboard.write'), await ask(a, d[0]!, 'other')]).toEqual(['delivered', 'undeclared']);
    await declare(d[0]!, 'r1', 'app.open_url', 'device.location');
    expect([await ask(a, d[0]!, 'clipboard.write'), await ask(a, d[0]!, 'device.location')]).toEqual(['revoked', 'delivered']);
    await list('clipboard.write');
    expect([await ask(a, d[0]!, 'clipboard.write'), await ask(a, d[0]!, 'device.location'), await ask(a, d[0]!, 'app.open_url')]).toEqual([
      'delivered',
      'revoked',
      'revoked',
    ]);
    // Kept types apply again, whatever their id.
    await list();
    expect(await ask(a, d[0]!, 'clipboard.write')).toBe('revoked');
  });

  it('tool calls do not look at inventories', async () => {
    const { a, d } = await relay.room(1);
    await declare(d[0]!, 'r1');
    const { id } = await a.ok('tool.call', { name: 'no_such_tool', action: 'x', call_id: 'c', arguments: {} });
    await d[0]!.message(id);
  });

  it('a call that was delivered stays open when its capability is revoked later', async () => {
    const { a, d } = await relay.room(1);
    await declare(d[0]!, 'r1', 'clipboard.write');
    await a.ok('app.call', { call_id: 'c', capability: 'clipboard.write', reason: '', arguments: {} });
    await declare(d[0]!, 'r2');
    await d[0]!.ok('app.result', { call_id: 'c', status: 'unsupported', error: { code: 'revoked' } });
    expect((await a.wait('lineup.v1.app.result')).sender.kind).toBe('app');
  });

  it('an unsupported call asked again brings its result again, and counts as settled everywhere', async () => {
    const { agent, a, d } = await relay.room(1);
    await declare(d[0]!, 'r1');
    const payload = { call_id: 'c', capability: 'x.y', reason: 'why', arguments: {} };
    await a.ok('app.call', payload);
    const result = await a.wait('lineup.v1.app.result');
    await declare(d[0]!, 'r2', 'x.y');
    const from = a.frames.length;
    expect(await a.ok('app.call', payload)).toMatchObject({ duplicate: true });
    expect(await a.message(result.id, from)).toEqual(result);
    await d[0]!.sync();
    expect(d[0]!.of('lineup.v1.app.call')).toEqual([]);
    expect(await relay.audit(agent)).toMatchObject([{ call_id: 'c', status: 'unsupported', settled_by: { kind: 'relay' } }]);
    expect((await relay.join(agent)).welcome.pending_calls).toEqual([]);
  });
});
