/** What needs the user, wherever it waits: in the list, in the tray, on the app's icon, in notices. */
import { describe, expect, it } from 'vitest';
import type { Payloads } from '../../src/protocol/messages.ts';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const SIZES = [
  ['phone', PHONE],
  ['desktop', DESKTOP],
] as const;

const BUNDLE = { html: '<p>Sunny</p>', css: '', js: '' };

/** Pairs a page that notes what it is told to put on the app's icon. */
async function pairedWith(hermes: ScriptedAgent, options: Parameters<typeof world.device>[0] = PHONE): Promise<AppPage> {
  const app = await world.device(options);
  await app.page.addInitScript(() => {
    const badges: number[] = [];
    Object.assign(window, { badges });
    Object.assign(Navigator.prototype, {
      setAppBadge: (count: number) => Promise.resolve(void badges.push(count)),
      clearAppBadge: () => Promise.resolve(void badges.push(0)),
    });
  });
  await app.pairByLink((await hermes.pairing()).url);
  await app.line('idle').waitFor({ state: 'attached' });
  return app;
}

/** Pairs one more agent with a page. */
async function alsoPaired(app: AppPage, other: ScriptedAgent): Promise<void> {
  const { code } = await other.pairing();
  await app.page.goto(`${world.relay.origin}/#/pair`);
  await app.typeCode(code);
  await app.agree();
  await app.line('idle').waitFor({ state: 'attached' });
}

