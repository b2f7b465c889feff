import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Payloads } from '../../src/protocol/messages.ts';
import { until } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { appResult, askFor, ConsentDialog, stage } from './capabilities-stage.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const paired = (options?: BrowserContextOptions) => stage(world, options);

it('a link is shown whole with its domain marked, and opens in a tab that cannot reach back', async () => {
  const { agent, phone, consent } = await paired();
  const url = `${world.relay.origin}/healthz?from=%E2%80%AEagent`;
  const call = await askFor(agent, 'app.open_url', { url }, { reason: 'Look at \u202Ethis <b>now</b>' });
  await consent.dialog.waitFor();
  expect(await consent.title.innerText()).toBe('Hermes wants to open a link');
  expect(await consent.dialog.locator('.consent-address').innerText()).toBe(url);
  expect(await consent.dialog.locator('.consent-address strong').innerText()).toBe('127.0.0.1');
  expect(await consent.dialog.locator('.consent-warning').allInnerTexts()).toEqual([
    'A number in place of a name: nobody vouches for it.',
    'Not encrypted: others on the way can read and change it.',
  ]);
  expect(await consent.dialog.locator('blockquote').innerText()).toBe('Look at U+202Ethis <b>now</b>');
  await consent.awake();
  const [tab] = await Promise.all([phone.device.context.waitForEvent('page'), consent.allowButton.click()]);
  await tab.waitForURL(url);
  expect(await tab.evaluate(() => window.opener as unknown)).toBeNull();
  expect(await tab.evaluate(() => document.referrer)).toBe('');
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed', result: { opened: true } });
  await consent.gone();
  await phone.sees('Open a link · done');
});

it('a name in letters of other alphabets is warned of', async () => {
  const { agent, consent } = await paired();
  await askFor(agent, 'app.open_url', { url: 'https://www.аррӏе.com/login' });
  expect(await consent.dialog.locator('.consent-address strong').innerText()).toBe('xn--80ak6aa92e.com');
  await consent.dialog.getByText('Letters of other alphabets').waitFor();
});

it('text goes to the clipboard exactly as it was shown', async () => {
  const { agent, phone, consent } = await paired();
  await phone.device.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const text = 'rm -rf /tmp/x\n\u200Becho done';
  const call = await askFor(agent, 'clipboard.write', { text });
  await consent.dialog.waitFor();
  expect(await consent.dialog.locator('.consent-text').innerText()).toBe('rm -rf /tmp/x\nU+200Becho done');
  await consent.allow();
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed', result: { written: true } });
  expect(await phone.page.evaluate(() => navigator.clipboard.readText())).toBe(text);
});

it('a file is saved under its own name, with what came along or from the conversation', async () => {
  const { agent, phone, consent } = await paired();
  const call = await askFor(agent, 'artifact.save', { name: '报告.md', mime_type: 'text/markdown', content: '# Hello' });
  await consent.awake();
  const [download] = await Promise.all([phone.page.waitForEvent('download'), consent.allowButton.click()]);
  expect(download.suggestedFilename()).toBe('报告.md');
  expect(await readFile(await download.path(), 'utf8')).toBe('# Hello');
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed', result: { saved: true, size: 7 } });

  const stored = await agent.http.upload(agent.enrolled.conversation_id, new Uint8Array([1, 2, 3]), 'application/pdf');
  const second = await askFor(agent, 'artifact.save', { name: 'a.pdf', file_id: stored.file_id });
  await consent.awake();
  const [other] = await Promise.all([phone.page.waitForEvent('download'), consent.allowButton.click()]);
  expect([...(await readFile(await other.path()))]).toEqual([1, 2, 3]);
  expect(await appResult(agent, second)).toMatchObject({ status: 'completed', result: { size: 3 } });
});

