/** §5, what a surface is made of: bundles and their size, ids and versions, and apps that come without code. */
import { describe, expect, it } from 'vitest';
import { useRelay } from './people.ts';
import type { Extra, Joined } from './wire.ts';

const relay = useRelay();

const APP = { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' };
const open = (a: Joined, instance_id: string, more: object = {}, extra: Extra = {}) =>
  a.ok('lineup.v1.ui.open', { instance_id, app: APP, state: { n: 0 }, ...more }, extra);

describe.concurrent('§5 bundles', () => {
  it('html, css and js may be 160 KiB together and not a byte more', async () => {
    const { agent, a, d } = await relay.room(1);
    const app = (html: number, css = 0, js = 0) => ({ ...APP, html: 'h'.repeat(html), css: 'c'.repeat(css), js: 'j'.repeat(js) });
    const { id } = await open(a, 'one', { app: app(163_840) });
    expect(((await d[0]!.message(id)).payload.app as { html: string }).html).toHaveLength(163_840);
    await open(a, 'three', { app: app(100_000, 60_000, 3_840) });
    await open(a, 'umlauts', { app: { ...APP, html: 'ü'.repeat(81_920) } });
    for (const bundle of [
      app(163_841),
      app(163_840, 1),
      app(100_000, 60_000, 3_841),
      { ...APP, html: 'ü'.repeat(81_921) },
      { ...APP, html: '', js: 'x'.repeat(163_841) },
    ]) {
      expect(await a.refused('lineup.v1.ui.open', { instance_id: 'big', app: bundle, state: {} })).toBe('bundle_too_large');
    }
    const overHttp = await relay.post(agent, 'ui.open', { instance_id: 'big', app: app(163_841), state: {} });
    expect([overHttp.status, overHttp.code]).toEqual([413, 'bundle_too_large']);
    expect(await relay.history(agent)).toHaveLength(3);
  });

  it.each([
    ['no app', { app: undefined }],
    ['an app without id', { app: { ...APP, id: undefined } }],
    ['an app id without a dot', { app: { ...APP, id: 'app' } }],
    ['an app id with a space', { app: { ...APP, id: 'com.x y' } }],
    ['no name', { app: { ...APP, name: undefined } }],
    ['no version', { app: { ...APP, version: undefined } }],
    ['a version that is none', { app: { ...APP, version: '1.0' } }],
    ['a version with v', { app: { ...APP, version: 'v1.0.0' } }],
    ['html that is no text', { app: { ...APP, html: 5 } }],
    ['no state', { state: undefined }],
    ['a state that is a list', { state: [] }],
    ['a state that is null', { state: null }],
    ['an instance_id with a space', { instance_id: 'a b' }],
    ['an instance_id of 129 characters', { instance_id: 'a'.repeat(129) }],
    ['an empty instance_id', { instance_id: '' }],
    ['an instance_id that looks like another', { instance_id: 'іnst' }],
  ])('%s is invalid_payload', async (_what, change) => {
    const { agent, a } = await relay.room(1);
    expect(await a.refused('lineup.v1.ui.open', { instance_id: 'i', app: APP, state: {}, ...change })).toBe('invalid_payload');
    expect((await relay.join(agent)).welcome.surfaces).toEqual([]);
  });

  it.each(['1.0.0', '0.0.1', '1.2.3-beta.1', '1.2.3+build.5', '10.20.30-a.b-c+d'])('takes version %s', async (version) => {
    const { a } = await relay.room(1);
    await open(a, `${'a'.repeat(120)}.b:c-D_`, { app: { ...APP, id: 'com.lineup.weather-dash_board', version } });
  });
});

describe.concurrent('§5 apps without html', () => {
  const bare = { id: APP.id, name: APP.name, version: APP.version };
  const declare = (wire: Joined, revision: string, ...apps: string[]) =>
    wire.ok('client.inventory', {
      revision,
      standard_components: [],
      applications: apps.map((id) => ({ id, version: '1.0.0' })),
      capabilities: [],
    });

  it('are opened while no inventory is known', async () => {
    const { a } = await relay.room(1);
    await open(a, 'i', { app: bare });
  });

  it('are undeclared when no device has them, revoked when one had them, and fine when one has them', async () => {
    const { agent, a, d } = await relay.room(2);
    await declare(d[0]!, 'r1', 'com.example.other');
    expect(await a.refused('ui.open', { instance_id: 'i', app: bare, state: {} })).toBe('undeclared');
    const overHttp = await relay.post(agent, 'ui.open', { instance_id: 'i', app: bare, state: {} });
    expect([overHttp.status, overHttp.code]).toEqual([409, 'undeclared']);
    await declare(d[1]!, 'r1', APP.id);
    await open(a, 'i', { app: bare });
    await declare(d[1]!, 'r2');
    expect(await a.refused('ui.open', { instance_id: 'j', app: bare, state: {} })).toBe('revoked');
    // What is open stays open, and code that comes along needs no declaration.
    await a.ok('ui.patch', { instance_id: 'i', state: {} });
    await open(a, 'k');
    await a.ok('ui.open', { instance_id: 'l', app: { id: bare.id }, sealed: 'x' });
    expect((await relay.join(agent)).welcome.surfaces).toEqual(['i', 'k', 'l']);
  });

  it('for one device need that device’s inventory', async () => {
    const { a, d, devices } = await relay.room(2);
    await declare(d[0]!, 'r1', APP.id);
    await declare(d[1]!, 'r1');
    const to = (i: number) => ({ target: { kind: 'app' as const, id: devices[i]!.id } });
    await open(a, 'i', { app: bare }, to(0));
    expect(await a.refused('ui.open', { instance_id: 'j', app: bare, state: {} }, to(1))).toBe('undeclared');
  });
});
