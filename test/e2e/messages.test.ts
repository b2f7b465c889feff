import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function paired(options = PHONE as typeof PHONE | typeof DESKTOP): Promise<{ agent: ScriptedAgent; app: AppPage }> {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const app = await world.device(options);
  await app.pairByLink((await agent.pairing()).url);
  await app.statusLine.getByText('online').waitFor();
  return { agent, app };
}

/** A finger that rests on an element. */
async function longPress(app: AppPage, text: string, ms = 700): Promise<void> {
  // Once more than the plain text is there, the elements are others.
  const element = app.page.locator('.document').getByText(text);
  let box = await element.boundingBox();
  await until(`"${text}" is on the page`, async () => (box = await element.boundingBox()) !== null);
  if (!box) throw new Error(`"${text}" is not on the page`);
  const session = await app.device.context.newCDPSession(app.page);
  const touchPoints = [{ x: box.x + 20, y: box.y + box.height / 2 }];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await app.page.waitForTimeout(ms);
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

describe('5 000 messages', () => {
  it('only those around the view exist, and reading back through all of them loses no place', async () => {
    const { agent, app } = await paired();
    for (let i = 1; i <= 5_000; i++) await agent.connection.send('text', { content: `Message ${i}` });
    await app.page.reload();
    await app.page.getByText('Message 5000', { exact: true }).waitFor();
    const scroller = app.page.locator('.timeline-scroll');
    expect(await app.entries.count()).toBeLessThan(60);
    const first = () => app.page.locator('[data-entry]').first().innerText();
    await until(
      'the first one is reached',
      async () => {
        await scroller.evaluate((view) => view.scrollTo(0, 0));
        return (await first()).startsWith('Message 1\n') || (await first()) === 'Message 1';
      },
      60_000,
    );
    expect(await app.entries.count()).toBeLessThan(60);
    await app.page.getByRole('button', { name: 'To the newest message' }).click();
    await app.page.getByText('Message 5000', { exact: true }).waitFor();
    expect(app.device.complaints()).toEqual([]);
  });
});

describe('what can be done with a message', () => {
  it('a long press ticks and offers to reply; the quotation leads back to the message', async () => {
    const { agent, app } = await paired();
    await app.page.evaluate(() => {
      const felt: unknown[] = [];
      const tick = navigator.vibrate.bind(navigator);
      Object.assign(window, { felt });
      navigator.vibrate = (pattern) => tick(pattern as VibratePattern) && felt.push(pattern) > 0;
    });
    await agent.say('# The plan\n\nWe leave at nine.');
    await app.sees('We leave at nine.');
    await longPress(app, 'We leave at nine.');
    expect(await app.page.evaluate(() => (window as unknown as { felt: unknown[] }).felt)).toEqual([10]);
    expect(await app.violations()).toEqual([]);
    await app.page.getByRole('dialog').getByRole('button', { name: 'Reply' }).click();
    await app.page.locator('.reply-chip').getByText('The plan We leave at nine.').waitFor();
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await app.violations()).toEqual([]);
    await app.say('Make it ten');
    const { payload } = await agent.hear(({ type }) => type === 'text');
    const { messages } = await agent.http.history(agent.enrolled.conversation_id);
    const said = messages.find(({ type }) => type === 'text');
    expect(payload).toEqual({ content: 'Make it ten', reply_to: said?.id });
    await app.page.locator('.reply-chip').waitFor({ state: 'detached' });
    await app.page.locator('.entry.mine .quotation').click();
    await app.page.locator('.entry.found').getByText('We leave at nine.').waitFor();
    expect(app.device.complaints()).toEqual([]);
  });

  it('a finger that is lifted where the menu has risen under it chooses nothing', async () => {
    const { agent, app } = await paired();
    for (let i = 1; i <= 12; i++) await agent.say(`Line ${i}`);
    await app.sees('Line 12');
    await longPress(app, 'Line 12', 1_500);
    const menu = app.page.getByRole('dialog');
    await menu.waitFor();
    await app.page.waitForTimeout(300);
    expect(await menu.isVisible()).toBe(true);
    expect(await app.page.locator('.reply-chip').count()).toBe(0);
    await menu.getByRole('button', { name: 'Reply' }).click();
    await app.page.locator('.reply-chip').waitFor();
  });

  it('with a mouse and with the keyboard alone a menu opens beside it, and copies the Markdown', async () => {
    const { agent, app } = await paired(DESKTOP);
    await app.device.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.relay.origin });
    const source = '**Bold** and\n\n- a list';
    await agent.say(source);
    await app.page.locator('.document li').click({ button: 'right' });
    await app.page.getByRole('dialog').getByRole('button', { name: 'Copy as Markdown' }).click();
    expect(await app.page.evaluate(() => navigator.clipboard.readText())).toBe(source);
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });
    // A mouse that rests where the menu opens would choose for the keyboard.
    await app.page.mouse.move(4, 4);
    const more = app.page.getByRole('button', { name: 'What can be done with this message' });
    await more.focus();
    await app.page.keyboard.press('Enter');
    const reply = app.page.getByRole('dialog').getByRole('button', { name: 'Reply' });
    await reply.waitFor();
    await app.page.keyboard.press('ArrowUp');
    await until('the first item has the focus', () => reply.evaluate((item) => item === document.activeElement));
    expect(await app.violations()).toEqual([]);
    await app.page.keyboard.press('Enter');
    await app.page.locator('.reply-chip').waitFor();
    await until('the field has the focus', () => app.field.evaluate((field) => field === document.activeElement));
    await app.page.keyboard.press('Escape');
    await app.page.locator('.reply-chip').waitFor({ state: 'detached' });
    expect(app.device.complaints()).toEqual([]);
  });

  it('back closes what lies over the conversation, and leaves it where it is', async () => {
    const { agent, app } = await paired();
    await agent.say('Something');
    await app.sees('Something');
    const address = app.page.url();
    await longPress(app, 'Something');
    await app.page.getByRole('dialog').waitFor();
    await app.page.goBack();
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(app.page.url()).toBe(address);
    await app.page.getByRole('button', { name: 'Settings' }).click();
    await app.page.getByRole('dialog').getByRole('link', { name: 'Pair another agent' }).click();
    await app.page.getByRole('heading', { name: 'Pair another agent' }).waitFor();
    await app.page.goBack();
    await app.field.waitFor();
  });
});

