import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { DemoAgent } from './demo-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function openMenu(phone: AppPage, note: string): Promise<void> {
  await phone.page.locator('.note', { hasText: note }).click({ button: 'right' });
  await phone.page.getByRole('dialog').waitFor();
}

async function paired(options = PHONE as BrowserContextOptions): Promise<{ agent: DemoAgent; phone: AppPage }> {
  const agent = await DemoAgent.start(world.relay.origin);
  world.after(() => agent.stop());
  const phone = await world.device(options);
  await phone.pairByLink((await agent.pairing()).url);
  await phone.sees('to see what I can do');
  return { agent, phone };
}

it('both sides talk, and the user sees how far a message has come', async () => {
  const { phone } = await paired();
  await phone.say('Good morning');
  expect(await phone.notes()).toEqual(['Good morning']);
  await phone.mark().getByText('delivered').waitFor();
  await phone.sees('I only repeat what you say.');
  await phone.line('idle').waitFor({ state: 'attached' });
  expect(phone.device.complaints()).toEqual([]);
});

it('a streamed answer grows in place, and the finished one takes its place without a jump', async () => {
  const { phone } = await paired();
  await phone.say('markdown');
  await phone.page.locator('.document.flowing').waitFor();
  await phone.line('flowing').waitFor({ state: 'attached' });
  await phone.page.evaluate(() => {
    const heights: number[] = [];
    Object.assign(window, { heights });
    const look = () => {
      heights.push(document.querySelector('.timeline-column')?.scrollHeight ?? 0);
      requestAnimationFrame(look);
    };
    look();
  });
  await phone.page.locator('.document table').waitFor();
  await phone.page.locator('.document.flowing').waitFor({ state: 'detached' });
  const heights = await phone.page.evaluate(() => (window as unknown as { heights: number[] }).heights);
  const drops = heights.filter((height, i) => height < (heights[i - 1] ?? 0) - 24);
  expect(drops, 'the text never shrinks by more than a line').toEqual([]);
  expect(await phone.page.locator('.document h2').innerText()).toBe('A heading');
  expect(await phone.page.locator('.document pre').innerText()).toContain('agent.onText');
  await phone.page.locator('.task.done').waitFor();
  expect(await phone.documents()).toHaveLength(2);
});

it('a choice, a confirmation and a text are answered, and stay answered after a reload', async () => {
  const { phone } = await paired();
  await phone.say('choice');
  await phone.cards.waitFor();
  await phone.line('need').waitFor({ state: 'attached' });
  await phone.tray.getByText('1 thing needs you').waitFor();
  await phone.page.getByRole('button', { name: 'Green' }).click();
  await phone.sees('You chose Green.');
  await phone.say('confirm');
  await phone.page.getByRole('button', { name: 'Please do' }).click();
  await phone.sees('please ask a neighbour as well');
  await phone.say('input');
  await phone.cards.getByPlaceholder('Your name').fill('Ada');
  await phone.cards.getByPlaceholder('Your name').press('Enter');
  await phone.sees('Nice to meet you, Ada.');
  expect(await phone.tray.count()).toBe(0);
  const outcomes = () => phone.page.locator('[data-type="tool.call"] .quiet-line').allInnerTexts();
  const before = await outcomes();
  expect(before.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
    'Which colour do you like best? Green',
    'Shall I water the plants while you are away? Please do',
    'What may I call you? Ada',
  ]);
  await phone.page.reload();
  await phone.sees('Nice to meet you, Ada.');
  expect(await outcomes()).toEqual(before);
  expect(await phone.cards.count()).toBe(0);
  expect(phone.device.complaints()).toEqual([]);
});

it('a question can be dismissed, which is an answer too', async () => {
  const { phone } = await paired();
  await phone.say('choice');
  await phone.page.getByRole('button', { name: 'Dismiss' }).click();
  await phone.sees('You closed the question.');
  await phone.sees('· dismissed');
});

