/** A deploy under an open page: the files that are served become those of another version, on the same address. */
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { buildWeb } from '../../scripts/local-build.ts';
import { AppPage, until } from './app-page.ts';
import { DESKTOP, Device, launchBrowser, PHONE } from './browser.ts';
import { DirectProcess } from './direct-process.ts';

let browser: Browser;
let folder: string;
let web: string;
let direct: DirectProcess;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  await direct.end();
  await rm(folder, { recursive: true });
});

/** A page of the version that is served at first, paired. */
async function openPage(options: BrowserContextOptions): Promise<AppPage> {
  folder = await mkdtemp(join(tmpdir(), 'lineup-update-'));
  web = join(folder, 'web');
  await cp(await buildWeb(), web, { recursive: true });
  direct = await DirectProcess.start(join(folder, 'home'), 0, '--web', web);
  const app = new AppPage(await Device.open(browser, options));
  await app.pairByLink(direct.listening.url);
  await app.line('idle').waitFor({ state: 'attached' });
  return app;
}

/** Serves another version from now on: no script has the name that it had. */
async function deploy(): Promise<void> {
  const assets = join(web, 'assets');
  const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  const renamed = new Map(scripts.map((name) => [name, name.replace(/-[\w-]{8}\.js$/, '-deployed.js')]));
  const edited = [join(web, 'index.html'), join(web, 'parts.json'), ...scripts.map((name) => join(assets, name))];
  for (const path of edited) {
    let text = await readFile(path, 'utf8');
    for (const [from, to] of renamed) text = text.replaceAll(from, to);
    await writeFile(path, text);
  }
  for (const [from, to] of renamed) await rename(join(assets, from), join(assets, to));
}

/** The user comes back to the page when it has been open for some hours. */
async function comeBack(app: AppPage, afterHours: number): Promise<void> {
  const looked = app.page.waitForResponse(`${direct.listening.origin}/`);
  await app.page.evaluate((hours) => {
    const now = Date.now;
    Date.now = () => now() + hours * 3_600_000;
    document.dispatchEvent(new Event('visibilitychange'));
    Date.now = now;
  }, afterHours);
  await (await looked).finished();
}

function runs(app: AppPage): Promise<string> {
  return app.page.evaluate(() => document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? '');
}

it.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])('on %s a newer version is offered, loaded when the user says so, and takes the draft along', async (_, options) => {
  const app = await openPage(options);
  await app.field.fill('half a thought');
  await comeBack(app, 1);
  expect(await app.page.getByText('A newer version is ready.').count()).toBe(0);
  await deploy();
  await comeBack(app, 2);
  await app.sees('A newer version is ready.');
  expect(await app.violations()).toEqual([]);
  expect(await runs(app)).not.toContain('-deployed');
  await app.say('sent meanwhile');
  await app.sees('sent meanwhile');
  await app.field.fill('half a thought');
  await app.page.getByRole('button', { name: 'Load it' }).click();
  await until('the new version runs', async () => (await runs(app).catch(() => '')).includes('-deployed'));
  await app.sees('sent meanwhile');
  expect(await app.field.inputValue()).toBe('half a thought');
  expect(await app.page.getByText('A newer version is ready.').count()).toBe(0);
  expect(app.device.complaints()).toEqual([]);
});

it('a newer version can be put off: it is not offered again, and comes with the next load', async () => {
  const app = await openPage(PHONE);
  await deploy();
  await comeBack(app, 1);
  await app.sees('A newer version is ready.');
  await app.page.getByRole('button', { name: 'Later' }).click();
  await app.page.getByText('A newer version is ready.').waitFor({ state: 'detached' });
  await comeBack(app, 2);
  expect(await app.page.getByText('A newer version is ready.').count()).toBe(0);
  await app.page.reload();
  await app.field.waitFor();
  expect(await runs(app)).toContain('-deployed');
});

it('an open page still has all of its parts after a deploy', async () => {
  const app = await openPage(PHONE);
  const kept = () =>
    app.page.evaluate(async () => {
      const known = await (await caches.open('lineup-shell-v1')).keys();
      return known.map(({ url }) => new URL(url).pathname);
    });
  const wanted = (await readdir(join(web, 'assets'))).map((name) => `/assets/${name}`);
  await until('every part is kept', async () => {
    const have = await kept();
    return wanted.every((path) => have.includes(path));
  });
  await deploy();
  await app.field.fill('half a thought');
  await app.page.getByRole('button', { name: 'Find' }).click();
  await app.page.getByRole('dialog').waitFor();
  expect(await runs(app)).not.toContain('-deployed');
  expect(app.device.complaints()).toEqual([]);
});

it('a part that is gone, where no service worker kept it, brings the newer version by itself, with the draft', async () => {
  const app = await openPage({ ...PHONE, serviceWorkers: 'block' });
  await app.field.fill('half a thought');
  await deploy();
  await app.page.getByRole('button', { name: 'Find' }).click();
  await until('the new version runs', async () => (await runs(app).catch(() => '')).includes('-deployed'));
  await app.field.waitFor();
  expect(await app.field.inputValue()).toBe('half a thought');
  await app.page.getByRole('button', { name: 'Find' }).click();
  await app.page.getByRole('dialog').waitFor();
});
