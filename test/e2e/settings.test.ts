/** What a user can set and do in the settings: of the conversation, of the app, of this device. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function openSettings(app: AppPage): Promise<void> {
  await app.page.getByRole('button', { name: 'Settings' }).first().click();
  await app.page.getByRole('dialog').waitFor();
}

it.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])('a conversation that is renamed on %s has its name on every device and at the agent', async (_, options) => {
  const hermes = await world.agent();
  const [app, other] = [await world.paired(hermes, options), await world.paired(hermes)];
  await openSettings(app);
  expect(await app.violations()).toEqual([]);
  const name = app.page.getByLabel('Name of this conversation');
  await name.fill('  Kitchen 厨房 ');
  await name.press('Enter');
  await app.page.getByText('Renamed').waitFor({ state: 'attached' });
  await app.page.keyboard.press('Escape');
  for (const page of [app.page, other.page]) await page.getByRole('heading', { name: 'Hermes · Kitchen 厨房' }).waitFor();
  expect((await hermes.http.conversations())[0]?.title).toBe('Kitchen 厨房');
  await other.page.reload();
  await other.page.getByRole('heading', { name: 'Hermes · Kitchen 厨房' }).waitFor();

  await openSettings(app);
  await name.fill('');
  await app.page.getByRole('button', { name: 'Rename' }).click();
  await app.page.keyboard.press('Escape');
  for (const page of [app.page, other.page]) await page.getByRole('heading', { name: 'Hermes', exact: true }).first().waitFor();
  expect(app.device.complaints()).toEqual([]);
});

it('a name that cannot be given keeps what was typed, and says why', async () => {
  const hermes = await world.agent();
  const app = await world.paired(hermes);
  await openSettings(app);
  await app.device.context.setOffline(true);
  await app.page.getByLabel('Name of this conversation').fill('Kitchen');
  await app.page.getByRole('button', { name: 'Rename' }).click();
  await app.sees('The relay cannot be reached.');
  await app.device.context.setOffline(false);
  await app.page.getByRole('button', { name: 'Rename' }).click();
  await until('it is renamed', async () => (await hermes.http.conversations())[0]?.title === 'Kitchen');
});

it('a new conversation opens at once, and deleting it asks first and takes it from every device', async () => {
  const hermes = await world.agent();
  const [app, other] = [await world.paired(hermes), await world.paired(hermes, DESKTOP)];
  await hermes.say('In the first one');
  await app.sees('In the first one');
  await openSettings(app);
  await app.page.getByRole('button', { name: 'New conversation with Hermes' }).click();
  await app.page.getByRole('dialog').waitFor({ state: 'detached' });
  await app.sees('Nothing here yet');
  expect(await hermes.http.conversations()).toHaveLength(2);
  await other.page.locator('.list-row').nth(1).waitFor();

  await openSettings(app);
  await app.page.getByRole('button', { name: 'Delete this conversation' }).click();
  expect(await app.violations()).toEqual([]);
  await app.page.getByRole('button', { name: 'Cancel' }).click();
  expect(await hermes.http.conversations()).toHaveLength(2);
  await app.page.getByRole('button', { name: 'Delete this conversation' }).click();
  await app.page.getByRole('button', { name: 'Delete', exact: true }).click();
  await app.page.getByRole('dialog').waitFor({ state: 'detached' });
  await app.sees('In the first one');
  expect(await hermes.http.conversations()).toHaveLength(1);
  await until('the other device shows one', async () => (await other.page.locator('.list-row').count()) < 2);
  expect(app.device.complaints(/404/)).toEqual([]);
});

it('of a deleted conversation the browser keeps nothing, not even what was typed, and the next page does not look for it', async () => {
  const hermes = await world.agent();
  const [app, other] = [await world.paired(hermes), await world.paired(hermes, DESKTOP)];
  await app.line('idle').waitFor({ state: 'attached' });
  await other.line('idle').waitFor({ state: 'attached' });
  await other.field.fill('half a thought on the other device');
  await app.device.context.setOffline(true);
  await app.say('never sent');
  await app.field.fill('half a thought');
  await app.device.context.setOffline(false);
  await app
    .mark()
    .getByText(/sent|delivered/)
    .waitFor();
  await openSettings(app);
  await app.page.getByRole('button', { name: 'Delete this conversation' }).click();
  await app.page.getByRole('button', { name: 'Delete', exact: true }).click();
  await app.sees('No conversation');
  const id = hermes.enrolled.conversation_id;
  const kept = ({ page }: AppPage) => page.evaluate((name) => Object.keys(localStorage).filter((key) => key.includes(name)), id);
  await until('nothing is kept here', async () => (await kept(app)).length === 0);
  await until('nothing is kept on the other device', async () => (await kept(other)).length === 0);
  const asked: string[] = [];
  app.page.on('websocket', (socket) => asked.push(socket.url()));
  await app.page.reload();
  await app.sees('No conversation');
  expect(asked).toEqual([]);
});

it('what cannot be done to other devices here is said, with the way to do it', async () => {
  const app = await world.paired(await world.agent());
  await openSettings(app);
  await app.sees('To remove your other devices, run this on the machine of Hermes: lineup devices');
});

it('the size of the text is of the whole app, and stays', async () => {
  const hermes = await world.agent();
  const app = await world.paired(hermes);
  await hermes.say('Read me');
  await app.sees('Read me');
  const size = () => app.page.evaluate(() => Number.parseFloat(getComputedStyle(document.querySelector('.document') ?? document.body).fontSize));
  const normal = await size();
  await openSettings(app);
  await app.page.getByText('Largest').click();
  const overflow = () => app.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  expect(await app.violations()).toEqual([]);
  expect(await size()).toBeCloseTo(normal * 1.35, 1);
  await app.page.reload();
  await app.sees('Read me');
  expect(await size()).toBeCloseTo(normal * 1.35, 1);
  await openSettings(app);
  await app.page.getByText('Small', { exact: true }).click();
  expect(await size()).toBeCloseTo(normal * 0.9, 1);
  await app.page.getByText('Normal', { exact: true }).click();
  expect(await size()).toBe(normal);
});

it('signing out leaves nothing in the browser, even one that does not list its databases, and other tabs notice', async () => {
  const hermes = await world.agent();
  const app = await world.paired(hermes);
  const tab = await app.device.context.newPage();
  await tab.goto(world.relay.origin);
  await tab.locator('.composer-field').fill('from the other tab');
  await tab.locator('.send-button').click();
  await app.sees('from the other tab');
  await app.page.bringToFront();
  await app.page.evaluate(() => Reflect.deleteProperty(IDBFactory.prototype, 'databases'));
  await openSettings(app);
  await app.page.getByText('Dark', { exact: true }).click();
  await app.page.getByText('Largest').click();
  await app.page.getByRole('button', { name: 'Sign out' }).click();
  await app.page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await app.sees('Your agent, on your phone');
  await tab.getByText('Your agent, on your phone').waitFor();
  expect(await app.page.evaluate(() => ({ ...document.documentElement.dataset }))).toEqual({});
  const left = () =>
    tab.evaluate(async () => [Object.keys(localStorage), (await indexedDB.databases()).map(({ name }) => name), await caches.keys()]);
  await until('nothing is left', async () => JSON.stringify(await left()) === '[[],[],[]]');
  expect(await hermes.http.devices()).toEqual([]);
});

it('signing out of a browser that does not let go of a database is done all the same, and says so', async () => {
  const hermes = await world.agent();
  const app = await world.paired(hermes);
  await app.page.evaluate(() => {
    IDBFactory.prototype.deleteDatabase = () => {
      const request = Object.assign(new EventTarget(), { error: new DOMException('in use', 'UnknownError') });
      queueMicrotask(() => request.dispatchEvent(new Event('error')));
      return request as unknown as IDBOpenDBRequest;
    };
  });
  await openSettings(app);
  await app.page.getByRole('button', { name: 'Sign out' }).click();
  await app.page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await app.sees('Your agent, on your phone');
  await app.sees('the browser did not let go of everything');
  expect(await app.violations()).toEqual([]);
  expect(await hermes.http.devices()).toEqual([]);
  expect(app.device.complaints()).toEqual([]);
});

it('a conversation is saved whole, in both forms, though only its end is on the screen', async () => {
  const hermes = await world.agent();
  for (let i = 1; i <= 230; i++)
    await hermes.http.postMessage(hermes.enrolled.conversation_id, { id: `t${i}`, type: 'text', payload: { content: `line ${i}.` } });
  const { file_id } = await hermes.http.upload(hermes.enrolled.conversation_id, new Uint8Array(2_048), 'application/pdf');
  await hermes.send('file', { file_id, name: 'plan.pdf', mime_type: 'application/pdf', size: 2_048 });
  const app = await world.paired(hermes);
  await app.say('noted');
  await app
    .mark()
    .getByText(/sent|delivered/)
    .waitFor();
  await openSettings(app);
  await app.page.getByRole('button', { name: 'Save as a file' }).click();
  await app.sees('Everything that the relay still keeps of it');
  expect(await app.violations()).toEqual([]);
  const save = async (button: string) => {
    const [download] = await Promise.all([app.page.waitForEvent('download'), app.page.getByRole('button', { name: button, exact: true }).click()]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  };
  const markdown = await save('Save');
  expect(markdown.name).toMatch(/^Hermes \d{4}-\d\d-\d\d\.md$/);
  for (let i = 1; i <= 230; i++) expect(markdown.text).toContain(`line ${i}.`);
  expect(markdown.text).toContain('[plan.pdf] · 2 kB');
  expect(markdown.text).toMatch(/\*\*You\*\* · \d\d:\d\d\n\nnoted/);
  await app.sees('Saved: 232 messages.');
  await app.page.getByText('JSON', { exact: true }).click();
  const json = await save('Save again');
  expect(json.name).toMatch(/\.json$/);
  const written = JSON.parse(json.text) as { messages: { seq: number; type: string }[] };
  expect(written.messages).toHaveLength(232);
  const tokens = await app.page.evaluate(
    () =>
      Object.values(localStorage)
        .join(' ')
        .match(/eyJ[\w.-]+/g) ?? [],
  );
  expect(tokens.length).toBeGreaterThan(0);
  for (const token of tokens) expect(json.text + markdown.text).not.toContain(token);
  expect(app.device.complaints()).toEqual([]);
});

it('saving that breaks in the middle goes on from there, and can be stopped', async () => {
  const hermes = await world.agent();
  for (let i = 1; i <= 230; i++)
    await hermes.http.postMessage(hermes.enrolled.conversation_id, { id: `t${i}`, type: 'text', payload: { content: `line ${i}.` } });
  const app = await world.paired(hermes, DESKTOP);
  const asked: string[] = [];
  let broken = true;
  let held: (() => void) | null = null;
  await app.page.route(/\/messages\?after=/, async (route) => {
    const after = new URL(route.request().url()).searchParams.get('after') ?? '';
    asked.push(after);
    if (broken && after === '100') return route.abort();
    if (after === '200') await new Promise<void>((resolve) => (held = resolve));
    return route.continue();
  });
  await openSettings(app);
  await app.page.getByRole('button', { name: 'Save as a file' }).click();
  await app.page.getByRole('button', { name: 'Save', exact: true }).click();
  await app.sees('What is loaded so far is kept.');
  expect(await app.violations()).toEqual([]);
  broken = false;
  await app.page.getByRole('button', { name: 'Go on' }).click();
  await app.sees('200 messages');
  expect(await app.page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('87');
  await app.page.getByRole('button', { name: 'Cancel' }).click();
  await until('the last page is asked for', () => held !== null);
  (held as (() => void) | null)?.();
  await app.page.getByRole('button', { name: 'Save', exact: true }).click();
  await until('the rest is asked for', () => asked.length === 5);
  const download = app.page.waitForEvent('download');
  (held as (() => void) | null)?.();
  const text = await readFile(await (await download).path(), 'utf8');
  expect(text.match(/line \d+\./g)).toEqual(Array.from({ length: 230 }, (_, i) => `line ${i + 1}.`));
  expect(asked).toEqual(['0', '100', '100', '200', '200']);
});

it('notifications are allowed in the settings, which say how it stands', async () => {
  const app = await world.paired(await world.agent());
  // Chromium without a window denies whatever is not granted: what is asked for the first time is played here.
  await app.page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => sessionStorage.getItem('said') ?? 'default' });
    Notification.requestPermission = () => {
      sessionStorage.setItem('said', 'granted');
      return Promise.resolve('granted');
    };
  });
  await app.page.reload();
  await app.field.waitFor();
  await openSettings(app);
  await app.page.getByRole('group', { name: 'Notifications' }).getByRole('button', { name: 'Tell me outside this page too' }).click();
  await app.page.getByText('On, while this page is open somewhere.').waitFor();
  expect(await app.violations()).toEqual([]);
  await app.page.evaluate(() => sessionStorage.setItem('said', 'denied'));
  await app.page.keyboard.press('Escape');
  await openSettings(app);
  await app.page.getByText('Your browser does not allow them for this page.').waitFor();
  expect(app.device.complaints()).toEqual([]);
});
