/** What a page on a phone does as its user expects: back, pull, keyboard, notch; and what goes on beyond an edge. */
import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function paired(options?: BrowserContextOptions): Promise<{ hermes: ScriptedAgent; app: AppPage }> {
  const hermes = await world.agent();
  return { hermes, app: await world.paired(hermes, options) };
}

it('back closes what lies over the page, one after the other, and leaves the conversation where it is', async () => {
  const { hermes, app } = await paired();
  await hermes.say('Something to copy');
  await app.sees('Something to copy');
  const dialog = app.page.getByRole('dialog');
  const opens: [string, () => Promise<void>][] = [
    ['settings', () => app.page.getByRole('button', { name: 'Settings' }).click()],
    ['search', () => app.page.getByRole('button', { name: 'Find' }).click()],
    ['the menu of a message', () => app.page.locator('.document').click({ button: 'right' })],
    [
      'saving',
      async () => {
        await app.page.getByRole('button', { name: 'Settings' }).click();
        await app.page.getByRole('button', { name: 'Save as a file' }).click();
        await app.sees('Everything that the relay still keeps of it');
      },
    ],
  ];
  const address = app.page.url();
  for (const [, open] of opens) {
    await open();
    await dialog.last().waitFor();
    await app.page.goBack();
    await until('every sheet is gone', async () => (await dialog.count()) === 0);
    await app.sees('Something to copy');
    expect(app.page.url()).toBe(address);
  }
  expect(app.device.complaints()).toEqual([]);
});

it('the way back to the list leaves nothing behind it: the back button leads on from there', async () => {
  const { hermes, app } = await paired();
  await hermes.http.createConversation('Kitchen');
  const list = app.page.getByRole('heading', { name: 'Conversations' });
  const back = app.page.getByRole('link', { name: 'Conversations' });
  await back.click();
  await list.waitFor();
  await app.page.locator('.list-row', { hasText: 'Kitchen' }).click();
  await app.field.waitFor();
  const length = await app.page.evaluate(() => history.length);
  await back.click();
  await list.waitFor();
  await app.page.locator('.list-row', { hasText: 'Kitchen' }).click();
  await app.field.waitFor();
  await app.page.reload();
  await back.click();
  await list.waitFor();
  expect(await app.page.evaluate(() => history.length)).toBe(length);
  await app.page.getByRole('link', { name: 'Pair another agent' }).click();
  await app.page.getByRole('heading', { name: 'Pair another agent' }).waitFor();
  await app.page.getByRole('link', { name: 'Conversations' }).click();
  await list.waitFor();
  await app.page.goBack();
  expect(await app.page.locator('.code-field').count()).toBe(0);
});