/** Makes a page that nobody looks at, or one that somebody looks at again. */
async function look(app: AppPage, state: 'visible' | 'hidden'): Promise<void> {
  await app.page.evaluate((now) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

/** What the system tells the worker when a notice is tapped. */
async function tapOnNotification(app: AppPage): Promise<void> {
  const [worker] = app.device.context.serviceWorkers();
  await worker?.evaluate(`
    self.registration.getNotifications().then(([notification]) => {
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
    })
  `);
}

const badge = (app: AppPage) => app.page.evaluate(() => (window as unknown as { badges: number[] }).badges.at(-1) ?? 0);
const row = (app: AppPage, name: string) => app.page.locator('.list-row', { hasText: name });

function surface(instance_id: string): Payloads['lineup.v1.ui.open'] {
  return { instance_id, app: { id: 'com.example.weather', name: 'Weather', version: '1.0.0', ...BUNDLE }, state: {} };
}

describe('the list', () => {
  it.each(SIZES)('says of several agents who is there, what is new and what they do, after a reload too (%s)', async (size, options) => {
    const [hermes, iris] = [await world.agent(), await world.agent('Iris')];
    const app = await pairedWith(hermes, options);
    await alsoPaired(app, iris);
    if (size === 'phone') await app.page.getByRole('link', { name: 'Conversations' }).click();
    await row(app, 'Hermes').locator('.presence-dot.online').waitFor();
    await hermes.say('one');
    await hermes.say('two');
    await row(app, 'Hermes').locator('.unread').getByText('2', { exact: true }).waitFor();
    await row(app, 'Hermes').getByText('two').waitFor();
    await until('it is the first', async () => (await app.page.locator('.list-row b').first().innerText()) === 'Hermes');
    await hermes.send('status', { state: 'working', detail: 'reading mail' });
    await row(app, 'Hermes').getByText('working · reading mail').waitFor();
    expect(await app.violations()).toEqual([]);
    await app.page.reload();
    await row(app, 'Hermes').locator('.unread').getByText('2', { exact: true }).waitFor();
    await hermes.close();
    await row(app, 'Hermes').locator('.presence-dot:not(.online)').waitFor();
    await row(app, 'Hermes').getByText('two').waitFor();
    await row(app, 'Hermes').click();
    await app.sees('two');
    await until('it is read', async () => (await row(app, 'Hermes').locator('.unread').count()) === 0);
    expect(app.device.complaints()).toEqual([]);
  });

  it('says of which conversations the connection is down, where others are up', async () => {
    const hermes = await world.agent();
    const kitchen = await hermes.http.createConversation('Kitchen');
    const app = await pairedWith(hermes, DESKTOP);
    await row(app, 'Kitchen').locator('.presence-dot').waitFor();
    await app.page.routeWebSocket(new RegExp(kitchen.conversation_id), (socket) => void socket.close());
    await app.page.reload();
    await row(app, 'Kitchen').getByText('offline, retrying').waitFor();
    await row(app, 'Hermes').locator('.presence-dot.online').waitFor();
    await app.page.locator('.list-pane .the-line.offline').waitFor();
    expect(await app.page.locator('.list-offline').count()).toBe(0);
    expect(await app.violations()).toEqual([]);
  });

  it('counts nothing as new that was said before the device was paired', async () => {
    const hermes = await world.agent();
    const kitchen = await hermes.http.createConversation('Kitchen');
    const other = await hermes.inConversation(kitchen.conversation_id);
    world.after(() => other.close());
    await other.say('long ago');
    const app = await pairedWith(hermes);
    await app.page.getByRole('link', { name: 'Conversations' }).click();
    await row(app, 'Kitchen').getByText('long ago').waitFor();
    expect(await row(app, 'Kitchen').locator('.unread').count()).toBe(0);
    await other.say('just now');
    await row(app, 'Kitchen').locator('.unread').getByText('1', { exact: true }).waitFor();
  });
});

describe('what needs the user', () => {
  it.each(SIZES)('is a question, a wish for a capability and a surface alike: line, tray, title, icon (%s)', async (size, options) => {
    const hermes = await world.agent();
    const app = await pairedWith(hermes, options);
    await hermes.send('lineup.v1.ui.open', surface('weather.01'));
    await app.line('need').waitFor({ state: 'attached' });
    await app.tray.getByText('1 thing needs you').waitFor();
    await hermes.ask('confirm', 'ask', { question: 'Shall I?' });
    await app.tray.getByText('2 things need you').waitFor();
    await until('the icon says so', async () => (await badge(app)) === 2);
    expect(await app.page.title()).toBe('(2) Hermes');
    await app.tray.click();
    const sheet = app.page.getByRole('dialog');
    await sheet.getByText('Shall I?').waitFor();
    expect(await app.violations()).toEqual([]);
    await sheet.getByRole('button', { name: 'Show', exact: true }).click();
    await sheet.waitFor({ state: 'detached' });
    await until('one is left', async () => (await badge(app)) === 1);
    if (size === 'phone') await app.page.goBack();
    await hermes.send('lineup.v1.app.call', {
      call_id: `open-${size}`,
      capability: 'app.open_url',
      reason: 'To see the forecast',
      arguments: { url: 'https://example.com/' },
    });
    const consent = app.page.getByRole('dialog', { name: 'Hermes wants to open a link' });
    await consent.waitFor();
    await until('two are', async () => (await badge(app)) === 2);
    await consent.getByRole('button', { name: 'Decline' }).click();
    await until('one is left again', async () => (await badge(app)) === 1);
    await app.page.locator('.card').getByRole('button', { name: 'No', exact: true }).click();
    await app.line('idle').waitFor({ state: 'attached' });
    await until('nothing is', async () => (await badge(app)) === 0);
    expect(await app.page.title()).toBe('Hermes');
    expect(await app.tray.count()).toBe(0);
    // Chromium does not know this directive yet.
    expect(app.device.complaints(/webrtc/)).toEqual([]);
  });

  it('in another conversation is an amber dot there, and a notice that leads to it', async () => {
    const [hermes, iris] = [await world.agent(), await world.agent('Iris')];
    const app = await pairedWith(hermes);
    await alsoPaired(app, iris);
    await hermes.ask('confirm', 'ask', { question: 'Water the plants?' });
    const notice = app.page.locator('.notice');
    await notice.getByText('Hermes needs you').waitFor();
    await notice.getByText('Water the plants?').waitFor();
    expect(await app.page.title()).toBe('(1) Iris');
    await app.page.getByRole('link', { name: 'Conversations: 1 thing needs you' }).waitFor();
    expect(await app.violations()).toEqual([]);
    await notice.getByRole('link').click();
    await app.cards.getByText('Water the plants?').waitFor();
    await notice.waitFor({ state: 'detached' });
    await app.page.getByRole('link', { name: 'Conversations' }).click();
    await row(app, 'Hermes').getByText('needs you').waitFor();
    expect(app.device.complaints()).toEqual([]);
  });

  it.each(SIZES)('is said by the list where that is on the screen, and no notice covers it (%s)', async (size, options) => {
    const [hermes, iris] = [await world.agent(), await world.agent('Iris')];
    const app = await pairedWith(hermes, options);
    await alsoPaired(app, iris);
    if (size === 'phone') await app.page.getByRole('link', { name: 'Conversations' }).click();
    await hermes.ask('confirm', 'ask', { question: 'Water the plants?' });
    await row(app, 'Hermes').getByText('needs you').waitFor();
    expect(await app.page.locator('.notice').count()).toBe(0);
  });

  it('in a conversation that was begun meanwhile is news as well', async () => {
    const hermes = await world.agent();
    const app = await pairedWith(hermes);
    const kitchen = await hermes.http.createConversation('Kitchen');
    const other = await hermes.inConversation(kitchen.conversation_id);
    world.after(() => other.close());
    await other.ask('confirm', 'ask', { question: 'White?' });
    await app.page.locator('.notice').getByText('White?').waitFor();
    await app.page.locator('.notice').getByText('Hermes needs you · Kitchen').waitFor();
  });

  it('that came while nobody looked is told on the way back, with the offer to tell it outside', async () => {
    const hermes = await world.agent();
    const app = await pairedWith(hermes, DESKTOP);
    await look(app, 'hidden');
    await hermes.ask('confirm', 'ask', { question: 'Shall I?' });
    await until('it has come', async () => (await badge(app)) === 1);
    expect(await app.page.locator('.notice').count()).toBe(0);
    await look(app, 'visible');
    const notice = app.page.locator('.notice');
    await notice.getByText('Shall I?').waitFor();
    await notice.getByRole('button', { name: 'Tell me outside this page too' }).waitFor();
    expect(await app.violations()).toEqual([]);
    expect(app.device.complaints()).toEqual([]);
  });

  it('that comes while nobody looks is told by the system, where the user allows it', async () => {
    const [hermes, iris] = [await world.agent(), await world.agent('Iris')];
    const app = await pairedWith(hermes, DESKTOP);
    await alsoPaired(app, iris);
    await app.device.context.grantPermissions(['notifications'], { origin: world.relay.origin });
    await app.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const tab = await app.device.context.newPage();
    await tab.goto(world.relay.origin);
    await tab.locator('.composer-field').waitFor();
    await look(app, 'hidden');
    await hermes.ask('confirm', 'ask', { question: 'Told in the other tab?' });
    await until('it has come', async () => (await badge(app)) === 1);
    await tab.close();
    await hermes.ask('confirm', 'ask', { question: 'Shall I?' });
    const told = () =>
      app.page.evaluate(async () => {
        const worker = await navigator.serviceWorker.ready;
        return (await worker.getNotifications()).map(({ title, body }) => `${title}: ${body}`);
      });
    await until('it is told', async () => (await told()).length === 1);
    expect(await told()).toEqual(['Hermes needs you: Shall I?']);
    await tapOnNotification(app);
    await look(app, 'visible');
    await app.cards.getByText('Shall I?').waitFor();
    expect(await app.page.locator('.notice').count()).toBe(0);
    expect(await told()).toEqual([]);
    expect(app.device.complaints()).toEqual([]);
  });
});

describe('what the system told', () => {
  it('goes when it was answered, here or on another device, and with everything else when the user signs out', async () => {
    const hermes = await world.agent();
    const app = await pairedWith(hermes);
    const desktop = await pairedWith(hermes, DESKTOP);
    await app.device.context.grantPermissions(['notifications'], { origin: world.relay.origin });
    await app.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const told = () =>
      app.page.evaluate(async () => {
        const worker = await navigator.serviceWorker.ready;
        return (await worker.getNotifications()).map(({ body }) => body);
      });
    const tells = (...words: string[]) => until(`the system tells ${words.join()}`, async () => (await told()).join() === words.join());
    await look(app, 'hidden');
    await hermes.ask('confirm', 'ask', { question: 'First?' });
    await tells('First?');
    await desktop.page.locator('.card').getByRole('button', { name: 'No', exact: true }).click();
    await tells();
    await hermes.ask('confirm', 'ask', { question: 'Second?' });
    await tells('Second?');
    await app.page.locator('.card').getByRole('button', { name: 'No', exact: true }).click();
    await tells();
    await hermes.ask('confirm', 'ask', { question: 'Third?' });
    await tells('Third?');
    await app.page.getByRole('button', { name: 'Settings' }).first().click();
    await app.page.getByRole('button', { name: 'Sign out' }).click();
    await app.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await app.sees('Your agent, on your phone');
    await until('nothing is told', () =>
      app.page.evaluate(async () => ((await (await navigator.serviceWorker.getRegistration())?.getNotifications()) ?? []).length === 0),
    );
    expect(app.device.complaints()).toEqual([]);
  });
});

describe('a call that was settled while the device was away', () => {
  it('invites nobody to answer, and says on which device it was answered, and when', async () => {
    const hermes = await world.agent();
    const phone = await pairedWith(hermes);
    const desktop = await pairedWith(hermes, DESKTOP);
    const call = await hermes.ask('choice', 'select', { question: 'Where?', options: ['here', 'there'] });
    await Promise.all([phone.cards.waitFor(), desktop.cards.waitFor()]);
    await phone.device.context.setOffline(true);
    await phone.line('offline').waitFor({ state: 'attached' });
    await desktop.page.getByRole('button', { name: 'here', exact: true }).click();
    await hermes.result(call);
    await phone.device.context.setOffline(false);
    const words = /· answered on “Chrome on [^”]+”\s·\s\d\d:\d\d/;
    await phone.sees(words);
    expect(await phone.cards.count()).toBe(0);
    await phone.line('idle').waitFor({ state: 'attached' });
    await phone.page.reload();
    await phone.sees(words);
    expect(await phone.cards.count()).toBe(0);
  });
});

describe('a text without Markdown', () => {
  it.each(SIZES)('keeps its lines and columns, and scrolls within itself (%s)', async (_size, options) => {
    const hermes = await world.agent();
    const app = await pairedWith(hermes, options);
    const table = `${'NAME'.padEnd(40)}${'STATE'.padEnd(60)}SINCE\n${'relay'.padEnd(40)}${'**running**'.padEnd(60)}9:41`;
    await hermes.send('text', { content: table, format: 'plain' });
    await hermes.send('text', { content: 'One *sentence*.', format: 'plain' });
    const laidOut = app.page.locator('.laid-out');
    await laidOut.waitFor();
    expect(await laidOut.textContent()).toBe(table);
    const [inner, outer] = await laidOut.evaluate((element) => [
      element.scrollWidth > element.clientWidth,
      document.documentElement.scrollWidth > innerWidth,
    ]);
    expect([inner, outer]).toEqual([true, false]);
    await app.sees('One *sentence*.');
    expect(await app.violations()).toEqual([]);
  });
});

describe('the network', () => {
  it.each(SIZES)('that goes is said at once, and when it is back, so is that (%s)', async (_size, options) => {
    const hermes = await world.agent();
    const app = await pairedWith(hermes, options);
    await app.device.context.setOffline(true);
    await app.line('offline').waitFor({ state: 'attached' });
    await app.statusLine.getByText(/offline|reconnecting/).waitFor();
    await app.say('typed without a network');
    await app.mark().getByText('waiting').waitFor();
    await app.device.context.setOffline(false);
    await app.line('idle').waitFor({ state: 'attached' });
    await hermes.hear(({ payload }) => payload.content === 'typed without a network');
    await app.mark().getByText('delivered').waitFor();
  });
});
