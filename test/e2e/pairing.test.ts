import { expect, it } from 'vitest';
import { until } from './app-page.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { RelayProcess } from '../support/relay-process.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function agent(): Promise<ScriptedAgent> {
  const started = await ScriptedAgent.start(world.relay.origin);
  world.after(() => started.close());
  return started;
}

it('a link pairs after one question, and its code leaves the address at once', async () => {
  const hermes = await agent();
  const pairing = await hermes.pairing();
  const phone = await world.device();
  const redeemed: string[] = [];
  phone.page.on('request', (request) => {
    if (request.url().endsWith('/v1/pairings/redeem')) redeemed.push(request.postData() ?? '');
  });
  await phone.page.goto(pairing.url);
  await phone.sees('Pair this device?');
  expect(phone.page.url()).toBe(`${world.relay.origin}/`);
  expect(redeemed).toEqual([]);
  expect(await phone.page.locator('.invitation').innerText()).toContain(new URL(world.relay.origin).host);
  await phone.page.getByLabel('This device is called').fill('My phone');
  await phone.page.locator('button.primary').dblclick();
  await phone.sees('Nothing here yet');
  expect(redeemed).toHaveLength(1);
  const [device] = await hermes.http.devices();
  expect(device).toMatchObject({ name: 'My phone', platform: 'web', online: true });
  expect((await hermes.http.pairing(pairing.pairing_id)).state).toBe('redeemed');
  expect(phone.device.complaints()).toEqual([]);
  await phone.page.reload();
  await phone.sees('Nothing here yet');
  expect(redeemed).toHaveLength(1);
});

it('a code pairs where a camera does not, however it is typed', async () => {
  const hermes = await agent();
  const { code } = await hermes.pairing();
  const phone = await world.device();
  await phone.page.goto(world.relay.origin);
  await phone.sees('Your agent, on your phone');
  await phone.typeCode(` ${code.slice(0, 4).toLowerCase()} – ${code.slice(4).toLowerCase()}`);
  await phone.agree();
  await phone.statusLine.getByText('online').waitFor();
  expect(phone.device.complaints()).toEqual([]);
});

it('a link into another conversation of an agent that this device is paired with opens it, in a new page or typed, and asks nothing', async () => {
  const hermes = await agent();
  const phone = await world.device();
  await phone.pairByLink((await hermes.pairing()).url);
  const { conversation_id: id } = await hermes.http.createConversation('Garden');
  await hermes.http.postMessage(id, { id: 'a1', type: 'text', payload: { content: 'In the garden' } });
  const link = async () => `${(await hermes.pairing()).url}&conversation=${id}`;
  await phone.page.goto('about:blank');
  await phone.page.goto(await link());
  await phone.sees('In the garden');
  await phone.page.goto(`${world.relay.origin}/#/pair`);
  await phone.typeCode(await link());
  await phone.field.waitFor();
  await phone.sees('In the garden');
  expect(decodeURIComponent(phone.page.url())).toContain(id);
  expect(await phone.page.locator('.invitation').count()).toBe(0);
  expect(await hermes.http.devices()).toHaveLength(1);
  expect(phone.device.complaints()).toEqual([]);
});

it('a pasted link works in the field, and in an open page', async () => {
  const hermes = await agent();
  const phone = await world.device();
  await phone.page.goto(world.relay.origin);
  await phone.typeCode((await hermes.pairing()).url);
  await phone.sees('Pair this device?');
  await phone.page.getByRole('button', { name: 'Not now' }).click();
  await phone.sees('Your agent, on your phone');
  const { code } = await hermes.pairing();
  await phone.page.evaluate((hash) => {
    location.hash = hash;
  }, `pair=${code}`);
  await phone.agree();
});

it('what is no code is said before anything is asked of the relay', async () => {
  const phone = await world.device();
  await phone.page.goto(world.relay.origin);
  for (const [typed, words] of [
    ['', 'Type the code that your agent shows.'],
    ['K7Q2', 'A code has eight characters'],
    ['K7Q2-9FXU', 'never the letter U'],
    ['https://relay.example/', 'holds no pairing code'],
    ['http://relay.example/#pair=K7Q29FXM', 'not encrypted'],
  ] as const) {
    await phone.typeCode(typed);
    await phone.sees(words);
  }
  expect(phone.device.complaints()).toEqual([]);
});

it('a code that was used is refused in words, with a way to another', async () => {
  const hermes = await agent();
  const { url } = await hermes.pairing();
  await (await world.device()).pairByLink(url);
  const second = await world.device();
  await second.page.goto(url);
  await second.page.locator('button.primary').click();
  await second.sees('This code does not work.');
  expect(await second.page.locator('button.primary').count()).toBe(0);
  await second.page.getByRole('button', { name: 'Use another code' }).click();
  await second.sees('Your agent, on your phone');
  // The browser reports the 404 itself; there is nothing else.
  expect(second.device.complaints(/404/)).toEqual([]);
});

it('a relay that cannot be reached is said, and the tap can be repeated', async () => {
  const hermes = await agent();
  const phone = await world.device();
  await phone.page.goto((await hermes.pairing()).url);
  await phone.sees('Pair this device?');
  await phone.device.context.setOffline(true);
  await phone.page.locator('button.primary').click();
  await phone.sees('The relay cannot be reached.');
  await phone.device.context.setOffline(false);
  await phone.agree();
  await phone.statusLine.getByText('online').waitFor();
});

it('the page says what stands behind it', async () => {
  const phone = await world.device();
  await phone.page.goto(world.relay.origin);
  await phone.sees(/Ready · version/);
  const silent = await world.device();
  await silent.page.route('**/healthz', (route) => route.abort());
  await silent.page.goto(world.relay.origin);
  await silent.sees('Does not answer.');
});

it('a relay without an owner key says what is missing and how to set it', async () => {
  const keyless = new RelayProcess({ LINEUP_OWNER_KEY: '' });
  world.after(() => keyless.dispose());
  await keyless.start();
  const phone = await world.device();
  await phone.page.goto(keyless.origin);
  await phone.sees('npx wrangler secret put LINEUP_OWNER_KEY');
  expect(phone.device.complaints()).toEqual([]);
});

// Last, since it locks everybody here out for a minute.
it('after too many wrong codes the seconds are counted down', async () => {
  const phone = await world.device();
  await phone.page.goto(world.relay.origin);
  await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      fetch(`${world.relay.origin}/v1/pairings/redeem`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: `0000000${i % 10}`, device: { name: 'x', platform: 'x' } }),
      }),
    ),
  );
  await phone.typeCode('K7Q29FXM');
  await phone.page.locator('button.primary').click();
  await phone.sees(/Too many wrong codes\. Try again in \d+ s\./);
  expect(await phone.page.locator('button.primary').isDisabled()).toBe(true);
  const seconds = async () => Number(/in (\d+) s/.exec(await phone.page.locator('.problem').innerText())?.[1]);
  const first = await seconds();
  await until('the seconds go down', async () => (await seconds()) < first);
});
