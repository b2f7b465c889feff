/** Pairing by the camera: Chromium plays a video of real QR codes where a phone has its camera. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AppPage } from './app-page.ts';
import { DESKTOP, Device, launchBrowser, PHONE } from './browser.ts';
import { writeQrVideo } from './qr-video.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function agent(): Promise<ScriptedAgent> {
  const started = await ScriptedAgent.start(world.relay.origin);
  world.after(() => started.close());
  return started;
}

/** A device whose camera sees the QR codes of `texts`. */
async function seeing(texts: readonly string[], options: Parameters<typeof Device.open>[1] = PHONE, inverted = false): Promise<AppPage> {
  const folder = await mkdtemp(join(tmpdir(), 'lineup-camera-'));
  const video = join(folder, 'camera.y4m');
  await writeQrVideo(video, texts, inverted);
  const browser = await launchBrowser(['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${video}`]);
  world.after(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });
  const device = await Device.open(browser, options);
  await device.context.grantPermissions(['camera']);
  await device.page.addInitScript(() => {
    const tracks: MediaStreamTrack[] = [];
    const given = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await given(wanted);
      tracks.push(...stream.getTracks());
      return stream;
    };
    Object.assign(window, { cameras: () => tracks.map(({ readyState }) => readyState) });
  });
  return new AppPage(device);
}

/** Whether each camera stream that the page ever had still runs. */
function cameras(app: AppPage): Promise<string[]> {
  return app.page.evaluate(() => (window as unknown as { cameras(): string[] }).cameras());
}

/** Points the camera at a code. The sheet may be gone in a moment: with the first code that is one. */
const scan = (app: AppPage) => app.page.getByRole('button', { name: 'Scan the QR code' }).click();

/** Opens the sheet where it stays: no code that it sees is one, or there is no camera. */
async function openScanner(app: AppPage): Promise<void> {
  await scan(app);
  await app.page.getByRole('dialog').waitFor();
}

it.each([
  ['a phone', PHONE, false],
  ['a desktop, from a dark terminal', DESKTOP, true],
])('the QR code of an agent pairs %s, a code of somebody else’s does not, and the camera stops at once', async (_, options, inverted) => {
  const hermes = await agent();
  const { url } = await hermes.pairing();
  const app = await seeing(['https://example.com/menu', url], options, inverted);
  await app.page.goto(world.relay.origin);
  await openScanner(app);
  await app.sees('This code is not a pairing link.');
  expect(await app.violations()).toEqual([]);
  await app.sees('Pair this device?');
  expect(await cameras(app)).toEqual(['ended']);
  expect(await app.page.locator('.invitation').innerText()).toContain(new URL(world.relay.origin).host);
  await app.agree();
  await app.line('idle').waitFor({ state: 'attached' });
  expect(await hermes.http.devices()).toHaveLength(1);
  expect(app.device.complaints()).toEqual([]);
});

it('a code that leads into another conversation of an agent that this phone is paired with opens it, and asks nothing', async () => {
  const hermes = await agent();
  const { conversation_id: id } = await hermes.http.createConversation('Garden');
  await hermes.http.postMessage(id, { id: 'a1', type: 'text', payload: { content: 'In the garden' } });
  const app = await seeing([`${(await hermes.pairing()).url}&conversation=${id}`]);
  await app.pairByLink((await hermes.pairing()).url);
  await app.page.goto(`${world.relay.origin}/#/pair`);
  await scan(app);
  await app.field.waitFor();
  await app.sees('In the garden');
  expect(await cameras(app)).toEqual(['ended']);
  expect(await app.page.locator('.invitation').count()).toBe(0);
  expect(await hermes.http.devices()).toHaveLength(1);
  expect(app.device.complaints()).toEqual([]);
});

it('a code of another relay says which one it is before anything is redeemed', async () => {
  const app = await seeing(['https://relay.example/#pair=K7Q29FXM']);
  await app.page.goto(world.relay.origin);
  await scan(app);
  await app.sees('Pair this device?');
  await app.sees('relay.example');
  await app.sees('This is another relay than the one this page came from');
});

