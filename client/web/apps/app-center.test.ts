import { describe, expect, it } from 'vitest';
import { appId, semver } from '../../../src/protocol/ids.ts';
import { utf8Bytes } from '../../../src/protocol/json.ts';
import { DEFAULT_LIMITS } from '../../../src/protocol/limits.ts';
import { memoryStorage } from '../capabilities/testing/stand-ins.ts';
import { LocalStore } from '../store/local-store.ts';
import { AppCenter } from './app-center.ts';
import { AppStorage, MAX_APP_BYTES } from './app-storage.ts';
import { KNOWN_APPS, type KnownApp } from './catalogue.ts';

const FORM = 'com.lineup.form';

function center(local = new LocalStore(memoryStorage())) {
  return { local, apps: new AppCenter(local, new AppStorage(local)) };
}

const row = (apps: AppCenter, id: string) => apps.view.get().find((app) => app.id === id);

describe('the known apps', () => {
  it.each(KNOWN_APPS.flatMap((app: KnownApp) => app.releases.map((release) => ({ app, release, name: `${app.id} ${release.version}` }))))(
    '$name has an id, a version and code within the limit',
    async ({ app, release }) => {
      expect(appId.safeParse(app.id).success && semver.safeParse(release.version).success).toBe(true);
      const { html, css, js } = await release.load();
      expect(html).not.toMatch(/<script|\son\w+=/i);
      expect(utf8Bytes(html + css + js)).toBeLessThan(DEFAULT_LIMITS.max_bundle_bytes);
      expect(js).toContain('LineUpSurface.onState');
    },
  );
});

describe('the app center', () => {
  it('has everything on and newest at first', async () => {
    const { apps } = center();
    expect(apps.view.get().map(({ id, enabled, version, upgrade }) => [id, enabled, version, upgrade])).toEqual([
      ['com.lineup.svg-canvas', true, '1.0.0', null],
      [FORM, true, '1.1.0', null],
    ]);
    expect(await apps.bundleOf(FORM)).toMatchObject({ html: expect.stringContaining('<main>') as string });
    expect(await apps.bundleOf('com.example.unknown')).toBeNull();
  });

  it('gives no code of what is disabled, and keeps nothing for it', async () => {
    const { apps } = center();
    apps.keep(FORM, 'cv_1/i.1', { values: { a: 1 } });
    apps.disable(FORM, false);
    expect(await apps.bundleOf(FORM)).toBeNull();
    expect(apps.kept(FORM, 'cv_1/i.1')).toBeNull();
    apps.keep(FORM, 'cv_1/i.1', { values: { a: 2 } });
    apps.enable(FORM);
    expect(apps.kept(FORM, 'cv_1/i.1')).toEqual({ values: { a: 1 } });
  });

  it('forgets what an app kept, if that is wanted', () => {
    const { apps } = center();
    apps.keep(FORM, 'cv_1/i.1', { a: 1 });
    expect(row(apps, FORM)?.storedBytes).toBeGreaterThan(0);
    apps.disable(FORM, true);
    apps.enable(FORM);
    expect(apps.kept(FORM, 'cv_1/i.1')).toBeNull();
    expect(row(apps, FORM)?.storedBytes).toBe(0);
  });

  it('leaves an app in its version until it is upgraded', () => {
    const { local, apps } = center();
    local.write('apps', JSON.stringify({ [FORM]: { enabled: true, version: '1.0.0' } }));
    apps.view.changed();
    expect(row(apps, FORM)).toMatchObject({ version: '1.0.0', upgrade: '1.1.0' });
    apps.disable(FORM, false);
    expect(row(apps, FORM)).toMatchObject({ version: '1.0.0', enabled: false });
    apps.upgrade(FORM);
    expect(row(apps, FORM)).toMatchObject({ version: '1.1.0', upgrade: null, enabled: false });
  });

  it('takes a version that is no longer shipped for the newest, and nonsense in the storage for nothing', () => {
    const { local, apps } = center();
    local.write('apps', JSON.stringify({ [FORM]: { enabled: true, version: '0.1.0' } }));
    expect(apps.declared).toContainEqual(expect.objectContaining({ id: FORM, version: '1.1.0' }));
    local.write('apps', '[1]');
    expect(apps.isEnabled(FORM)).toBe(true);
  });
});

describe('what an app keeps', () => {
  it('has a limit: the longest untouched goes first, and what is too large is not taken', () => {
    const storage = new AppStorage(new LocalStore(memoryStorage()));
    const large = { text: 'x'.repeat(MAX_APP_BYTES / 2 - 100) };
    expect(storage.write(FORM, 'a', large)).toBe(true);
    expect(storage.write(FORM, 'b', large)).toBe(true);
    expect(storage.write(FORM, 'c', large)).toBe(true);
    expect([storage.read(FORM, 'a'), storage.read(FORM, 'b') !== null, storage.read(FORM, 'c') !== null]).toEqual([null, true, true]);
    expect(storage.write(FORM, 'd', { text: 'x'.repeat(MAX_APP_BYTES) })).toBe(false);
    expect(storage.bytes(FORM)).toBeLessThanOrEqual(MAX_APP_BYTES);
    expect(storage.read('com.lineup.svg-canvas', 'b')).toBeNull();
  });
});
