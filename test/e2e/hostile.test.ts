import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function paired(): Promise<{ agent: ScriptedAgent; phone: AppPage; requests: string[] }> {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const phone = await world.device();
  const requests: string[] = [];
  phone.page.on('request', (request) => requests.push(request.url()));
  await phone.pairByLink((await agent.pairing()).url);
  await phone.line('idle').waitFor({ state: 'attached' });
  return { agent, phone, requests };
}

it('Markdown with HTML, scripts and odd addresses is text, and nothing leaves the page', async () => {
  const { agent, phone, requests } = await paired();
  await agent.say(
    [
      '<script>window.pwned = 1</script> <img src="https://evil.example/a.png" onerror="window.pwned = 1"> <iframe src="https://evil.example"></iframe>',
      '',
      '[run](javascript:window.pwned=1) [data](data:text/html,<script>1</script>) [relative](/v1/agents) [mail](mailto:a@example.com) [good](https://example.com/x)',
      '',
      '![tracked](https://evil.example/pixel.png) ![inside](http://192.168.1.2/x.png) ![file](file:///etc/passwd)',
      '',
      '<style>body { display: none }</style>',
      '',
      '<a href="https://evil.example" id="root" class="card">raw</a>',
      '',
      'the end',
    ].join('\n'),
  );
  await phone.page.locator('.document a').first().waitFor();
  const links = await phone.page
    .locator('.document a')
    .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel'), link.getAttribute('target')]));
  expect(links).toEqual([
    ['mailto:a@example.com', 'noopener noreferrer nofollow', '_blank'],
    ['https://example.com/x', 'noopener noreferrer nofollow', '_blank'],
  ]);
  expect(await phone.page.locator('.document :is(img, script, iframe, style, form, .card, [id])').count()).toBe(0);
  await phone.sees('Image from evil.example');
  expect(await phone.page.evaluate(() => 'pwned' in window)).toBe(false);
  expect(requests.filter((url) => !url.startsWith(world.relay.origin))).toEqual([]);
  expect(phone.device.complaints()).toEqual([]);
});

it('an image from outside is loaded after a tap and not before', async () => {
  const { agent, phone, requests } = await paired();
  await phone.page.route('https://pictures.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>' }),
  );
  await agent.send('image', { url: 'https://pictures.example/cat.svg', alt: 'A cat' });
  await agent.send('image', { url: 'http://192.168.1.100:9527/files/screenshot.png', alt: 'At home' });
  await phone.sees('At home');
  expect(requests.filter((url) => url.includes('example'))).toEqual([]);
  await phone.page.getByRole('button', { name: 'Show' }).click();
  await until('it is loaded', () => phone.page.locator('.picture img').evaluate((image: HTMLImageElement) => image.naturalWidth === 40));
  expect(phone.device.complaints()).toEqual([]);
});

it('64 KiB without a space is folded, and breaks nothing when it is opened', async () => {
  const { agent, phone } = await paired();
  await agent.say('x'.repeat(65_536));
  await phone.page.getByRole('button', { name: 'Show all' }).click();
  const widths = await phone.page.evaluate(() => [
    document.querySelector('.timeline-scroll')?.scrollWidth,
    document.querySelector('.timeline-scroll')?.clientWidth,
  ]);
  expect(widths[0]).toBe(widths[1]);
  await agent.say('still here');
  await phone.sees('still here');
});