it('a file that the user picks goes to the relay, and the agent can read it there', async () => {
  const { agent, phone, consent } = await paired();
  const call = await askFor(agent, 'device.pick_file', { accept: ['text/plain', '.md'] });
  await consent.awake();
  expect(await consent.dialog.locator('input[type=checkbox]').count()).toBe(0);
  const [chooser] = await Promise.all([phone.page.waitForEvent('filechooser'), consent.allowButton.click()]);
  await chooser.setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('my notes') });
  const { status, result } = await appResult(agent, call);
  expect({ status, result }).toMatchObject({ status: 'completed', result: { name: 'notes.txt', mime_type: 'text/plain', size: 8 } });
  const blob = await agent.http.download(agent.enrolled.conversation_id, String(result?.file_id));
  expect(await blob.text()).toBe('my notes');
});

it('where the device is goes to the agent once it is allowed, and "no" of the system is an answer', async () => {
  const { agent, consent } = await paired({ ...PHONE, geolocation: { latitude: 52.5, longitude: 13.4, accuracy: 12 }, permissions: ['geolocation'] });
  const call = await askFor(agent, 'device.location', {});
  await consent.allow();
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed', result: { latitude: 52.5, longitude: 13.4, accuracy: 12 } });

  const other = await paired({ ...PHONE, permissions: [] });
  await other.phone.page.evaluate(() => {
    navigator.geolocation.getCurrentPosition = (_done, failed) => failed?.({ code: 1, PERMISSION_DENIED: 1, TIMEOUT: 3 } as GeolocationPositionError);
  });
  const refused = await askFor(other.agent, 'device.location', {});
  await other.consent.allow();
  expect(await appResult(other.agent, refused)).toMatchObject({ status: 'rejected', error: { code: 'permission_denied' } });
});

it('a photo is taken by the user; without a camera they choose a picture, or stop', async () => {
  const { agent, phone, consent } = await paired();
  await phone.page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => {
      const canvas = document.createElement('canvas');
      canvas.width = 64;
      canvas.height = 48;
      const context = canvas.getContext('2d')!;
      setInterval(() => context.fillRect(0, 0, Math.random() * 64, 48), 30);
      (window as unknown as { stream: MediaStream }).stream = canvas.captureStream(30);
      return Promise.resolve((window as unknown as { stream: MediaStream }).stream);
    };
  });
  const call = await askFor(agent, 'device.take_photo', { camera: 'back' });
  await consent.allow();
  await phone.page.getByRole('button', { name: 'Take the picture' }).click();
  await phone.page.getByRole('button', { name: 'Use it' }).click();
  const { status, result } = await appResult(agent, call);
  expect({ status, result }).toMatchObject({ status: 'completed', result: { mime_type: 'image/jpeg' } });
  expect((await agent.http.download(agent.enrolled.conversation_id, String(result?.file_id))).size).toBe(result?.size);
  const live = () =>
    phone.page.evaluate(() => (window as unknown as { stream: MediaStream }).stream.getTracks().some((track) => track.readyState === 'live'));
  expect(await live()).toBe(false);

  await phone.page.evaluate(() => (navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))));
  const stopped = await askFor(agent, 'device.take_photo', {});
  await consent.allow();
  await phone.page.getByRole('button', { name: 'Choose a picture' }).waitFor();
  await phone.page.getByRole('button', { name: 'Stop' }).click();
  expect(await appResult(agent, stopped)).toMatchObject({ status: 'cancelled', error: { code: 'dismissed' } });
});

it('a notice is shown without asking, as plain words of the agent, and not without end', async () => {
  const { agent, phone, consent } = await paired();
  const call = await askFor(agent, 'app.notify', { title: 'Built <img src=x>', body: 'All green' });
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed', result: { shown: true } });
  const notice = phone.page.locator('.notice');
  await notice.getByText('From Hermes').waitFor();
  await notice.getByText('Built <img src=x>').waitFor();
  expect(await notice.locator('img').count()).toBe(0);
  const flood = await Promise.all(Array.from({ length: 6 }, (_, i) => askFor(agent, 'app.notify', { title: `Notice ${i}` })));
  const statuses = await Promise.all(flood.map(async (id) => (await appResult(agent, id)).status));
  expect(statuses.filter((status) => status === 'failed').length).toBeGreaterThan(0);
  await notice.getByRole('button', { name: 'Close the notice' }).click();
  await notice.getByText('Notice 0').waitFor();
  expect(await consent.dialog.count()).toBe(0);
});

