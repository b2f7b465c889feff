/** What a file of journeys shares: one relay, one browser, and devices that are closed after each journey. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, onTestFailed } from 'vitest';
import { RelayProcess } from '../support/relay-process.ts';
import { AppPage } from './app-page.ts';
import { Device, launchBrowser, PHONE } from './browser.ts';
import { ScriptedAgent } from './scripted-agent.ts';

/** Pictures of what was on the screens when a journey failed. */
const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');

export interface World {
  readonly relay: RelayProcess;
  readonly browser: Browser;
  /** Opens a device with the app's page on it; nothing is loaded yet. */
  device(options?: BrowserContextOptions): Promise<AppPage>;
  /** A scripted agent that is online; it ends with the journey. */
  agent(name?: string): Promise<ScriptedAgent>;
  /** A device that is paired with an agent, and in a conversation with it. */
  paired(agent: ScriptedAgent, options?: BrowserContextOptions): Promise<AppPage>;
  /** Is called after the journey, whatever became of it. */
  after(end: () => Promise<unknown>): void;
}

/** Sets up the world of the file that calls it. */
export function useWorld(variables: Record<string, string> = { LINEUP_RATE_PER_S: '0' }): World {
  const relay = new RelayProcess(variables);
  let browser: Browser | null = null;
  let ends: (() => Promise<unknown>)[] = [];
  let devices: Device[] = [];
  beforeAll(async () => {
    [browser] = await Promise.all([launchBrowser(), relay.start()]);
  });
  afterEach(async () => {
    const all = [...devices.map((device) => () => device.close()), ...ends];
    devices = [];
    ends = [];
    for (const end of all) await end();
  });
  afterAll(async () => {
    await browser?.close();
    await relay.dispose();
  });
  const there = <T>(thing: T | null): T => {
    if (thing === null) throw new Error('The world is not set up yet.');
    return thing;
  };
  const world: World = {
    relay,
    get browser() {
      return there(browser);
    },
    async device(options = PHONE) {
      const device = await Device.open(there(browser), options);
      devices.push(device);
      onTestFailed(async ({ task }) => {
        if (device.page.isClosed()) return;
        mkdirSync(SCREENSHOTS, { recursive: true });
        await device.page.screenshot({
          path: join(SCREENSHOTS, `${task.name.replaceAll(/\W+/g, '-').slice(0, 60)}-${randomUUID().slice(0, 4)}.png`),
        });
      });
      return new AppPage(device);
    },
    async agent(name) {
      const agent = await ScriptedAgent.start(relay.origin, name);
      ends.push(() => agent.close());
      return agent;
    },
    async paired(agent, options) {
      const app = await world.device(options);
      await app.pairByLink((await agent.pairing()).url);
      await app.line('idle').waitFor({ state: 'attached' });
      return app;
    },
    after(end) {
      ends.push(end);
    },
  };
  return world;
}