it('an image travels through the relay, and a tap enlarges it', async () => {
  const { phone } = await paired();
  await phone.say('image');
  const image = phone.page.locator('.picture img');
  await until('the image has its pixels', () => image.evaluate((element: HTMLImageElement) => element.naturalWidth > 100).catch(() => false));
  expect(await image.getAttribute('src')).toMatch(/^blob:/);
  await phone.page.locator('button.picture').click();
  await phone.page.getByRole('dialog', { name: 'A sunrise behind three rows of hills' }).waitFor();
  await phone.page.keyboard.press('Escape');
  await phone.page.getByRole('dialog').waitFor({ state: 'detached' });
  await phone.say('file');
  const [download] = await Promise.all([phone.page.waitForEvent('download'), phone.page.locator('.file-row').click()]);
  expect(download.suggestedFilename()).toBe('weather.csv');
  expect(phone.device.complaints()).toEqual([]);
});

it('the user sends a picture, scaled, and sees it', async () => {
  const { phone } = await paired();
  const png = await phone.page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 2400, height: 300 });
    const context = canvas.getContext('2d');
    if (context) {
      const noise = context.createImageData(2400, 300);
      for (let i = 0; i < noise.data.length; i++) noise.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
      context.putImageData(noise, 0, 0);
    }
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))];
  });
  await phone.page.locator('input[type=file]').setInputFiles({ name: 'noise.png', mimeType: 'image/png', buffer: Buffer.from(png) });
  await phone.page.locator('.attachment.ready').getByText('noise.jpg').waitFor();
  await phone.page.locator('.send-button').click();
  await phone.page.locator('.entry.mine .picture img').waitFor();
  await phone.sees('Thank you for the picture.');
  const width = await phone.page.locator('.entry.mine .picture img').evaluate((image: HTMLImageElement) => image.naturalWidth);
  expect(width).toBe(2048);
});

it('a reload in the middle of a stream loses and doubles nothing', async () => {
  const { phone } = await paired();
  await phone.say('help');
  await phone.page.locator('.document.flowing').waitFor();
  await phone.field.fill('half a thought');
  await phone.page.reload();
  await phone.sees('Anything else I repeat.');
  await phone.page.locator('.document.flowing').waitFor({ state: 'detached' });
  expect(await phone.page.locator('.document').getByText('I am the demo agent').count()).toBe(1);
  expect(await phone.notes()).toEqual(['help']);
  expect(await phone.field.inputValue()).toBe('half a thought');
});

it('a relay that is killed and comes back on the same folder has everything, and what was typed meanwhile arrives once', async () => {
  const { phone } = await paired();
  await phone.say('before the power cut');
  await phone.sees('I only repeat what you say.');
  const documents = await phone.documents();
  await world.relay.end('SIGKILL');
  await phone.line('offline').waitFor({ state: 'attached' });
  await phone.say('typed while offline');
  await phone.statusLine.getByText('offline · 1 waiting to be sent').waitFor();
  await phone.mark().getByText('waiting').waitFor();
  await world.relay.start();
  await phone.mark().getByText('delivered').waitFor({ timeout: 40_000 });
  await phone.sees('typed while offline');
  await until('the agent answers', async () => (await phone.documents()).length === documents.length + 1);
  expect(await phone.notes()).toEqual(['before the power cut', 'typed while offline']);
  await phone.page.reload();
  await phone.sees('typed while offline');
  await until('history is there', async () => (await phone.notes()).length === 2 && (await phone.page.locator('.document strong').count()) > 0);
  expect((await phone.documents()).slice(0, documents.length)).toEqual(documents);
});

it.each([
  { size: 'phone', device: PHONE },
  { size: 'desktop', device: DESKTOP },
])('what waits to be sent can be taken back and written anew: $size', async ({ device }) => {
  const { agent, phone } = await paired(device);
  const { context } = phone.device;
  await context.setOffline(true);
  await phone.line('offline').waitFor({ state: 'attached' });
  await phone.say('Meet at nine');
  await phone.say('Bring bread');
  await phone.statusLine.getByText('2 waiting to be sent').waitFor();
  if (device === DESKTOP) await phone.field.press('ArrowUp');
  else {
    await openMenu(phone, 'Bring bread');
    expect(await phone.violations()).toEqual([]);
    await phone.page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
  }
  await until('it is in the field', async () => (await phone.field.inputValue()) === 'Bring bread');
  expect(await phone.field.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await phone.notes()).toEqual(['Meet at nine']);
  await phone.say('Bring cake');
  await openMenu(phone, 'Meet at nine');
  await phone.page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await context.setOffline(false);
  await phone.mark().getByText('delivered').waitFor();
  expect(await phone.notes()).toEqual(['Bring cake']);
  const { messages } = await agent.http.history(agent.enrolled.conversation_id);
  expect(messages.filter(({ sender }) => sender.kind === 'app').map(({ payload }) => payload.content)).toEqual(['Bring cake']);
});

