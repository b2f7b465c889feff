import { expect, it } from 'vitest';
import { until } from './app-page.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

it('the page opens without a network, and keeps nothing that a relay said', async () => {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const app = await world.device();
  await app.pairByLink((await agent.pairing()).url);
  await agent.say('Said before');
  await app.sees('Said before');
  const kept = () =>
    app.page.evaluate(async () => {
      const cache = await caches.open('lineup-shell-v1');
      return (await cache.keys()).map(({ url }) => new URL(url).pathname);
    });
  await app.page.reload();
  await app.sees('Said before');
  await until('the page and its parts are kept', async () => (await kept()).filter((path) => path.endsWith('.js')).length > 8);
  expect((await kept()).filter((path) => path.startsWith('/v1') || path === '/healthz')).toEqual([]);
  await app.device.context.setOffline(true);
  await app.page.reload();
  await app.field.waitFor();
  await app.line('offline').waitFor({ state: 'attached' });
  await app.device.context.setOffline(false);
  await app.line('idle').waitFor({ state: 'attached' });
  await app.sees('Said before');
});

it('has what a browser needs to install it', async () => {
  const manifest = (await (await fetch(`${world.relay.origin}/manifest.webmanifest`)).json()) as {
    icons: { src: string; sizes: string; purpose?: string }[];
  };
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose ?? 'any'}`)).toEqual(
    expect.arrayContaining(['192x192 any', '512x512 any', '512x512 maskable']),
  );
  for (const { src } of manifest.icons) {
    const answer = await fetch(world.relay.origin + src);
    expect(answer.headers.get('content-type')).toMatch(/^image\//);
  }
});
