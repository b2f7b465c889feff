import { describe, expect, it } from 'vitest';
import { bundleIntegrity } from '../../src/protocol/bundle.ts';
import { until } from './app-page.ts';
import { PHONE } from './browser.ts';
import { SurfacePage } from './surface-page.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const WEATHER = {
  id: 'com.lineup.weather',
  name: 'Weather',
  html: '<main><h1 id="city"></h1><button id="refresh">Refresh</button></main>',
  css: 'main { padding: 16px }',
  js: `LineUpSurface.onState((state) => { document.querySelector('#city').textContent = state.city; });
document.querySelector('#refresh').onclick = () => LineUpSurface.event('refresh', { unit: 'c' });`,
};

/** The surface page asks for what only some browsers know; the others say so. */
const OF_THE_FRAME = /^Unrecognized Content-Security-Policy directive 'webrtc'/;

describe('a surface', () => {
  it('is asked about once, shows its state, follows it, and tells what the user does', async () => {
    const desk = await SurfacePage.pair(world);
    const instance = await desk.open(WEATHER, { city: 'Beijing' });
    await desk.app.sees('Hermes wants to show you this');
    expect(await desk.iframe.count()).toBe(0);
    await desk.app.page.getByRole('button', { name: 'Show', exact: true }).click();
    await desk.content.getByText('Beijing').waitFor();
    await desk.content.getByRole('button', { name: 'Refresh' }).click();
    expect(await desk.event('refresh')).toEqual({ unit: 'c' });
    await desk.patch(instance, { city: 'Shanghai' });
    await desk.content.getByText('Shanghai').waitFor();
    await desk.app.page.reload();
    await desk.content.getByText('Shanghai').waitFor();
    expect(desk.app.device.complaints(OF_THE_FRAME)).toEqual([]);
  });

  it('stands in two frames, apart from the host, under a label of the host’s', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show(WEATHER, { city: 'Beijing' });
    await desk.content.getByText('Beijing').waitFor();
    expect(await desk.iframe.getAttribute('sandbox')).toBe('allow-scripts');
    const [outer, inner] = desk.app.page.frames().slice(1);
    expect(new URL(outer!.url()).hostname).toBe('localhost');
    expect(inner!.url()).toBe('about:srcdoc');
    expect(
      await inner!.evaluate(() => [self.origin, document.baseURI.includes('#'), Object.keys(window).filter((name) => /lineup/i.test(name))]),
    ).toEqual(['null', false, ['LineUpSurface']]);
    expect(await inner!.evaluate(() => Object.keys((window as unknown as { LineUpSurface: object }).LineUpSurface))).toEqual([
      'event',
      'onState',
      'resize',
      'context',
    ]);
    const bar = desk.app.page.locator('.surface-bar').last();
    expect(await bar.innerText()).toContain('com.lineup.weather');
    expect(await bar.innerText()).toContain('sandboxed · from Hermes');
  });

  it('is closed by the agent, and by the user for everyone', async () => {
    const desk = await SurfacePage.pair(world);
    const first = await desk.show(WEATHER, { city: 'Beijing' });
    await desk.agent.send('lineup.v1.ui.close', { instance_id: first, reason: 'completed' });
    await desk.app.sees('Hermes showed “Weather” · closed');
    expect(await desk.iframe.count()).toBe(0);
    await desk.open(WEATHER, { city: 'Paris' });
    await desk.content.getByText('Paris').waitFor();
    await desk.app.page.getByRole('button', { name: 'Close “Weather”' }).last().click();
    expect(await desk.event('close')).toEqual({});
    await until('the frame is gone', async () => (await desk.iframe.count()) === 0);
    await desk.app.page.reload();
    await desk.app.field.waitFor();
    expect(await desk.app.page.locator('.stage').count()).toBe(0);
  });

  it('is replaced by another open of the same instance', async () => {
    const desk = await SurfacePage.pair(world);
    const instance = await desk.show(WEATHER, { city: 'Beijing' });
    await desk.open({ ...WEATHER, version: '2.0.0', html: '<p>Second</p>', js: '' }, {}, instance);
    await desk.app.page.getByRole('button', { name: 'Show', exact: true }).click();
    await desk.content.getByText('Second').waitFor();
    expect(await desk.app.page.locator('.surface').count()).toBe(1);
  });

  it('whose code is not what its integrity says is refused; one whose code is, is asked about', async () => {
    const desk = await SurfacePage.pair(world);
    const bundle = { html: WEATHER.html, css: WEATHER.css, js: WEATHER.js };
    await desk.open({ ...WEATHER, integrity: await bundleIntegrity({ ...bundle, js: '' }) });
    await desk.app.sees('Not shown: the code is not what its own fingerprint says.');
    await desk.show({ ...WEATHER, integrity: await bundleIntegrity(bundle) }, { city: 'Beijing' });
    await desk.content.getByText('Beijing').waitFor();
  });

  it('with other code under a known id and version is refused, also after a reload', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show(WEATHER, { city: 'Beijing' });
    await desk.open({ ...WEATHER, js: 'location = "https://evil.example"' });
    await desk.app.sees('is not the one that you agreed to');
    await desk.app.page.reload();
    await desk.app.sees('is not the one that you agreed to');
  });

  it('that is declined stays out of the way until the user asks for it', async () => {
    const phone = await SurfacePage.pair(world, PHONE);
    await phone.open(WEATHER, { city: 'Beijing' });
    await phone.app.page.getByRole('button', { name: 'Not now' }).click();
    await phone.app.page.locator('.surface-card button.surface-label').click();
    await phone.app.page.getByRole('button', { name: 'Show', exact: true }).click();
    await phone.content.getByText('Beijing').waitFor();
  });

  it('on a phone is a card that opens with the whole screen, and the back button leads out of it', async () => {
    const phone = await SurfacePage.pair(world, PHONE);
    await phone.show(WEATHER, { city: 'Beijing' });
    await phone.content.getByText('Beijing').waitFor();
    const box = await phone.iframe.boundingBox();
    const bar = await phone.app.page.locator('.stage .surface-bar').boundingBox();
    expect(box).toMatchObject({ x: 0, width: 390 });
    expect(box!.y).toBe(bar!.height);
    expect(box!.y + box!.height).toBe(844);
    await phone.app.page.goBack();
    await until('it is left', async () => (await phone.iframe.count()) === 0);
    await phone.app.page.locator('.surface-card button.surface-label').click();
    await phone.content.getByText('Beijing').waitFor();
    await phone.app.page.getByRole('button', { name: 'Leave full screen' }).click();
    await until('it is left', async () => (await phone.iframe.count()) === 0);
    expect(phone.app.device.complaints(OF_THE_FRAME)).toEqual([]);
  });

  it('chooses its height within limits, and goes full screen without starting again', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show(
      { ...WEATHER, js: `${WEATHER.js};let n = 0; window.set = (h) => LineUpSurface.resize(h); document.body.dataset.born = String(Math.random());` },
      { city: 'Beijing' },
    );
    await desk.content.getByText('Beijing').waitFor();
    const inner = desk.app.page.frames()[2]!;
    const height = async () => (await desk.iframe.boundingBox())!.height;
    for (const [asked, given] of [
      [1, 120],
      [400, 400],
      [100_000, 560],
      [-5, 120],
    ] as const) {
      await inner.evaluate((h) => (window as unknown as { set(h: number): void }).set(h), asked);
      await until(`it is ${given} high`, async () => (await height()) === given);
    }
    const born = await inner.evaluate(() => document.body.dataset.born);
    await desk.app.page.getByRole('button', { name: 'full screen' }).click();
    await until('it has the window', async () => (await desk.iframe.boundingBox())!.width === 1280);
    expect(await inner.evaluate(() => document.body.dataset.born)).toBe(born);
    await desk.app.page.keyboard.press('Escape');
    await until('it is back in the dock', async () => (await desk.iframe.boundingBox())!.width < 500);
    expect(await inner.evaluate(() => document.body.dataset.born)).toBe(born);
  });

  it('changes its height at most four times a second', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show({ html: '<p>Jumps</p>', js: 'let n = 0; setInterval(() => LineUpSurface.resize(200 + (n++ % 2) * 100), 60)' });
    const heights = await desk.app.page.evaluate(async () => {
      const place = document.querySelector('.surface-place')!;
      let changes = 0;
      new MutationObserver(() => (changes += 1)).observe(place, { attributes: true, attributeFilter: ['style'] });
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      return changes;
    });
    expect(heights).toBeGreaterThan(0);
    expect(heights).toBeLessThanOrEqual(9);
  });

  it('knows theme and language, and hears when they change', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show({
      html: '<p id="now"></p>',
      js: `const context = LineUpSurface.context; const tell = () => { document.querySelector('#now').textContent = [context.theme, context.locale, context.safeArea.bottom, document.documentElement.lang].join(' '); };
tell(); context.addEventListener('change', tell);`,
    });
    await desk.content.getByText('light en 0 en').waitFor();
    await desk.app.page.emulateMedia({ colorScheme: 'dark' });
    await desk.content.getByText('dark en 0 en').waitFor();
    await desk.app.page.getByRole('button', { name: 'Settings' }).click();
    await desk.app.page.getByText('简体中文').click();
    await desk.content.getByText('dark zh-CN 0 zh-CN').waitFor();
  });

  it('is one of many: only the one on the screen runs', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show(WEATHER, { city: 'City 0' });
    for (let i = 1; i < 64; i++) await desk.open(WEATHER, { city: `City ${i}` });
    await desk.content.getByText('City 63').waitFor();
    expect(await desk.app.page.locator('.stage .surface').count()).toBe(64);
    expect(await desk.iframe.count()).toBe(1);
    await desk.app.page.locator('.stage button.surface-label').last().click();
    await desk.content.getByText('City 0').waitFor();
    expect(await desk.iframe.count()).toBe(1);
  });

  it('that was opened while the device was away is there when it comes back', async () => {
    const desk = await SurfacePage.pair(world);
    const instance = await desk.show(WEATHER, { city: 'Beijing' });
    await world.relay.end('SIGKILL');
    await world.relay.start();
    await desk.app.line('offline').waitFor({ state: 'detached' });
    await desk.patch(instance, { city: 'Lima' });
    await desk.content.getByText('Lima').waitFor();
  });

  it('does not run while the user is asked for consent, and comes back in its newest state', async () => {
    const desk = await SurfacePage.pair(world);
    const instance = await desk.show(WEATHER, { city: 'Beijing' });
    await desk.content.getByText('Beijing').waitFor();
    await desk.agent.send('lineup.v1.app.call', {
      call_id: 'call-consent',
      capability: 'app.open_url',
      reason: 'To read it',
      arguments: { url: 'https://example.com/docs' },
    });
    await desk.app.page.getByRole('dialog').waitFor();
    expect(await desk.iframe.count()).toBe(0);
    await desk.patch(instance, { city: 'Rome' });
    await desk.app.page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await desk.content.getByText('Rome').waitFor();
  });

  it.each(['light', 'dark'] as const)('is accessible on a phone, as a card and with the whole screen: %s', async (colorScheme) => {
    const phone = await SurfacePage.pair(world, { ...PHONE, locale: 'zh-CN', colorScheme });
    await phone.open(WEATHER, { city: 'Beijing' });
    await phone.app.sees('Hermes 想给你看这个');
    expect(await phone.app.violations()).toEqual([]);
    await phone.app.page.getByRole('button', { name: '显示', exact: true }).click();
    await phone.content.getByText('Beijing').waitFor();
    expect(await phone.app.violations()).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has a frame that is accessible, question and all: %s', async (colorScheme) => {
    const desk = await SurfacePage.pair(world, { viewport: { width: 1280, height: 800 }, colorScheme });
    await desk.open(WEATHER, { city: 'Beijing' });
    await desk.app.sees('Hermes wants to show you this');
    expect(await desk.app.violations()).toEqual([]);
    await desk.app.page.getByRole('button', { name: 'Show', exact: true }).click();
    await desk.content.getByText('Beijing').waitFor();
    expect(await desk.app.violations()).toEqual([]);
    await desk.app.page.getByRole('button', { name: 'full screen' }).click();
    expect(await desk.app.violations()).toEqual([]);
  });
});
