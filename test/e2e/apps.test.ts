import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Inventory } from '../../src/protocol/inventory.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP } from './browser.ts';
import { appResult, askFor, stage } from './capabilities-stage.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const paired = (options?: BrowserContextOptions) => stage(world, options);

const inventories = (agent: ScriptedAgent) =>
  agent.heard.filter(({ type }) => type === 'lineup.v1.client.inventory').map(({ payload }) => payload as unknown as Inventory);

/** The newest inventory, once there are so many. */
async function inventory(agent: ScriptedAgent, count: number): Promise<Inventory> {
  await until(`${count} inventories`, () => inventories(agent).length === count);
  return inventories(agent).at(-1)!;
}

async function openCenter({ page }: AppPage): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Apps and permissions' }).click();
  await page.locator('.center').waitFor();
}

async function closeCenter({ page }: AppPage): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('.center').waitFor({ state: 'detached' });
}

const open = (agent: ScriptedAgent, id: string, state: JsonObject, instance = 'i.1') =>
  agent.send('lineup.v1.ui.open', {
    instance_id: instance,
    app: { id, name: 'An app', version: '1.0.0' },
    state,
  });

/** The inside of the surface on the screen. */
const inside = (page: Page): FrameLocator => page.frameLocator('.surface-place iframe').frameLocator('iframe');

it('the inventory is what is there, with a name that is never used again', async () => {
  const { agent, phone } = await paired();
  const first = await inventory(agent, 1);
  expect(first.standard_components.map(({ id }) => id)).toEqual(['choice', 'confirm', 'input']);
  expect(first.applications).toEqual([
    { id: 'com.lineup.svg-canvas', version: '1.0.0', surfaces: [{ id: 'canvas', events: ['draw', 'resize', 'snapshot'] }] },
    { id: 'com.lineup.form', version: '1.1.0', surfaces: [{ id: 'form', events: ['submit'] }] },
  ]);
  expect(first.capabilities.map(({ name, risk }) => `${name} ${risk}`)).toEqual([
    'app.open_url user_confirmation',
    'clipboard.write user_confirmation',
    'artifact.save user_confirmation',
    'device.pick_file system_permission',
    'device.location system_permission',
    'device.take_photo system_permission',
    'app.notify display_only',
  ]);
  await phone.page.reload();
  await phone.line('idle').waitFor({ state: 'attached' });
  await openCenter(phone);
  await phone.page.getByRole('switch', { name: 'Ask where you are' }).click();
  const second = await inventory(agent, 2);
  expect(second.capabilities.map(({ name }) => name)).not.toContain('device.location');
  await phone.page.getByRole('switch', { name: 'Ask where you are' }).click();
  const third = await inventory(agent, 3);
  expect({ ...third, revision: '' }).toEqual({ ...first, revision: '' });
  expect(new Set([first, second, third].map(({ revision }) => revision)).size).toBe(3);
});

it('what is switched off is revoked: for what comes, and for what waits', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  const waiting = await askFor(agent, 'device.location', {});
  await consent.dialog.waitFor();
  const other = await phone.device.context.newPage();
  await other.goto(world.relay.origin);
  await other.locator('dialog.consent').waitFor();
  await other.evaluate(() => localStorage.setItem('lineup.capabilities.off', '["device.location"]'));
  expect(await appResult(agent, waiting)).toMatchObject({ status: 'unsupported', error: { code: 'revoked' } });
  await consent.gone();
  await inventory(agent, 2);
  expect(await appResult(agent, await askFor(agent, 'device.location', {}))).toMatchObject({ status: 'unsupported', error: { code: 'revoked' } });
  expect(await consent.dialog.count()).toBe(0);
});

it('an app that is disabled is closed, refused to the agent, and comes back', async () => {
  const { agent, phone } = await paired(DESKTOP);
  await open(agent, 'com.lineup.form', { title: 'Trip', fields: [{ name: 'to', label: 'Where to?' }] });
  await inside(phone.page).getByText('Trip').waitFor();
  await openCenter(phone);
  await phone.page.getByRole('switch', { name: 'Form' }).click();
  await inventory(agent, 2);
  await closeCenter(phone);
  await phone.sees('com.lineup.form is not on this device, or is switched off');
  expect(await phone.page.locator('.surface-place iframe').count()).toBe(0);
  await expect(open(agent, 'com.lineup.form', {}, 'i.2')).rejects.toMatchObject({ code: 'revoked' });
  await openCenter(phone);
  await phone.page.getByRole('switch', { name: 'Form' }).click();
  await inventory(agent, 3);
  await closeCenter(phone);
  await inside(phone.page).getByText('Trip').waitFor();
});

