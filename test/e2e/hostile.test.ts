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

it('a name turns nothing round, and is no longer than a line', async () => {
  const agent = await ScriptedAgent.start(world.relay.origin, `\u202Esemreh${'W'.repeat(90)}`);
  world.after(() => agent.close());
  const phone = await world.device();
  await phone.pairByLink((await agent.pairing()).url);
  await phone.page
    .locator('h1')
    .getByText(/^\[U\+202E\]semrehW+…$/)
    .waitFor();
  expect(await phone.field.getAttribute('placeholder')).toMatch(/\[U\+202E\]semrehW+…$/);
  expect((await phone.field.boundingBox())?.height).toBeLessThan(60);
  await agent.ask('confirm', 'ask', { question: 'Yes?' });
  await phone.cards.getByText(/^\[U\+202E\]semrehW+… /).waitFor();
  expect(await phone.cards.locator('.card-head').evaluate((head) => head.scrollWidth <= head.clientWidth)).toBe(true);
});

it('the end of a file’s name is seen, and is its end', async () => {
  const { agent, phone } = await paired();
  const conversation = agent.enrolled.conversation_id;
  const { file_id } = await agent.http.upload(conversation, Buffer.from('x'), 'application/octet-stream');
  const file = (name: string) => agent.send('file', { file_id, name, mime_type: 'application/octet-stream', size: 1 });
  await file('invoice\u202Efdp.exe');
  await file(`${'holiday-picture-'.repeat(12)}.jpg.exe`);
  const names = phone.page.locator('.file-row b');
  await names.nth(1).waitFor();
  expect(await names.nth(0).innerText()).toBe('invoice[U+202E]fdp.exe');
  expect(await names.nth(1).innerText()).toMatch(/^holiday-picture-.*….*\.jpg\.exe$/);
  expect(await names.nth(1).evaluate((name) => name.scrollWidth <= name.clientWidth)).toBe(true);
  expect(await phone.page.locator('.file-row > .icon').evaluateAll((icons) => icons.map((icon) => icon.getBoundingClientRect().width))).toEqual([
    22, 22,
  ]);
});

it.each([
  ['a comment', '<!-- a secret -->', '<!-- a secret -->'],
  ['a definition', '[a]: https://example.com/x', '[a]: https://example.com/x'],
  ['a tag', '<br>\n\n<br>', '<br>\n\n<br>'],
  ['a character that takes no room', '\u200B', 'U+200B'],
])('a message that is nothing but %s is no gap', async (_name, source, shown) => {
  const { agent, phone } = await paired();
  await agent.say(source);
  await agent.say('**after** it');
  await phone.page.locator('.document strong').waitFor();
  const nothing = phone.page.locator('.document').first();
  await until('it is shown as it was written', async () => (await nothing.innerText()) === shown);
  expect((await nothing.boundingBox())?.height).toBeGreaterThan(12);
});

it('progress without a space stays on the page', async () => {
  const { agent, phone } = await paired();
  agent.connection.sendNow('progress', { run_id: 'r', percent: 40, message: 'x'.repeat(400) });
  const activity = phone.page.locator('.activity');
  await activity.waitFor();
  expect(await activity.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  expect((await activity.locator('.bar').boundingBox())?.width).toBeLessThan(390);
});

it('an error of 20 000 characters folds', async () => {
  const { agent, phone } = await paired();
  await agent.send('error', { code: 'internal', message: 'It broke. '.repeat(1_500) });
  const line = phone.page.locator('.error-line');
  await line.waitFor();
  const folded = (await line.boundingBox())?.height ?? 0;
  expect(folded).toBeLessThan(844);
  await line.getByRole('button', { name: 'Show all' }).click();
  await until('it is open', async () => ((await line.boundingBox())?.height ?? 0) > folded);
});

it('quotations nested without end are text', async () => {
  const { agent, phone } = await paired();
  await agent.say(`${'>'.repeat(2_000)} deep`);
  await agent.say('**still** here');
  await phone.page.locator('.document strong').waitFor();
  await phone.sees('deep');
  expect(await phone.page.locator('.document').first().locator('blockquote').count()).toBeLessThan(60);
  expect(phone.device.complaints()).toEqual([]);
});

it('words that are selected in a paragraph that is being written stay selected, and it goes on after that', async () => {
  const { agent, phone } = await paired();
  let offset = 0;
  const write = (delta: string) => {
    agent.connection.sendNow('text.delta', { message_id: 'growing', offset, delta });
    offset += delta.length;
  };
  write('A first one.\n\nWords that are chosen');
  await phone.sees('Words that are chosen');
  await phone.page
    .locator('.document p')
    .last()
    .evaluate((paragraph) => getSelection()?.selectAllChildren(paragraph));
  write(' and what comes after them');
  await agent.say('said meanwhile');
  await phone.sees('said meanwhile');
  expect(await phone.page.evaluate(() => getSelection()?.toString())).toBe('Words that are chosen');
  await phone.page.evaluate(() => getSelection()?.removeAllRanges());
  await phone.sees('Words that are chosen and what comes after them');
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