describe('code', () => {
  it('has colours that no style attribute and no eval made, and is copied as it is', async () => {
    const { agent, app } = await paired(DESKTOP);
    await app.device.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.relay.origin });
    const code = 'const answer = "forty-two"; // really\n';
    await agent.say(`\`\`\`ts\n${code}\`\`\`\n\n\`\`\`nothing-known\nplain\n\`\`\``);
    await app.page.locator('.hljs-keyword').getByText('const').waitFor();
    expect(await app.page.locator('pre [style]').count()).toBe(0);
    expect(await app.page.locator('pre').allInnerTexts()).toEqual([code, 'plain\n']);
    await app.page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    expect(await app.page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    expect(await app.violations()).toEqual([]);
    expect(app.device.complaints()).toEqual([]);
  });
});

describe('search', () => {
  it.each([
    ['phone', PHONE],
    ['desktop', DESKTOP],
  ])('finds in what is loaded, and leads there, by keyboard alone (%s)', async (_name, options) => {
    const { agent, app } = await paired(options);
    await agent.say('The *Needle* is here');
    for (let i = 1; i <= 120; i++) await agent.connection.send('text', { content: `Hay ${i}` });
    await app.sees('Hay 120');
    await app.page.keyboard.press('Control+k');
    await app.page.getByRole('searchbox').waitFor();
    await app.page.keyboard.type('nEEdle');
    await app.page.locator('.hit mark').getByText('Needle').waitFor();
    expect(await app.violations()).toEqual([]);
    await app.page.keyboard.press('ArrowDown');
    await app.page.keyboard.press('Enter');
    await app.page.locator('.entry.found').getByText('Needle').waitFor();
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });
    await until('it is on the screen', () =>
      app.page
        .locator('.document em')
        .evaluate((element) => element.getBoundingClientRect().top > 0 && element.getBoundingClientRect().bottom < innerHeight),
    );
    await app.page.getByRole('button', { name: 'Find' }).click();
    await app.page.getByRole('searchbox').waitFor();
    await app.page.keyboard.type('no such words');
    await app.sees('Nothing found in what is loaded.');
    await app.page.keyboard.press('Escape');
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(app.device.complaints()).toEqual([]);
  });
});

describe.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])('a picture of a kind that the browser cannot show, on %s', (_, options) => {
  it('says so, and can be saved', async () => {
    const { agent, app } = await paired(options);
    const { file_id, url } = await agent.http.upload(agent.enrolled.conversation_id, Buffer.from('no picture'), 'image/heic');
    await agent.send('image', { file_id, url, alt: 'garden.heic' });
    await app.sees('This browser cannot show this image.');
    expect(await app.violations()).toEqual([]);
    const [download] = await Promise.all([app.page.waitForEvent('download'), app.page.getByRole('button', { name: 'Download' }).click()]);
    expect(download.suggestedFilename()).toBe('garden.heic');
    expect(await readFile(await download.path(), 'utf8')).toBe('no picture');
  });
});