it('an app stays in its version until it is upgraded', async () => {
  const { agent, phone } = await paired();
  await phone.page.evaluate(() => localStorage.setItem('lineup.apps', JSON.stringify({ 'com.lineup.form': { enabled: true, version: '1.0.0' } })));
  await phone.page.reload();
  expect((await inventory(agent, 2)).applications).toContainEqual(expect.objectContaining({ id: 'com.lineup.form', version: '1.0.0' }));
  await openCenter(phone);
  await phone.sees('Version 1.0.0');
  await phone.page.getByRole('button', { name: 'Upgrade to 1.1.0' }).click();
  expect((await inventory(agent, 3)).applications).toContainEqual(expect.objectContaining({ id: 'com.lineup.form', version: '1.1.0' }));
  expect(await phone.page.getByRole('button', { name: 'Upgrade' }).count()).toBe(0);
});

it('a form is filled in, kept through a reload, and sent; what it kept can be cleared', async () => {
  const { agent, phone } = await paired(DESKTOP);
  await open(agent, 'com.lineup.form', {
    title: 'Book <b>a table</b>',
    fields: [
      { name: 'who', label: 'Name', required: true },
      { name: 'seats', label: 'Seats', type: 'number', value: 2 },
      { name: 'where', label: 'Where', type: 'select', options: ['inside', 'outside'] },
      { name: 'quiet', label: 'A quiet corner', type: 'switch' },
    ],
  });
  const form = inside(phone.page);
  await form.getByText('Book <b>a table</b>').waitFor();
  await form.getByRole('button', { name: 'Submit' }).click();
  await form.getByText('Something that is needed is still empty.').waitFor();
  await form.getByLabel('Name').fill('Ada');
  await form.getByLabel('Where').selectOption('outside');
  await form.getByLabel('A quiet corner').check();
  await until('it is kept', () => phone.page.evaluate(() => localStorage.getItem('lineup.app.com.lineup.form')?.includes('outside') ?? false));
  await phone.page.reload();
  await until('it is there again', async () => (await form.getByLabel('Name').inputValue()) === 'Ada');
  await form.getByRole('button', { name: 'Submit' }).click();
  const { payload } = await agent.hear(({ type }) => type === 'lineup.v1.ui.event', 'the form');
  expect(payload).toEqual({
    instance_id: 'i.1',
    event: 'submit',
    data: { values: { who: 'Ada', seats: 2, where: 'outside', quiet: true } },
  });
  await openCenter(phone);
  await phone.page.getByText(/^Keeps \d+ bytes here$/).waitFor();
  await phone.page.getByRole('switch', { name: 'Form' }).click();
  await phone.page.getByRole('button', { name: 'Clear it' }).click();
  expect(await phone.page.evaluate(() => localStorage.getItem('lineup.app.com.lineup.form'))).toBeNull();
  expect((await inventory(agent, 2)).applications).not.toContainEqual(expect.objectContaining({ id: 'com.lineup.form' }));
  expect(agent.heard.some(({ type, payload: { event } }) => type === 'lineup.v1.ui.event' && event === 'keep')).toBe(false);
});

it('on the canvas agent and user draw together, and the agent gets a picture', async () => {
  const { agent, phone } = await paired(DESKTOP);
  await open(agent, 'com.lineup.svg-canvas', { width: 200, height: 100, paths: [{ path: 'M0 0L200 100', color: 'red" onload="x', width: 4 }] });
  const canvas = inside(phone.page);
  await canvas.locator('#svg path').waitFor({ state: 'attached' });
  const box = (await canvas.locator('#svg').boundingBox())!;
  await phone.page.mouse.move(box.x + 20, box.y + 20);
  await phone.page.mouse.down();
  await phone.page.mouse.move(box.x + 120, box.y + 40, { steps: 6 });
  await phone.page.mouse.up();
  const drawn = await agent.hear(({ type, payload }) => type === 'lineup.v1.ui.event' && payload.event === 'draw', 'a stroke');
  expect(drawn.payload.data).toMatchObject({ path: expect.stringMatching(/^M[\d.]+ [\d.]+l0 0L/) as string, width: 3 });
  await canvas.getByRole('button', { name: 'Send a snapshot' }).click();
  const shot = await agent.hear(({ type, payload }) => type === 'lineup.v1.ui.event' && payload.event === 'snapshot', 'a snapshot');
  expect(shot.payload.data).toMatchObject({ paths: 2, svg: expect.stringContaining('viewBox="0 0 200 100"') as string });
  expect(JSON.stringify(shot.payload.data)).not.toContain('onload');
  await agent.send('lineup.v1.ui.patch', { instance_id: 'i.1', state: { width: 300, height: 300, paths: [] } });
  const resized = await agent.hear(
    ({ type, payload: { event, data } }) => type === 'lineup.v1.ui.event' && event === 'resize' && (data as { height: number }).height === 300,
    'a resize',
  );
  expect(resized.payload.data).toEqual({ width: 300, height: 300 });
  await phone.page.reload();
  await until('the stroke is there again', async () => (await canvas.locator('#svg path').count()) === 1);
});
