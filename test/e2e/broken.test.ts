/** What the page does with what it cannot draw: a message, a part of itself, the whole. */
import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { useWorld } from './world.ts';

const world = useWorld();

interface Page {
  messages: { ts: string; payload: { content?: string } }[];
}

/** A relay that is out of order: the time of one message is none, and no renderer can write it. */
async function withoutTime(route: Route): Promise<void> {
  const answer = await route.fetch();
  const page = (await answer.json()) as Page;
  for (const message of page.messages) if (message.payload.content === 'Bad') message.ts = 'never';
  await route.fulfill({ response: answer, json: page });
}

it.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])('a message that cannot be drawn is one line on %s, and everything around it stays', async (_, options) => {
  const hermes = await world.agent();
  for (const content of ['Before', 'Bad', 'After']) await hermes.say(content);
  const app = await world.paired(hermes, { ...options, permissions: ['clipboard-read', 'clipboard-write'] });
  await app.page.route(/\/messages/, withoutTime);
  await app.page.reload();
  await app.sees('This message cannot be shown.');
  await app.sees('Before');
  await app.sees('After');
  expect(await app.violations()).toEqual([]);
  await app.page.getByRole('button', { name: 'Copy what was sent' }).click();
  await app.sees('Copied');
  const copied = JSON.parse(await app.page.evaluate(() => navigator.clipboard.readText())) as object;
  expect(copied).toMatchObject({ type: 'text', ts: 'never', payload: { content: 'Bad' } });
  await app.say('still here');
  await hermes.hear(({ payload }) => payload.content === 'still here');
  expect(app.device.complaints(/RangeError|Invalid time value|error occurred in/)).toEqual([]);
});

it('a part of the page that does not come leaves the rest alone, and says how to get it', async () => {
  const app = await world.device({ ...PHONE, serviceWorkers: 'block' });
  const hermes = await world.agent();
  await app.pairByLink((await hermes.pairing()).url);
  await app.page.route(/\/assets\/find-sheet/, (route) => route.abort());
  await app.field.fill('a draft');
  await app.page.getByRole('button', { name: 'Find' }).click();
  // It is loaded again by itself, once: after a deploy the newer page has all of its parts.
  await app.page.waitForEvent('load');
  await app.page.getByRole('button', { name: 'Find' }).click();
  await app.sees('A part of the page could not be loaded.');
  expect(await app.violations()).toEqual([]);
  expect(await app.field.inputValue()).toBe('a draft');
  await app.page.unroute(/\/assets\/find-sheet/);
  await app.page.getByRole('button', { name: 'Load again' }).click();
  await app.field.waitFor();
  await app.page.getByRole('button', { name: 'Find' }).click();
  await app.page.getByRole('dialog').waitFor();
  expect(await app.field.inputValue()).toBe('a draft');
});

it('a document that the formatter does not come for is there as it was written', async () => {
  const hermes = await world.agent();
  await hermes.say('# A *plan*');
  const app = await world.device({ ...PHONE, serviceWorkers: 'block' });
  await app.page.route(/\/assets\/markdown/, (route) => (route.request().resourceType() === 'script' ? route.abort() : route.continue()));
  await app.pairByLink((await hermes.pairing()).url);
  await app.sees('# A *plan*');
  await app.say('fine');
  await app
    .mark()
    .getByText(/sent|delivered/)
    .waitFor();
});

it('a conversation of which nothing can be said in the list can still be opened', async () => {
  const hermes = await world.agent();
  await hermes.http.createConversation('Kitchen');
  const app = await world.paired(hermes, DESKTOP);
  // A relay that is out of order: no time that could be written.
  await app.page.route(/\/v1\/conversations$/, async (route) => {
    const answer = await route.fetch();
    const { conversations } = (await answer.json()) as { conversations: object[] };
    await route.fulfill({ response: answer, json: { conversations: conversations.map((each) => ({ ...each, last_message_at: 'never' })) } });
  });
  await app.page.reload();
  await until('both are listed', async () => (await app.page.locator('.list-row').count()) === 2);
  expect(await app.violations()).toEqual([]);
  for (const index of [0, 1]) {
    await app.page.locator('.list-row').nth(index).click();
    await app.say(`into ${index}`);
    await app.sees(`into ${index}`);
  }
});

it('a page that does not come up says so, keeps the draft, and loads again with one tap', async () => {
  const hermes = await world.agent();
  const app = await world.device({ ...PHONE, serviceWorkers: 'block' });
  await app.pairByLink((await hermes.pairing()).url);
  await app.field.fill('a draft');
  await app.page.route(/\/assets\/home/, (route) => route.abort());
  await app.page.reload();
  await app.sees('This page broke');
  expect(await app.violations()).toEqual([]);
  await app.page.unrouteAll();
  await app.page.getByRole('button', { name: 'Load again' }).click();
  await app.field.waitFor();
  expect(await app.field.inputValue()).toBe('a draft');
});

it('what is kept here and cannot be used is said too: no page is ever empty', async () => {
  const app = await world.paired(await world.agent());
  await app.page.evaluate(() => {
    const kept = localStorage.getItem('lineup.pairings') ?? '';
    const pairings = JSON.parse(kept) as { relay: string }[];
    localStorage.setItem('lineup.pairings', JSON.stringify(pairings.map((pairing) => ({ ...pairing, relay: 'no address' }))));
  });
  await app.page.reload();
  await app.sees('This page broke');
});