it('a text over the limit is refused before it is sent, with the limit named', async () => {
  const { agent, phone } = await paired();
  await phone.field.fill('a'.repeat(65_537));
  await phone.sees('1 characters too many. A message has at most 65,536.');
  expect(await phone.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await phone.field.fill('👍'.repeat(65_536));
  expect(await phone.page.locator('.composer-problem').count()).toBe(0);
  await phone.page.getByRole('button', { name: 'Send' }).click();
  await phone.page.locator('.composer-problem').waitFor();
  expect(await phone.page.locator('.composer-problem').innerText()).toContain('Too large');
  expect((await phone.field.inputValue()).length).toBe(131_072);
  expect(agent.heard.filter(({ type }) => type === 'text')).toEqual([]);
});

it('a file over the limit is refused before it is uploaded', async () => {
  const { phone, requests } = await paired();
  await phone.page.locator('input[type=file]').setInputFiles({ name: 'big.bin', mimeType: 'application/zip', buffer: Buffer.alloc(8_388_609) });
  await phone.page.locator('.attachment.failed').waitFor();
  expect(await phone.page.locator('.attachment').getAttribute('title')).toContain('8 MB');
  expect(requests.filter((url) => url.endsWith('/files'))).toEqual([]);
});

it('names and texts that turn the reading direction stay in their place', async () => {
  const { agent, phone } = await paired();
  await agent.say('before \u202Egnp.exe after');
  await agent.ask('choice', 'select', { question: '\u202Eevil\u202C', options: ['\u2066one\u2069', 'ab\u202Edc'] });
  await phone.cards.waitFor();
  const directions = await phone.page
    .locator('.document, .card-question, .option > span[dir]')
    .evaluateAll((all) => all.map((element) => getComputedStyle(element).unicodeBidi));
  expect(new Set(directions)).toEqual(new Set(['isolate']));
});

it('a reader keeps their place while messages come and older ones load', async () => {
  const { agent, phone } = await paired();
  for (let i = 1; i <= 130; i++) await agent.connection.send('text', { content: `Message ${i}\n\nwith a second paragraph.` });
  await phone.sees('Message 130');
  await phone.page.reload();
  await phone.sees('Message 130');
  const scroller = phone.page.locator('.timeline-scroll');
  const topOf = (text: string) => phone.page.getByText(text, { exact: true }).evaluate((element) => element.getBoundingClientRect().top);
  await until('it begins at the end', () => scroller.evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight < 2));
  const older = Promise.withResolvers<void>();
  await phone.page.route(/[?&]before=/, async (route) => {
    await older.promise;
    await route.continue();
  });
  await scroller.evaluate((view) => view.scrollTo(0, 1_000));
  await phone.page.getByText('Message 95', { exact: true }).waitFor();
  await phone.page.waitForTimeout(200);
  const [before, height] = [await topOf('Message 95'), await scroller.evaluate((view) => view.scrollHeight)];
  older.resolve();
  await until('older ones have come', () => scroller.evaluate((view, was) => view.scrollHeight > was + 1_000, height));
  await phone.page.waitForTimeout(200);
  expect(Math.abs((await topOf('Message 95')) - before)).toBeLessThan(2);
  await agent.say('a new one');
  await phone.page.getByRole('button', { name: '1 new' }).waitFor();
  expect(Math.abs((await topOf('Message 95')) - before)).toBeLessThan(2);
  await phone.page.getByRole('button', { name: '1 new' }).click();
  await phone.page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' });
  await until('it is at the end', () => scroller.evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight < 2));
});

it('an Enter of an input method never sends, and on a touch screen no Enter does', async () => {
  const { agent, phone } = await paired();
  const desktop = await world.device(DESKTOP);
  await desktop.pairByLink((await agent.pairing()).url);
  const press = (app: AppPage, type: string, init: object = {}) =>
    app.field.evaluate(
      (element, [name, options]) => {
        const event = name.startsWith('composition') ? CompositionEvent : KeyboardEvent;
        element.dispatchEvent(new event(name, { key: 'Enter', bubbles: true, cancelable: true, ...options }));
      },
      [type, init] as const,
    );
  await desktop.field.fill('nihao');
  await press(desktop, 'keydown', { isComposing: true });
  await press(desktop, 'keydown', { keyCode: 229 });
  await press(desktop, 'compositionend');
  await press(desktop, 'keydown');
  expect(await desktop.notes()).toEqual([]);
  await desktop.page.waitForTimeout(100);
  await press(desktop, 'keydown');
  await desktop.page.locator('.note').waitFor();
  expect(await desktop.notes()).toEqual(['nihao']);
  await phone.sees('nihao');
  await phone.field.fill('a line');
  await press(phone, 'keydown');
  expect(await phone.notes()).toEqual(['nihao']);
});

it('a part of the page that a deploy took away makes it reload, once', async () => {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  await agent.say('Hello **there**');
  // Where a service worker keeps the page, it also keeps its parts.
  const phone = await world.device({ ...PHONE, serviceWorkers: 'block' });
  let loads = 0;
  phone.page.on('load', () => loads++);
  await phone.page.route('**/assets/markdown-*.js', (route) => (loads < 2 ? route.fulfill({ status: 404, body: '' }) : route.continue()));
  await phone.pairByLink((await agent.pairing()).url);
  await phone.page.locator('.document strong').getByText('there').waitFor();
  expect(loads).toBe(2);
});