it('what is typed offline survives the page, and is sent once', async () => {
  const { agent, phone } = await paired();
  // Only the socket is cut: the page itself must still load.
  await phone.page.routeWebSocket(/\/socket$/, (socket) => void socket.close());
  await phone.page.reload();
  await phone.line('offline').waitFor({ state: 'attached' });
  await phone.say('kept over the reload');
  await phone.mark().getByText('waiting').waitFor();
  await phone.page.reload();
  await phone.sees('kept over the reload');
  await phone.mark().getByText('waiting').waitFor();
  const second = await phone.device.context.newPage();
  await phone.page.close();
  await second.goto(world.relay.origin);
  await second.locator('.mark').getByText('delivered').waitFor();
  expect(await second.locator('.note').allInnerTexts()).toEqual(['kept over the reload']);
  const { messages } = await agent.http.history(agent.enrolled.conversation_id);
  expect(messages.filter(({ payload }) => payload.content === 'kept over the reload')).toHaveLength(1);
});

it('a long answer can be stopped, and what was written stays', async () => {
  const { phone } = await paired();
  await phone.say('long');
  await phone.page.locator('.document.flowing').getByText('2.').waitFor();
  await phone.page.getByRole('button', { name: 'Stop Hermes' }).click();
  await phone.sees('You asked it to stop');
  await phone.page.locator('.document.flowing').waitFor({ state: 'detached' });
  await phone.page.locator('.send-button.stop').waitFor({ state: 'detached' });
  expect((await phone.documents()).at(-1)).toContain('2.');
});

it('progress, an edit and an error are shown as what they are', async () => {
  const { phone } = await paired();
  await phone.say('progress');
  await phone.page.getByRole('progressbar').waitFor();
  await phone.statusLine.getByText(/working · /).waitFor();
  await phone.sees('all three steps are behind me');
  await phone.page.getByRole('progressbar').waitFor({ state: 'detached' });
  await phone.say('edit');
  await phone.sees('Wednesday');
  expect(await phone.page.getByText('Tuesday').count()).toBe(0);
  await phone.sees('edited');
  await phone.say('error');
  await phone.sees('Nothing is really broken.');
  await phone.sees('demo_error');
  expect(phone.device.complaints()).toEqual([]);
});

it('an agent that is away is said to be, and gets what was written when it is back', async () => {
  const { agent, phone } = await paired();
  await agent.end();
  await phone.statusLine.getByText(/offline · last seen/).waitFor();
  await phone.say('are you there?');
  await phone.mark().getByText('sent').waitFor();
  await phone.sees('Hermes is offline. What you write waits for it.');
  await agent.run();
  await phone.mark().getByText('delivered').waitFor();
  await phone.sees('I only repeat what you say.');
});

it('a message that nobody acknowledges offers to be sent again, and is sent once', async () => {
  const { agent, phone } = await paired();
  let swallow = true;
  await phone.page.routeWebSocket(/\/socket$/, (socket) => {
    const relay = socket.connectToServer();
    relay.onMessage((frame) => {
      if (!(swallow && typeof frame === 'string' && frame.includes('"system.ack"'))) socket.send(frame);
    });
  });
  await phone.page.reload();
  await phone.line('idle').waitFor({ state: 'attached' });
  await phone.say('does anybody hear?');
  await phone.mark().getByText('no answer yet').waitFor();
  swallow = false;
  await phone.mark().getByRole('button', { name: 'Retry' }).click();
  await phone.mark().getByText('delivered').waitFor();
  const { messages } = await agent.http.history(agent.enrolled.conversation_id);
  expect(messages.filter(({ payload }) => payload.content === 'does anybody hear?')).toHaveLength(1);
});