it('until the page is there its mark is, and then nothing of it', async () => {
  const { app } = await paired();
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  await app.page.route(/\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await app.page.evaluate(async () => (await navigator.serviceWorker?.getRegistration())?.unregister());
  await app.page.evaluate(async () => Promise.all((await caches.keys()).map((name) => caches.delete(name))));
  void app.page.reload();
  await app.page.locator('.starting').getByText('LineUp').waitFor();
  go();
  await app.field.waitFor();
  expect(await app.page.locator('.starting').count()).toBe(0);
  expect(app.device.complaints()).toEqual([]);
});

it('pulling down neither reloads the page nor drags it along', async () => {
  const { app } = await paired();
  const behaviours = await app.page.evaluate(() => [
    getComputedStyle(document.body).overscrollBehaviorY,
    getComputedStyle(document.body).overflowY,
    getComputedStyle(document.querySelector('.timeline-scroll') ?? document.body).overscrollBehaviorY,
  ]);
  expect(behaviours).toEqual(['none', 'hidden', 'contain']);
});

it('with a keyboard on the screen the field is above it, and the newest message in view', async () => {
  const { hermes, app } = await paired();
  for (let i = 0; i < 30; i++) await hermes.say(`line ${i}.`);
  await app.sees('line 29.');
  await app.field.focus();
  await app.page.setViewportSize({ width: 390, height: 480 });
  const bottom = async (selector: string) =>
    (await app.page
      .locator(selector)
      .last()
      .boundingBox()
      .then((box) => box && box.y + box.height)) ?? Infinity;
  await until('the field is in what is left', async () => (await bottom('.composer')) <= 480);
  await until('the newest message too', async () => (await bottom('[data-entry]')) <= 480);
});

it('nothing lies under the notch or the home indicator', async () => {
  const { app } = await paired();
  const session = await app.device.context.newCDPSession(app.page);
  await session.send(
    'Emulation.setSafeAreaInsetsOverride' as 'Emulation.setTouchEmulationEnabled',
    {
      insets: { top: 47, bottom: 34, left: 0, right: 0 },
    } as never,
  );
  const box = async (selector: string) => (await app.page.locator(selector).first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await until('the name is below the notch', async () => (await box('.top-bar h1')).y >= 47);
  const field = await box('.composer-field');
  expect(field.y + field.height).toBeLessThanOrEqual(844 - 34);
  await app.page.getByRole('button', { name: 'Settings' }).click();
  const signOut = app.page.getByRole('button', { name: 'Sign out' });
  await signOut.scrollIntoViewIfNeeded();
  await app.page.locator('.sheet-body').evaluate((body) => (body.scrollTop = body.scrollHeight));
  const last = (await signOut.boundingBox()) ?? { y: Infinity, height: 0 };
  expect((await box('.sheet')).y).toBeGreaterThanOrEqual(47);
  expect(last.y + last.height).toBeLessThanOrEqual(844 - 34);
});

it('code that goes on beyond the edge shows it, and can be scrolled with the keyboard', async () => {
  const { hermes, app } = await paired(DESKTOP);
  await hermes.say(`\`\`\`\nshort\n\`\`\`\n\n\`\`\`\n${'a long line '.repeat(60)}\n\`\`\``);
  const blocks = app.page.locator('.code-block pre');
  await blocks.nth(1).waitFor();
  // The shade at the right edge, in a picture of the block's own ground below its text.
  const shaded = async (index: number) => {
    const block = blocks.nth(index);
    const clip = (await block.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const shot = await app.page.screenshot({ clip: { x: clip.x + clip.width - 21, y: clip.y + clip.height - 7, width: 20, height: 2 } });
    return app.page.evaluate(
      async (bytes) => {
        const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const context = canvas.getContext('2d');
        context?.drawImage(picture, 0, 0);
        const { data } = context?.getImageData(0, 0, picture.width, 1) ?? { data: new Uint8ClampedArray() };
        return Math.abs((data[0] ?? 0) - (data[data.length - 8] ?? 0)) > 8;
      },
      [...shot],
    );
  };
  expect(await shaded(0)).toBe(false);
  expect(await shaded(1)).toBe(true);
  await blocks.nth(1).focus();
  await app.page.keyboard.press('End');
  await app.page.keyboard.press('ArrowRight');
  await until('it moved', () => blocks.nth(1).evaluate((block) => block.scrollLeft > 0));
  await blocks.nth(1).evaluate((block) => (block.scrollLeft = block.scrollWidth));
  await until('the end has no shade', async () => !(await shaded(1)));
});

it('the largest text on the narrowest screen leaves a field room to write in', async () => {
  const { hermes, app } = await paired({ ...PHONE, viewport: { width: 320, height: 640 } });
  await app.page.getByRole('button', { name: 'Settings' }).click();
  await app.page.getByText('Largest').click();
  await app.page.keyboard.press('Escape');
  await hermes.ask('input', 'ask', { question: 'How long?' });
  const field = app.cards.getByRole('textbox');
  await field.waitFor();
  const width = async () => (await field.boundingBox())?.width ?? 0;
  await until('the field is wide', async () => (await width()) > 200);
  expect(await app.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

it('where the user’s own colours replace ours, what is chosen, who is there and what a button is can still be told', async () => {
  const { hermes, app } = await paired({ ...PHONE, forcedColors: 'active' });
  await hermes.ask('confirm', 'ask', { question: 'Sure?' });
  const style = (selector: string, name: string) =>
    app.page
      .locator(selector)
      .first()
      .evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
  await app.cards.waitFor();
  expect(await style('.card .button', 'border-top-width')).not.toBe('0px');
  expect(await style('.presence-dot.online', 'background-color')).toBe(await style('.presence-dot.online', 'border-top-color'));
  await app.line('need').waitFor({ state: 'attached' });
  expect(await style('.the-line.need', 'height')).toBe('4px');
  await app.page.getByRole('button', { name: 'Settings' }).click();
  await app.page.getByRole('dialog').waitFor();
  expect(await style('.segment:has(input:checked)', 'background-color')).not.toBe(
    await style('.segment:not(:has(input:checked))', 'background-color'),
  );
});
