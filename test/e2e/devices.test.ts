import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP } from './browser.ts';
import { useWorld } from './world.ts';

const world = useWorld();

it('a second device sees the same, live and after a reload, and its question closes when the first answers', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  await hermes.say('Hello **both**');
  await phone.say('from the phone');
  const desktop = await world.paired(hermes, DESKTOP);
  await desktop.sees('Hello both');
  await desktop.sees('from the phone');
  await phone.say('live');
  await desktop.sees('live');
  const call = await hermes.ask('choice', 'select', { question: 'Where?', options: ['here', 'there'] });
  await Promise.all([phone.cards.waitFor(), desktop.cards.waitFor()]);
  await desktop.tray.click();
  const sheet = desktop.page.getByRole('dialog');
  await sheet.waitFor();
  await phone.page.getByRole('button', { name: 'here', exact: true }).click();
  await desktop.sees('· answered on another device');
  await sheet.waitFor({ state: 'detached' });
  expect(await desktop.cards.count()).toBe(0);
  expect(await hermes.result(call)).toMatchObject({ result: { selected: ['here'] } });
  await desktop.page.reload();
  await desktop.sees('· answered on another device');
  const seen = async (page: AppPage) => [await page.notes(), await page.page.locator('.document').count()];
  await until('both show the same', async () => JSON.stringify(await seen(phone)) === JSON.stringify(await seen(desktop)));
  expect(phone.device.complaints()).toEqual([]);
  expect(desktop.device.complaints()).toEqual([]);
});

it('two answers, neither of which knows of the other, make one result, and both devices show who won', async () => {
  const hermes = await world.agent();
  const [one, two] = [await world.paired(hermes), await world.paired(hermes)];
  const call = await hermes.ask('choice', 'select', { question: 'Where?', options: ['here', 'there'] });
  const answers = [
    { app: one, option: 'here' },
    { app: two, option: 'there' },
  ];
  await Promise.all(
    answers.map(async ({ app, option }) => {
      await app.cards.waitFor();
      await app.device.context.setOffline(true);
      await app.line('offline').waitFor({ state: 'attached' });
      await app.page.getByRole('button', { name: option, exact: true }).click();
      await app.statusLine.getByText('1 waiting to be sent').waitFor();
    }),
  );
  await Promise.all(answers.map(({ app }) => app.device.context.setOffline(false)));
  const { result } = await hermes.result(call);
  const [winner, loser] = result?.message === 'here' ? [one, two] : [two, one];
  await winner.sees(result?.message ?? '');
  await loser.sees(/· answered on /);
  expect(hermes.heard.filter(({ type, payload }) => type === 'tool.result' && payload.call_id === call)).toHaveLength(1);
});

it('two tabs of one device both live, and each shows what the other sends', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  const tab = await phone.device.context.newPage();
  await tab.goto(world.relay.origin);
  await tab.locator('.composer-field').fill('from the second tab');
  await tab.locator('.send-button').click();
  await phone.sees('from the second tab');
  await phone.say('from the first');
  await tab.getByText('from the first').waitFor();
  expect(await phone.notes()).toEqual(['from the second tab', 'from the first']);
  expect(await phone.line('idle').count()).toBe(1);
});

it('a device that is revoked says so and offers to pair again, without a loop', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  let sockets = 0;
  phone.page.on('websocket', () => sockets++);
  const [device] = await hermes.http.devices();
  await hermes.http.unpair(device?.device_id ?? '');
  await phone.sees('No longer paired');
  await phone.page.reload();
  await phone.sees('No longer paired');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(sockets).toBe(0);
  await phone.typeCode((await hermes.pairing()).code);
  await phone.agree();
  await phone.line('idle').waitFor({ state: 'attached' });
  await hermes.say('welcome back');
  await phone.sees('welcome back');
  expect(phone.device.complaints(/4403|403|401/)).toEqual([]);
});

it('a device revoked while the page was closed learns it at the next visit', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  await phone.page.goto('about:blank');
  const [device] = await hermes.http.devices();
  await hermes.http.unpair(device?.device_id ?? '');
  await phone.page.goto(world.relay.origin);
  await phone.sees('No longer paired');
});

it('unpairing signs the device off at the relay', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  await phone.page.getByRole('button', { name: 'Settings' }).click();
  await phone.page.getByRole('button', { name: 'Unpair from Hermes' }).click();
  await phone.page.getByRole('button', { name: 'Unpair', exact: true }).click();
  await phone.sees('Your agent, on your phone');
  await until('the relay knows', async () => (await hermes.http.devices()).length === 0);
  expect(phone.device.complaints()).toEqual([]);
});

it('signing out leaves nothing behind', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  await phone.say('to be forgotten');
  await phone
    .mark()
    .getByText(/sent|delivered/)
    .waitFor();
  await phone.field.fill('a draft');
  await phone.page.getByRole('button', { name: 'Settings' }).click();
  await phone.page.getByRole('button', { name: 'Sign out' }).click();
  await phone.page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await phone.sees('Your agent, on your phone');
  const left = await phone.page.evaluate(async () => [Object.keys(localStorage), (await indexedDB.databases()).map(({ name }) => name)]);
  expect(left).toEqual([[], []]);
});

it('several conversations are a list, with what each needs', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  const kitchen = await hermes.http.createConversation('Kitchen');
  const other = await hermes.inConversation(kitchen.conversation_id);
  world.after(() => other.close());
  await phone.page.getByRole('link', { name: 'Conversations' }).click();
  await phone.page.getByRole('heading', { name: 'Conversations' }).waitFor();
  await other.say('The **paint** has come');
  const row = phone.page.locator('.list-row', { hasText: 'Kitchen' });
  await row.getByText('The paint has come').waitFor();
  await row.locator('.unread').getByText('1').waitFor();
  await other.ask('confirm', 'ask', { question: 'White?' });
  await row.getByText('needs you').waitFor();
  await row.click();
  await phone.cards.getByText('White?').waitFor();
  await phone.page.goBack();
  await phone.page.getByRole('heading', { name: 'Conversations' }).waitFor();
  expect(await row.locator('.unread').count()).toBe(0);
  await hermes.http.deleteConversation(kitchen.conversation_id);
  await row.waitFor({ state: 'detached' });
  expect(phone.device.complaints()).toEqual([]);
});

it('when the last conversation is gone, the user can begin another', async () => {
  const hermes = await world.agent();
  const phone = await world.paired(hermes);
  await hermes.http.deleteConversation(hermes.enrolled.conversation_id);
  await phone.sees('No conversation');
  await phone.page.getByRole('button', { name: 'New conversation' }).click();
  await phone.line('idle').waitFor({ state: 'attached' });
  expect(await hermes.http.conversations()).toHaveLength(1);
});

it('a browser that denies its databases still pairs and talks, and says that it keeps nothing', async () => {
  const hermes = await world.agent();
  const phone = await world.device();
  await phone.page.addInitScript(() => {
    Object.defineProperty(window, 'indexedDB', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await phone.pairByLink((await hermes.pairing()).url);
  await phone.sees('This browser keeps nothing.');
  await phone.say('hello');
  await hermes.hear(({ payload }) => payload.content === 'hello', 'hello');
  await hermes.say('hello yourself');
  await phone.sees('hello yourself');
});
