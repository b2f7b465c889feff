/** What journeys about capabilities share: an agent that asks, and the dialog as a person uses it. */
import type { BrowserContextOptions, Locator } from 'playwright-core';
import type { CapabilityName } from '../../src/protocol/capabilities.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import type { AppPage } from './app-page.ts';
import { PHONE } from './browser.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import type { World } from './world.ts';

type AppCall = Payloads['lineup.v1.app.call'];

/** A scripted agent and a device that is paired with it and has declared what it can do. */
export async function stage(
  world: World,
  options: BrowserContextOptions = PHONE,
): Promise<{ agent: ScriptedAgent; phone: AppPage; consent: ConsentDialog }> {
  const agent = await world.agent();
  const phone = await world.device(options);
  await phone.pairByLink((await agent.pairing()).url);
  await agent.hear(({ type }) => type === 'lineup.v1.client.inventory', 'the inventory');
  return { agent, phone, consent: new ConsentDialog(phone) };
}

/** Asks for a capability; returns the call's id. */
export async function askFor(
  agent: ScriptedAgent,
  capability: CapabilityName | 'app.launch_rocket',
  args: AppCall['arguments'],
  change: Partial<AppCall> = {},
): Promise<string> {
  const callId = change.call_id ?? `cap-${crypto.randomUUID()}`;
  await agent.send('lineup.v1.app.call', { capability, reason: 'You asked for it', arguments: args, ...change, call_id: callId });
  return callId;
}

/** The result of such a call. */
export async function appResult(agent: ScriptedAgent, callId: string): Promise<Payloads['lineup.v1.app.result']> {
  const message = await agent.hear(({ type, payload }) => type === 'lineup.v1.app.result' && payload.call_id === callId, `the result of ${callId}`);
  return message.payload as Payloads['lineup.v1.app.result'];
}

/** The consent dialog of a page. */
export class ConsentDialog {
  readonly app: AppPage;

  constructor(app: AppPage) {
    this.app = app;
  }

  get dialog(): Locator {
    return this.app.page.locator('dialog.consent');
  }

  get title(): Locator {
    return this.dialog.locator('h2');
  }

  get allowButton(): Locator {
    return this.dialog.locator('.button.primary');
  }

  get declineButton(): Locator {
    return this.dialog.locator('.consent-actions .button').first();
  }

  /** Waits until it is there and awake. */
  async awake(): Promise<void> {
    await this.dialog.locator('.button.primary[aria-disabled="false"]').waitFor();
  }

  async allow(): Promise<void> {
    await this.awake();
    await this.allowButton.click();
  }

  async decline(): Promise<void> {
    await this.declineButton.click();
  }

  async gone(): Promise<void> {
    await this.dialog.waitFor({ state: 'detached' });
  }
}