it('wrong arguments are refused by name, and nobody is asked', async () => {
  const { agent, consent } = await paired();
  const wrong: [Parameters<typeof askFor>[1], Payloads['lineup.v1.app.call']['arguments'], string][] = [
    ['app.open_url', { url: 'javascript:alert(1)' }, 'arguments.url'],
    ['app.open_url', { url: 'https://user:pass@example.com' }, 'arguments.url'],
    ['clipboard.write', {}, 'arguments.text'],
    ['artifact.save', { name: '../../etc/passwd', content: '' }, 'arguments.name'],
    ['app.notify', { title: '' }, 'arguments.title'],
  ];
  for (const [capability, args, field] of wrong) {
    const { status, error } = await appResult(agent, await askFor(agent, capability, args));
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'invalid_arguments' });
    expect(error?.message).toContain(field);
  }
  expect(await consent.dialog.count()).toBe(0);
  expect(await appResult(agent, await askFor(agent, 'app.launch_rocket', {}))).toMatchObject({
    status: 'unsupported',
    error: { code: 'undeclared' },
  });
});

it('no and no answer are two things; after two of them the agent has to wait', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  const first = await askFor(agent, 'clipboard.write', { text: 'one' });
  const second = await askFor(agent, 'clipboard.write', { text: 'two' });
  const third = await askFor(agent, 'clipboard.write', { text: 'three' });
  await consent.dialog.getByText('2 more requests wait').waitFor();
  await consent.decline();
  expect(await appResult(agent, first)).toMatchObject({ status: 'rejected', error: { code: 'rejected' } });
  await consent.dialog.getByText('two').waitFor();
  await phone.page.keyboard.press('Escape');
  expect(await appResult(agent, second)).toMatchObject({ status: 'cancelled', error: { code: 'dismissed' } });
  expect(await appResult(agent, third)).toMatchObject({ status: 'rejected', error: { code: 'cool_down' } });
  expect(await appResult(agent, await askFor(agent, 'device.location', {}))).toMatchObject({ status: 'rejected', error: { code: 'cool_down' } });
  await consent.gone();
  await phone.page.reload();
  expect(await appResult(agent, await askFor(agent, 'clipboard.write', { text: 'four' }))).toMatchObject({ error: { code: 'cool_down' } });
  await phone.page.getByRole('button', { name: 'Settings' }).click();
  await phone.page.getByRole('button', { name: 'Apps and permissions' }).click();
  await phone.page.getByRole('button', { name: 'Let Hermes ask' }).click();
  await phone.page.keyboard.press('Escape');
  await askFor(agent, 'clipboard.write', { text: 'five' });
  await consent.dialog.getByText('five').waitFor();
});

it('nothing is allowed by a key or a tap that was meant for something else', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  await phone.device.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await phone.field.focus();
  // Whoever taps at the moment at which the question comes up meant something else.
  const hasty = phone.page.evaluate(
    () =>
      new Promise<string | null>((resolve) => {
        const observer = new MutationObserver(() => {
          const button = document.querySelector<HTMLElement>('dialog.consent .button.primary');
          if (!button) return;
          observer.disconnect();
          const asleep = button.getAttribute('aria-disabled');
          button.click();
          resolve(asleep);
        });
        observer.observe(document.body, { childList: true, subtree: true });
      }),
  );
  const call = await askFor(agent, 'clipboard.write', { text: 'by keyboard' });
  expect(await hasty).toBe('true');
  // What is typed on goes nowhere, and Enter neither.
  await phone.page.keyboard.type('typing on');
  await phone.page.keyboard.press('Enter');
  expect(await phone.page.evaluate(() => document.activeElement?.matches('dialog.consent'))).toBe(true);
  expect(await consent.dialog.count()).toBe(1);
  await consent.awake();
  for (let i = 0; i < 8 && !(await consent.allowButton.evaluate((button) => button === document.activeElement)); i++)
    await phone.page.keyboard.press('Tab');
  await phone.page.keyboard.press('Enter');
  await consent.dialog.getByText('Enter does not allow. Press the space bar.').waitFor();
  expect(agent.heard.some(({ type }) => type === 'lineup.v1.app.result')).toBe(false);
  await phone.page.keyboard.press('Space');
  expect(await appResult(agent, call)).toMatchObject({ status: 'completed' });
  await consent.gone();
  expect(await phone.field.evaluate((field) => field === document.activeElement)).toBe(true);
});

