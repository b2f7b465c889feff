/** What is taken away while somebody writes in it: the user learns it, is led into no other conversation, and keeps what was written. */
import { describe, expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const SIZES = [
  ['phone', PHONE],
  ['desktop', DESKTOP],
] as const;

/** Pairs a page with two agents; the second is on the screen. */
async function pairedWithBoth(first: ScriptedAgent, second: ScriptedAgent, options: Parameters<typeof world.device>[0]): Promise<AppPage> {
  const app = await world.device({ ...options, permissions: ['clipboard-read', 'clipboard-write'] });
  await app.pairByLink((await first.pairing()).url);
  await app.page.goto(`${world.relay.origin}/#/pair`);
  await app.typeCode((await second.pairing()).code);
  await app.agree();
  await app.line('idle').waitFor({ state: 'attached' });
  await app.page.getByRole('heading', { name: 'Iris', exact: true }).waitFor();
  return app;
}

async function copied(app: AppPage): Promise<string> {
  await app.page.getByRole('button', { name: 'Copy', exact: true }).click();
  await app.page.getByRole('button', { name: 'Copied' }).waitFor();
  return app.page.evaluate(() => navigator.clipboard.readText());
}

describe('while somebody writes', () => {
  it.each(SIZES)('the pairing: says so where it was, with the draft to copy, and after a reload too (%s)', async (_, options) => {
    const [hermes, iris] = [await world.agent('Hermes'), await world.agent('Iris')];
    const app = await pairedWithBoth(hermes, iris, options);
    await app.field.fill('half a thought');
    for (const { device_id } of await iris.http.devices()) await iris.http.unpair(device_id);
    await app.page.getByRole('heading', { name: 'No longer paired' }).waitFor();
    await app.sees('half a thought');
    expect(await app.field.count()).toBe(0);
    expect(await copied(app)).toBe('half a thought');
    expect(await app.violations()).toEqual([]);
    await app.page.reload();
    await app.page.getByRole('heading', { name: 'No longer paired' }).waitFor();
    await app.sees('half a thought');
  });

  it.each(SIZES)('the conversation, deleted elsewhere: says so, with the draft to copy (%s)', async (_, options) => {
    const [hermes, iris] = [await world.agent('Hermes'), await world.agent('Iris')];
    const app = await pairedWithBoth(hermes, iris, options);
    await app.field.fill('half a thought');
    await iris.http.deleteConversation(iris.enrolled.conversation_id);
    await app.page.getByRole('heading', { name: 'This conversation was deleted' }).waitFor();
    await app.sees('half a thought');
    expect(await app.field.count()).toBe(0);
    expect(await copied(app)).toBe('half a thought');
    expect(await app.violations()).toEqual([]);
    expect(app.device.complaints()).toEqual([]);
    await app.page.getByRole('link', { name: 'All conversations' }).click();
    await app.field
      .or(app.page.locator('.list-row', { hasText: 'Hermes' }))
      .first()
      .waitFor();
    expect(await app.page.getByText('half a thought').count()).toBe(0);
  });

  it('the only conversation of the only agent: says so, and the way on is to begin another', async () => {
    const hermes = await world.agent('Hermes');
    const app = await world.device();
    await app.pairByLink((await hermes.pairing()).url);
    await app.field.fill('half a thought');
    await hermes.http.deleteConversation(hermes.enrolled.conversation_id);
    await app.page.getByRole('heading', { name: 'This conversation was deleted' }).waitFor();
    await app.sees('half a thought');
    await app.page.getByRole('link', { name: 'All conversations' }).click();
    await app.page.getByRole('button', { name: 'New conversation' }).waitFor();
  });

  it('the pairing, ended in another tab: says so, with the draft to copy', async () => {
    const [hermes, iris] = [await world.agent('Hermes'), await world.agent('Iris')];
    const app = await pairedWithBoth(hermes, iris, DESKTOP);
    await app.field.fill('half a thought');
    const tab = await app.device.context.newPage();
    await tab.goto(app.page.url());
    await tab.getByRole('button', { name: 'Settings' }).click();
    await tab.getByRole('button', { name: 'Unpair from Iris' }).click();
    await tab.locator('.sure .danger').click();
    await app.page.getByRole('heading', { name: 'No longer paired' }).waitFor();
    await app.sees('half a thought');
    await until('the tab that did it is with the other', async () => (await tab.getByRole('heading', { name: 'Hermes', exact: true }).count()) > 0);
  });
});
