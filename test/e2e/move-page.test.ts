/** A conversation that moves to a direct machine, as the phone's user lives through it: the link in the old one, one tap, and on it goes. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { encodePng } from '../../client/agent/png.ts';
import { buildWeb } from '../../scripts/local-build.ts';
import { OWNER_KEY } from '../support/relay-process.ts';
import { AppPage } from './app-page.ts';
import { Device, launchBrowser, PHONE } from './browser.ts';
import { MoveWorld, person } from './move-world.ts';

const DAY_MS = 86_400_000;
const PHONE_OF_LONG_AGO = { kind: 'app', id: 'dv_aaaaaaaaaaaaaaaa' };
const AGENT = { kind: 'agent' };

const world = new MoveWorld();
let browser: Browser;
const devices: Device[] = [];
beforeAll(async () => {
  const web = await buildWeb();
  [browser] = await Promise.all([launchBrowser(), world.start('--web', web)]);
});
afterEach(async () => {
  for (const device of devices.splice(0)) await device.close();
});
afterAll(async () => {
  await browser.close();
  await world.end();
});

it('offers the way in the old conversation, and shows there what was said, on its days and in its order', async () => {
  const { agent } = await world.conversation('Garden');
  const picture = await agent.http.upload(
    agent.conversationId,
    encodePng(40, 30, (x, y) => [x * 6, y * 8, 120]),
    'image/png',
  );
  const ago = (days: number, id: string, sender: object, type: string, payload: object) => ({
    v: 1,
    id,
    type,
    sender,
    ts: new Date(Date.now() - days * DAY_MS).toISOString(),
    payload,
  });
  const said = [
    ago(3, 'u1', PHONE_OF_LONG_AGO, 'text', { content: '花园怎么样？' }),
    ago(3, 'a1', AGENT, 'text', { content: 'Dry, as it was last week.' }),
    ago(1, 'u2', PHONE_OF_LONG_AGO, 'text', { content: 'Show me.' }),
    ago(1, 'a2', AGENT, 'image', { url: picture.url, file_id: picture.file_id, alt: 'The bed by the wall' }),
  ];
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' };
  const path = `${world.relay.origin}/v1/conversations/${agent.conversationId}/import`;
  expect((await fetch(path, { method: 'POST', headers, body: JSON.stringify({ messages: said }) })).status).toBe(200);

  const device = await Device.open(browser, PHONE);
  devices.push(device);
  const old = new AppPage(device);
  await old.pairByLink(`${(await agent.http.createPairing()).url}&conversation=${agent.conversationId}`);
  await old.say('Now from here.');
  const { to } = await world.move('move', '--to', 'direct', '--conversation', agent.conversationId);

  const link = old.page.getByRole('link', { name: new URL(world.direct.listening.origin).host }).first();
  await link.waitFor();
  const opened = old.page.context().waitForEvent('page');
  await link.click();
  const there = new AppPage(Object.assign(Object.create(Device.prototype) as Device, { context: device.context, page: await opened }));
  await there.agree();
  const { relay, token } = await world.setup('direct');
  await person(relay, token, to.conversation_id).say({ id: 'home', payload: { content: 'Now at home.' } });
  await there.sees('Now at home.');
  expect(await there.notes()).toEqual(['花园怎么样？', 'Show me.', 'Now from here.']);
  expect(await there.documents()).toEqual(['Dry, as it was last week.', 'Now at home.']);
  const firstLines = (await there.entries.allInnerTexts()).map((text) => text.split('\n')[0]);
  expect(firstLines).toEqual(['花园怎么样？', 'Dry, as it was last week.', 'Show me.', '', 'Now from here.', 'Now at home.']);
  await there.page.getByRole('button', { name: /The bed by the wall/ }).waitFor();
  expect(await there.page.locator('.day').count()).toBe(3);
  await there.say('And I am here.');
  await there.sees('And I am here.');

  // The next link needs no pairing: this device is at home there.
  await world.move('move', '--to', 'direct', '--conversation', agent.conversationId);
  const before = (await person(relay, token, to.conversation_id).http.devices()).length;
  const again = old.page.context().waitForEvent('page');
  await old.page
    .getByRole('link', { name: new URL(world.direct.listening.origin).host })
    .last()
    .click();
  const page = await again;
  await page.getByText('And I am here.').last().waitFor();
  expect(await page.locator('.invitation').count()).toBe(0);
  expect((await person(relay, token, to.conversation_id).http.devices()).length).toBe(before);
  expect(device.complaints()).toEqual([]);
});

it('a phone that is paired at the other end with another conversation goes straight in', async () => {
  const { agent } = await world.conversation('Kitchen');
  const device = await Device.open(browser, PHONE);
  devices.push(device);
  const app = new AppPage(device);
  const { relay, token } = await world.setup('direct');
  const direct = person(relay, token, '');
  await app.pairByLink((await direct.http.createPairing()).url);
  await app.line('idle').waitFor({ state: 'attached' });
  const before = await direct.http.devices();
  await app.pairByLink(`${(await agent.http.createPairing()).url}&conversation=${agent.conversationId}`);
  await app.say('Soup is on.');
  await app
    .mark()
    .getByText(/sent|delivered/)
    .waitFor();
  await world.move('move', '--to', 'direct', '--conversation', agent.conversationId);
  const opened = app.page.context().waitForEvent('page');
  await app.page
    .getByRole('link', { name: new URL(world.direct.listening.origin).host })
    .last()
    .click();
  const page = await opened;
  await page.locator('.note').getByText('Soup is on.').waitFor();
  expect(new URL(page.url()).origin).toBe(world.direct.listening.origin);
  expect(await page.locator('.invitation').count()).toBe(0);
  expect((await direct.http.devices()).map(({ device_id }) => device_id)).toEqual(before.map(({ device_id }) => device_id));
  expect(device.complaints()).toEqual([]);
});
