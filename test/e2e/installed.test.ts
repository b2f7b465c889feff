import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
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
  expect(manifest).toMatchObject({ name: 'LineUp', short_name: 'LineUp', id: '/', start_url: '/', scope: '/', display: 'standalone' });
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose ?? 'any'}`)).toEqual(
    expect.arrayContaining(['192x192 any', '512x512 any', '512x512 maskable']),
  );
  for (const { src } of manifest.icons) {
    const answer = await fetch(world.relay.origin + src);
    expect(answer.headers.get('content-type')).toMatch(/^image\//);
  }
});

it('the bars of the browser have the colour of the page, whatever the device prefers', async () => {
  const { app } = await paired();
  const colour = () =>
    app.page.evaluate(
      () => [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')].find(({ media }) => matchMedia(media).matches)?.content,
    );
  const light = await colour();
  await app.page.getByRole('button', { name: 'Settings' }).click();
  await app.page.getByText('Dark', { exact: true }).click();
  const dark = await colour();
  expect([light, dark]).toEqual(['#fbfaf7', '#12100e']);
  await app.page.emulateMedia({ colorScheme: 'dark' });
  await app.page.getByText('Light', { exact: true }).click();
  expect(await colour()).toBe(light);
});

it('is offered for the home screen once there is something in it, through the browser, and once only', async () => {
  const { app, hermes } = await paired();
  await offer(app);
  const hint = app.page.getByRole('complementary', { name: 'Keep it at hand.' });
  expect(await hint.count()).toBe(0);
  await hermes.say('Hello');
  await hint.waitFor();
  expect(await app.violations()).toEqual([]);
  await hint.getByRole('button', { name: 'Install' }).click();
  await until('the browser was asked', () => app.page.evaluate(() => (window as unknown as { asked?: number }).asked === 1));
  expect(await hint.count()).toBe(0);
  await app.page.reload();
  await app.sees('Hello');
  await offer(app);
  expect(await hint.count()).toBe(0);
  expect(app.device.complaints()).toEqual([]);
});

it('on an iPhone the words say how, and a no is remembered', async () => {
  const { app, hermes } = await paired();
  await app.page.addInitScript(() => Object.defineProperty(navigator, 'standalone', { value: false }));
  await hermes.say('Hello');
  await app.page.reload();
  await app.sees('Tap Share, then Add to Home Screen.');
  await app.page.getByRole('button', { name: 'Do not show this again' }).click();
  await app.page.reload();
  await app.sees('Hello');
  expect(await app.page.getByText('Tap Share').count()).toBe(0);
});

it('says nothing of the home screen where it runs from there', async () => {
  const { app, hermes } = await paired();
  await app.page.addInitScript(() => {
    const asked = window.matchMedia.bind(window);
    window.matchMedia = (query) => (query === '(display-mode: standalone)' ? asked('all') : asked(query));
  });
  await hermes.say('Hello');
  await app.page.reload();
  await app.sees('Hello');
  await offer(app);
  expect(await app.page.getByText('Keep it at hand.').count()).toBe(0);
});

async function paired(): Promise<{ app: AppPage; hermes: ScriptedAgent }> {
  const hermes = await ScriptedAgent.start(world.relay.origin);
  world.after(() => hermes.close());
  const app = await world.device();
  await app.pairByLink((await hermes.pairing()).url);
  await app.line('idle').waitFor({ state: 'attached' });
  return { app, hermes };
}

/** The browser says that it could install the page. */
function offer(app: AppPage): Promise<void> {
  return app.page.evaluate(() => {
    const counted = window as unknown as { asked?: number };
    const prompt = async () => {
      counted.asked = (counted.asked ?? 0) + 1;
    };
    window.dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt, userChoice: Promise.resolve() }));
  });
}