it('a relay on the home network that this page cannot talk to leads to its own page, and pairs there', async () => {
  const hermes = await agent();
  const link = new URL((await hermes.pairing()).url);
  link.hostname = 'localhost';
  const app = await seeing([link.href]);
  await app.page.goto(world.relay.origin);
  await scan(app);
  await app.sees('Its own page can');
  expect(await app.violations()).toEqual([]);
  await app.page.getByRole('link', { name: `Open ${link.host}` }).click();
  await app.page.waitForURL(`${link.origin}/`);
  await app.agree();
  await app.line('idle').waitFor({ state: 'attached' });
});

it('the camera is off while nobody looks, and on again after that', async () => {
  const app = await seeing(['https://example.com/menu']);
  await app.page.goto(world.relay.origin);
  await openScanner(app);
  await app.sees('This code is not a pairing link.');
  await look(app, 'hidden');
  expect(await cameras(app)).toEqual(['ended']);
  await look(app, 'visible');
  await app.sees('This code is not a pairing link.');
  expect(await cameras(app)).toEqual(['ended', 'live']);
  await app.page.keyboard.press('Escape');
  await app.page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await cameras(app)).toEqual(['ended', 'ended']);
});

it('back closes the camera and stays on the page', async () => {
  const app = await seeing(['https://example.com/menu']);
  await app.page.goto(world.relay.origin);
  await openScanner(app);
  await app.sees('This code is not a pairing link.');
  await app.page.goBack();
  await app.page.getByRole('dialog').waitFor({ state: 'detached' });
  await app.sees('Your agent, on your phone');
  expect(await cameras(app)).toEqual(['ended']);
});

it('where the camera is refused, the way goes on with the keyboard', async () => {
  const hermes = await agent();
  const { code } = await hermes.pairing();
  const app = await seeing(['https://example.com/menu'], DESKTOP);
  await app.page.addInitScript(refuse, 'NotAllowedError');
  await app.page.goto(world.relay.origin);
  await app.page.getByRole('button', { name: 'Scan the QR code' }).focus();
  await app.page.keyboard.press('Enter');
  await app.sees('The browser does not let this page use the camera.');
  expect(await app.violations()).toEqual([]);
  await app.page.getByRole('button', { name: 'Type the code instead' }).focus();
  await app.page.keyboard.press('Enter');
  await app.page.getByRole('dialog').waitFor({ state: 'detached' });
  await app.page.locator('.code-field:focus').waitFor();
  await app.page.keyboard.type(code.toLowerCase());
  await app.page.keyboard.press('Enter');
  await app.agree();
});

it.each([
  ['none', 'NotFoundError', 'This device has no camera that the page can use.'],
  ['one that another app has', 'NotReadableError', 'The camera cannot be used right now.'],
])('a device with no camera to give (%s) says so, and can be tried again', async (_, name, words) => {
  const app = await world.device();
  await app.page.addInitScript(refuse, name);
  await app.page.goto(world.relay.origin);
  await openScanner(app);
  await app.sees(words);
  await app.page.getByRole('button', { name: 'Try again' }).click();
  await app.sees(words);
  expect(app.device.complaints()).toEqual([]);
});

it('a page that was not loaded securely says why there is no camera', async () => {
  const app = await world.device();
  await app.page.addInitScript(() => {
    Object.defineProperty(navigator, 'mediaDevices', { value: undefined });
    Object.defineProperty(globalThis, 'isSecureContext', { value: false });
  });
  await app.page.goto(world.relay.origin);
  await openScanner(app);
  await app.sees('This page was not loaded over https');
  await app.sees('The camera app of your phone can scan it too');
});

/** In the page: the browser gives no camera. */
function refuse(name: string): void {
  navigator.mediaDevices.getUserMedia = async () => {
    throw new DOMException('no camera', name);
  };
}

/** The page is looked at, or is not. */
function look(app: AppPage, state: 'visible' | 'hidden'): Promise<void> {
  return app.page.evaluate((visibility) => {
    Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
