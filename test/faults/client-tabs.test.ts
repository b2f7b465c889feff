/** The outbox in a real browser: it survives tabs, and tabs share it without sending anything twice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../e2e/browser.ts';
import { Stage, until } from './stage.ts';
import type { Tab } from './tab-page.ts';

const PAGE = '<!doctype html><title>tab</title><script type="module" src="/test/faults/tab-page.ts"></script>';
const ROOT = resolve(import.meta.dirname, '../..');

let browser: Browser;
let server: ViteDevServer;
let cache = '';
let origin = '';
let context: BrowserContext;

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'lineup-vite-'));
  server = await createServer({
    root: ROOT,
    configFile: false,
    cacheDir: cache,
    logLevel: 'error',
    appType: 'custom',
    optimizeDeps: { include: ['idb'], noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
    plugins: [
      {
        name: 'an-empty-page',
        configureServer: ({ middlewares }) => {
          middlewares.use('/page', (_request, response) => response.setHeader('content-type', 'text/html').end(PAGE));
        },
      },
    ],
  });
  await server.listen();
  origin = server.resolvedUrls?.local[0] ?? '';
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await rm(cache, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());

declare global {
  var tab: Tab;
}

async function newTab(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}page`);
  await page.waitForFunction(() => 'tab' in globalThis);
  return page;
}

/** A tab with an open outbox, and the ids that it was given. */
async function openTab(scope = 'cv', { locks = true } = {}): Promise<{ page: Page; given: string[] }> {
  const page = await newTab();
  if (!locks) await page.evaluate(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }));
  return { page, given: await page.evaluate((name) => tab.openStore(name), scope) };
}

const put = (page: Page, ...ids: string[]) => page.evaluate((all) => tab.put(all), ids);
const remove = (page: Page, id: string) => page.evaluate((gone) => tab.remove(gone), id);
const adopted = (page: Page) => page.evaluate(() => tab.adopted);
const settle = (page: Page) => page.evaluate(() => new Promise((done) => setTimeout(done, 300)));

describe('an outbox in IndexedDB', () => {
  it('survives a reload, in order, without what was removed', async () => {
    const { page } = await openTab();
    await put(page, 'a', 'b', 'c');
    await remove(page, 'b');
    await page.close();
    expect((await openTab()).given).toEqual(['a', 'c']);
  });

  it('belongs to one conversation', async () => {
    const { page } = await openTab('cv1');
    await put(page, 'a');
    await page.close();
    expect((await openTab('cv2')).given).toEqual([]);
    expect((await openTab('cv1')).given).toEqual(['a']);
  });

  it('that is wiped holds nothing any more, whichever tab wrote it, and another conversation’s is left alone', async () => {
    const [first, second, other] = [await openTab('cv1'), await openTab('cv1'), await openTab('cv2')];
    await put(first.page, 'a');
    await put(second.page, 'b');
    await put(other.page, 'c');
    await first.page.close();
    await second.page.evaluate(() => tab.closeStore());
    await second.page.evaluate(() => tab.wipeStore('cv1'));
    await other.page.close();
    expect((await openTab('cv1')).given).toEqual([]);
    expect((await openTab('cv2')).given).toEqual(['c']);
  });

  it('belongs to one tab at a time, and goes to another when that tab is closed', async () => {
    const first = await openTab();
    await put(first.page, 'a', 'b');
    const second = await openTab();
    expect(second.given).toEqual([]);
    await settle(second.page);
    expect(await adopted(second.page)).toEqual([]);
    await first.page.close();
    await until('it was taken over', async () => (await adopted(second.page)).length > 0);
    expect(await adopted(second.page)).toEqual(['a', 'b']);
    await remove(second.page, 'a');
    await second.page.close();
    expect((await openTab()).given).toEqual(['b']);
  });

  it('goes to a tab that was there before the one that is closed', async () => {
    const first = await openTab();
    const second = await openTab();
    await put(second.page, 'late');
    await second.page.close();
    await until('it was taken over', async () => (await adopted(first.page)).length > 0);
    expect(await adopted(first.page)).toEqual(['late']);
  });

  it('goes to exactly one of several tabs', async () => {
    const first = await openTab();
    await put(first.page, 'a', 'b', 'c');
    const others = await Promise.all(Array.from({ length: 4 }, () => openTab()));
    await first.page.close();
    const all = async () => (await Promise.all(others.map(({ page }) => adopted(page)))).flat();
    await until('it was taken over', async () => (await all()).length > 0);
    await settle(others[0]!.page);
    expect(await all()).toEqual(['a', 'b', 'c']);
  });

  it('is let go of when it is closed', async () => {
    const first = await openTab();
    await put(first.page, 'a');
    await first.page.evaluate(() => tab.closeStore());
    expect((await openTab()).given).toEqual(['a']);
    await expect(put(first.page, 'b')).rejects.toThrow('not open');
  });

  it('works where there are no locks: everything goes to the tab that opens', async () => {
    const { page } = await openTab('cv', { locks: false });
    await put(page, 'a');
    expect((await openTab('cv', { locks: false })).given).toEqual(['a']);
  });
});

describe('a connection in a browser', () => {
  it('sends what a closed tab left, once, and hears the agent', async () => {
    const stage = await Stage.set();
    try {
      const agent = await stage.agent();
      const { self, token } = await stage.pass('Browser');
      const pass = { conversationId: stage.conversationId, id: self.id, token };
      const connect = (page: Page, relay: string) => page.evaluate((options) => tab.connect(options), { ...pass, relay });
      const send = (page: Page, content: string) => page.evaluate((text) => tab.send(text), content);

      const [first, second] = [await newTab(), await newTab()];
      // A port where nobody listens: the tab is offline.
      await connect(first, 'http://127.0.0.1:1');
      await connect(second, stage.relay.origin);
      for (const content of ['one', 'two', 'three']) await send(first, content);
      await send(second, 'from the other tab');
      await until('the other tab is heard', () => agent.observer.received.length === 1);
      await first.close();
      await until('everything arrived', () => agent.observer.received.length === 4);
      expect(agent.observer.received.map(({ frame }) => frame.payload.content)).toEqual(['from the other tab', 'one', 'two', 'three']);

      await agent.say('hello');
      await until('the tab heard it', async () => (await second.evaluate(() => tab.heard)).length > 0);
      expect(await second.evaluate(() => tab.heard)).toEqual(['1 hello']);
    } finally {
      await stage.strike();
    }
  });

  it('goes on without a store, and says so', async () => {
    const stage = await Stage.set();
    try {
      const agent = await stage.agent();
      const { self, token } = await stage.pass('Browser');
      const page = await newTab();
      await page.evaluate(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException('denied', 'SecurityError');
        };
      });
      await page.evaluate((options) => tab.connect(options), { relay: stage.relay.origin, conversationId: stage.conversationId, id: self.id, token });
      await page.evaluate(() => tab.send('hello'));
      await until('it arrived', () => agent.observer.received.length === 1);
      expect(await page.evaluate(() => tab.isDurable())).toBe(false);
    } finally {
      await stage.strike();
    }
  });
});