it('what is remembered is one capability of one agent, and is taken back in the settings', async () => {
  const { agent, phone, consent } = await paired(DESKTOP);
  await phone.device.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const first = await askFor(agent, 'clipboard.write', { text: 'one' });
  await consent.dialog.getByLabel('Remember for Hermes').check();
  await consent.allow();
  expect(await appResult(agent, first)).toMatchObject({ status: 'completed' });
  expect(await appResult(agent, await askFor(agent, 'clipboard.write', { text: 'two' }))).toMatchObject({ status: 'completed' });
  expect(await phone.page.evaluate(() => navigator.clipboard.readText())).toBe('two');
  const other = await askFor(agent, 'app.open_url', { url: 'https://example.com' });
  await consent.decline();
  expect(await appResult(agent, other)).toMatchObject({ status: 'rejected' });

  await phone.page.getByRole('button', { name: 'Settings' }).click();
  await phone.page.getByRole('button', { name: 'Apps and permissions' }).click();
  await phone.page.getByRole('button', { name: 'Ask again: Fill the clipboard, Hermes' }).click();
  await phone.page.keyboard.press('Escape');
  await askFor(agent, 'clipboard.write', { text: 'three' });
  await consent.dialog.getByText('three').waitFor();
});

it('a question closes when it is settled elsewhere, runs out, or is taken back', async () => {
  const { agent, phone, consent } = await paired();
  const tablet = await world.device(DESKTOP);
  await tablet.pairByLink((await agent.pairing()).url);
  const onTablet = new ConsentDialog(tablet);
  await tablet.device.context.grantPermissions(['clipboard-write']);
  await until('both declare', () => agent.heard.filter(({ type }) => type === 'lineup.v1.client.inventory').length === 2);

  const elsewhere = await askFor(agent, 'clipboard.write', { text: 'one' });
  await consent.dialog.waitFor();
  await onTablet.allow();
  expect(await appResult(agent, elsewhere)).toMatchObject({ status: 'completed' });
  await consent.gone();
  await phone.sees(/done on “Chrome on [^”]+”/);

  const withdrawn = await askFor(agent, 'clipboard.write', { text: 'two' });
  await consent.dialog.waitFor();
  await agent.send('lineup.v1.app.cancel', { call_id: withdrawn });
  await consent.gone();
  await phone.sees('withdrawn');

  await askFor(agent, 'clipboard.write', { text: 'three' }, { expires_at: new Date(Date.now() + 2_500).toISOString() });
  await consent.dialog.waitFor();
  await consent.gone();
  await phone.sees('expired');
});

it('waits through a reload and through days without a connection, and is gone if it was settled meanwhile', async () => {
  const { agent, phone, consent } = await paired();
  const kept = await askFor(agent, 'clipboard.write', { text: 'kept' });
  await consent.dialog.getByText('kept').waitFor();
  await phone.page.reload();
  await consent.dialog.getByText('kept').waitFor();
  await phone.device.context.setOffline(true);
  await phone.page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await agent.send('lineup.v1.app.cancel', { call_id: kept });
  await phone.device.context.setOffline(false);
  await phone.page.reload();
  await phone.field.waitFor();
  await phone.sees('withdrawn');
  expect(await consent.dialog.count()).toBe(0);
});
