/** One page, agents at two relays: the second one is reached at an address of its own over https, as relays on the internet are. */
import { expect, it } from 'vitest';
import type { Page, WebSocketRoute } from 'playwright-core';
import { WebSocket } from 'ws';
import { RelayProcess } from '../support/relay-process.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

/** Where the page finds the other relay. */
const OTHER = 'https://relay.other.example';

/** Leads everything that a page asks of {@link OTHER} to a relay of this machine. */
async function lead(page: Page, to: string): Promise<void> {
  await page.route(`${OTHER}/**`, async (route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    await route.fulfill({ response: await route.fetch({ url: `${to}${pathname}${search}` }) });
  });
  await page.routeWebSocket(`${OTHER.replace('https', 'wss')}/**`, (route) => pipe(route, to.replace('http', 'ws')));
}

function pipe(route: WebSocketRoute, to: string): void {
  const socket = new WebSocket(`${to}${new URL(route.url()).pathname}`, route.protocols());
  const waiting: string[] = [];
  route.onMessage((data) => void (socket.readyState === socket.OPEN ? socket.send(data) : waiting.push(String(data))));
  route.onClose(() => socket.close());
  socket.on('open', () => waiting.splice(0).forEach((data) => socket.send(data)));
  socket.on('message', (data) => route.send(String(data)));
  socket.on('close', (code, reason) => void route.close({ code: code === 1_005 || code === 1_006 ? 1_000 : code, reason: String(reason) }));
}

it.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])('%s that is paired here is paired with an agent at another relay too, and talks with both', async (_, options) => {
  const other = new RelayProcess({ LINEUP_RATE_PER_S: '0' });
  world.after(() => other.dispose());
  await other.start();
  const [hermes, iris] = [await ScriptedAgent.start(world.relay.origin), await ScriptedAgent.start(other.origin, 'Iris')];
  world.after(() => Promise.all([hermes.close(), iris.close()]));
  const app = await world.device(options);
  await lead(app.page, other.origin);
  await app.pairByLink((await hermes.pairing()).url);
  await app.line('idle').waitFor({ state: 'attached' });

  await app.page.goto(`${world.relay.origin}/#/pair`);
  const { code } = await iris.pairing();
  // The code alone belongs to the relay of this page, which does not know it.
  await app.typeCode(code);
  await app.page.locator('button.primary').click();
  await app.sees('This code does not work');
  await app.page.getByRole('button', { name: 'Use another code' }).click();
  await app.typeCode(`  ${OTHER}/#pair=${code}  `);
  await app.sees('relay.other.example');
  await app.sees('This is another relay than the one this page came from');
  expect(await app.violations()).toEqual([]);
  await app.agree();
  await app.page.getByRole('heading', { name: 'Iris' }).first().waitFor();
  await app.line('idle').waitFor({ state: 'attached' });
  await app.say('hello Iris');
  await iris.hear(({ payload }) => payload.content === 'hello Iris');
  await iris.say('hello from elsewhere');
  await app.sees('hello from elsewhere');

  await app.page.goto(`${world.relay.origin}/#/`);
  await app.page.locator('.list-row', { hasText: 'Hermes' }).click();
  await app.say('hello Hermes');
  await hermes.hear(({ payload }) => payload.content === 'hello Hermes');
  expect(iris.heard.some(({ payload }) => payload.content === 'hello Hermes')).toBe(false);
  expect(app.device.complaints(/404/)).toEqual([]);
});
