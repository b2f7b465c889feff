import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import { AppPage, until } from './app-page.ts';
import { DESKTOP } from './browser.ts';
import { appResult, askFor, ConsentDialog, stage } from './capabilities-stage.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const paired = (options?: BrowserContextOptions) => stage(world, options);

/** The same app in another tab of the same browser. */
async function secondTab({ device }: AppPage): Promise<ConsentDialog> {
  const page = await device.context.newPage();
  await page.goto(world.relay.origin);
  const tab = new ConsentDialog(new AppPage({ page } as AppPage['device']));
  await tab.app.field.waitFor();
  return tab;
}

const results = (agent: ScriptedAgent) => agent.heard.filter(({ type }) => type === 'lineup.v1.app.result');

it('two tabs ask, and one of them does it', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  await phone.device.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const other = await secondTab(phone);
  const call = await askFor(agent, 'clipboard.write', { text: 'once' });
  await Promise.all([consent.awake(), other.awake()]);
  // Whichever is first, the other may be gone before it is hit.
  const tap = ({ allowButton }: ConsentDialog) => allowButton.click({ timeout: 2_000 }).catch(() => undefined);
  await Promise.all([tap(consent), tap(other)]);
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed' });
  await Promise.all([consent.gone(), other.gone()]);
  await phone.page.waitForTimeout(500);
  expect(results(agent)).toHaveLength(1);
  // What is answered in one tab is not asked in the other, whether or not the relay can be reached.
  await agent.close();
  await agent.connect();
  const offline = await askFor(agent, 'app.open_url', { url: 'https://example.com' });
  await Promise.all([consent.dialog.waitFor(), other.dialog.waitFor()]);
  await world.relay.end('SIGKILL');
  await consent.decline();
  await Promise.all([consent.gone(), other.gone()]);
  await world.relay.start();
  expect(await appResult(agent, offline)).toMatchObject({ status: 'rejected' });
});

it('a page that dies at work says that it does not know, and does not do it again', async () => {
  const { agent, phone, consent } = await paired();
  const call = await askFor(agent, 'device.pick_file', {});
  await consent.awake();
  await Promise.all([phone.page.waitForEvent('filechooser'), consent.allowButton.click()]);
  await phone.page.reload();
  expect(await appResult(agent, call)).toMatchObject({ status: 'failed', error: { code: 'unknown_outcome' } });
  await phone.sees('interrupted, may have happened');
  expect(await consent.dialog.count()).toBe(0);
  await phone.page.reload();
  await phone.field.waitFor();
  await phone.page.waitForTimeout(500);
  expect(results(agent)).toHaveLength(1);
});

it('a tab that dies at work is spoken for by the other one', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  const other = await secondTab(phone);
  const call = await askFor(agent, 'device.pick_file', {});
  await other.awake();
  await Promise.all([other.app.page.waitForEvent('filechooser'), other.allowButton.click()]);
  await consent.gone();
  expect(results(agent)).toHaveLength(0);
  await other.app.page.close();
  expect(await appResult(agent, call)).toMatchObject({ status: 'failed', error: { code: 'unknown_outcome' } });
});

it('works where the browser keeps nothing, but remembers nothing then', async () => {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const phone = await world.device();
  await phone.page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
    IDBFactory.prototype.open = () => {
      throw new DOMException('denied', 'SecurityError');
    };
  });
  await phone.pairByLink((await agent.pairing()).url);
  await phone.device.context.grantPermissions(['clipboard-write']);
  const consent = new ConsentDialog(phone);
  const call = await askFor(agent, 'clipboard.write', { text: 'private' });
  await consent.awake();
  expect(await consent.dialog.locator('input[type=checkbox]').count()).toBe(0);
  await consent.allow();
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed' });
});

it('no surface runs beside a question', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  await agent.send('lineup.v1.ui.open', {
    instance_id: 'i.1',
    app: { id: 'com.lineup.form', name: 'Form', version: '1.1.0' },
    state: { title: 'Here' },
  });
  const frames = () => phone.page.locator('.surface-place iframe').count();
  await until('the surface runs', async () => (await frames()) === 1);
  await askFor(agent, 'device.location', {});
  await consent.dialog.waitFor();
  expect(await frames()).toBe(0);
  await consent.decline();
  await until('the surface runs again', async () => (await frames()) === 1);
});

it('a question stands above sheets, and leaves them as they were', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  await phone.page.getByRole('button', { name: 'Settings' }).click();
  await phone.page.locator('.settings').waitFor();
  await askFor(agent, 'device.location', {});
  await consent.dialog.waitFor();
  await phone.page.keyboard.press('Escape');
  await consent.gone();
  expect(await phone.page.locator('.settings').count()).toBe(1);
  await phone.page.keyboard.press('Escape');
  await phone.page.locator('.settings').waitFor({ state: 'detached' });
});
