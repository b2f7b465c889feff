/** Surfaces as a journey drives them: an agent that opens them, and what stands on the page. */
import { randomUUID } from 'node:crypto';
import type { BrowserContextOptions, FrameLocator, Locator } from 'playwright-core';
import type { Bundle } from '../../src/protocol/bundle.ts';
import type { Delivered } from '../../src/protocol/envelope.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { AppPage } from './app-page.ts';
import { DESKTOP, Device } from './browser.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import type { World } from './world.ts';

/** An app that an agent sends, with its code. */
export interface TestApp extends Partial<Bundle> {
  id?: string;
  name?: string;
  version?: string;
  integrity?: string;
}

/** One agent with one paired device. */
export class SurfacePage {
  readonly agent: ScriptedAgent;
  readonly app: AppPage;

  constructor(agent: ScriptedAgent, app: AppPage) {
    this.agent = agent;
    this.app = app;
  }

  /** Pairs a device, a desktop if nothing else is said, for one journey. */
  static async pair(world: World, options: BrowserContextOptions = DESKTOP): Promise<SurfacePage> {
    const agent = await ScriptedAgent.start(world.relay.origin);
    world.after(() => agent.close());
    return SurfacePage.#paired(agent, await world.device(options));
  }

  /** Pairs a device that stays until it is closed: for many short journeys. */
  static async keep(world: World): Promise<SurfacePage> {
    const agent = await ScriptedAgent.start(world.relay.origin);
    return SurfacePage.#paired(agent, new AppPage(await Device.open(world.browser, DESKTOP)));
  }

  static async #paired(agent: ScriptedAgent, app: AppPage): Promise<SurfacePage> {
    await app.pairByLink((await agent.pairing()).url);
    await app.line('idle').waitFor({ state: 'attached' });
    return new SurfacePage(agent, app);
  }

  async close(): Promise<void> {
    await this.app.device.close();
    await this.agent.close();
  }

  /** The agent opens a surface; each call is another app unless it is named. */
  async open(app: TestApp, state: JsonObject = {}, instanceId = `inst-${randomUUID().slice(0, 8)}`): Promise<string> {
    const id = app.id ?? `com.example.a${randomUUID().slice(0, 8)}`;
    await this.agent.send('lineup.v1.ui.open', {
      instance_id: instanceId,
      app: { name: 'Board', version: '1.0.0', html: '<p>Board</p>', ...app, id },
      state,
    });
    return instanceId;
  }

  /** The agent opens a surface and the user agrees to see it. */
  async show(app: TestApp, state: JsonObject = {}, instanceId?: string): Promise<string> {
    const opened = await this.open(app, state, instanceId);
    await this.app.page.getByRole('button', { name: /^(Show|显示)$/ }).click();
    await this.iframe.waitFor();
    return opened;
  }

  async patch(instanceId: string, state: JsonObject): Promise<void> {
    await this.agent.send('lineup.v1.ui.patch', { instance_id: instanceId, state });
  }

  /** The outer frame's element. */
  get iframe(): Locator {
    return this.app.page.locator('.surface-place > iframe');
  }

  /** The document of the agent's. */
  get content(): FrameLocator {
    return this.app.page.frameLocator('.surface-place > iframe').frameLocator('iframe');
  }

  /** The next event of this name that the agent hears. */
  async event(name: string): Promise<JsonObject> {
    const { payload } = await this.agent.hear((message) => isEvent(message, name), `the event ${name}`);
    return payload.data as JsonObject;
  }

  /** How many of them the agent has heard. */
  events(name: string): number {
    return this.agent.heard.filter((message) => isEvent(message, name)).length;
  }
}

function isEvent({ type, payload }: Delivered, name: string): boolean {
  return type === 'lineup.v1.ui.event' && payload.event === name;
}
