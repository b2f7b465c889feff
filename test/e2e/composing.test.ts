/** What somebody does where they write: with files, with the keyboard, across conversations and tabs. */
import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { DESKTOP } from './browser.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function paired(options?: BrowserContextOptions): Promise<{ hermes: ScriptedAgent; app: AppPage }> {
  const hermes = await world.agent();
  return { hermes, app: await world.paired(hermes, options) };
}

const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') };
const isFocused = (app: AppPage) => app.field.evaluate((field) => document.activeElement === field);

it('a file that was chosen offline stays with its conversation, and goes up by itself when the line is back', async () => {
  const { hermes, app } = await paired(DESKTOP);
  await hermes.http.createConversation('Kitchen');
  const row = (index: number) => app.page.locator('.list-row').nth(index);
  await row(1).waitFor();
  await app.device.context.setOffline(true);
  await app.page.locator('.composer input[type="file"]').setInputFiles(NOTE);
  await app.page.locator('.attachment.failed').waitFor();
  const [here, there] = (await row(0).getAttribute('aria-current')) === 'page' ? [row(0), row(1)] : [row(1), row(0)];
  await there.click();
  await app.page.locator('.attachment').waitFor({ state: 'detached' });
  await here.click();
  await app.page.locator('.attachment').waitFor();
  await app.device.context.setOffline(false);
  await app.page.locator('.attachment.ready').waitFor();
  await app.page.locator('.send-button').click();
  await hermes.hear(({ type, payload }) => type === 'file' && payload.name === 'note.txt');
});

it('a file that is dropped anywhere is attached, and never opened in place of the app', async () => {
  const { app } = await paired(DESKTOP);
  const drop = () =>
    app.page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['a note'], 'note.txt', { type: 'text/plain' }));
      const events = ['dragover', 'drop'].map((type) => new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      return events.map((event) => document.querySelector('.app')?.dispatchEvent(event) === false);
    });
  expect(await drop()).toEqual([true, true]);
  await app.page.locator('.attachment').getByText('note.txt').waitFor();
  await app.page.getByRole('button', { name: 'Settings' }).click();
  await app.page.getByRole('dialog').waitFor();
  expect(await drop()).toEqual([true, true]);
  expect(await app.page.locator('.attachment').count()).toBe(1);
});

it('with a keyboard the field is where one begins, and where one is again after a menu', async () => {
  const { hermes, app } = await paired(DESKTOP);
  await hermes.http.createConversation('Kitchen');
  await hermes.say('Something to answer');
  await app.sees('Something to answer');
  await until('the field has the focus', () => isFocused(app));
  await app.page.reload();
  await app.field.waitFor();
  await until('after a reload too', () => isFocused(app));
  const kitchen = app.page.locator('.list-row', { hasText: 'Kitchen' });
  await kitchen.focus();
  await app.page.keyboard.press('Enter');
  await app.page.getByRole('heading', { name: 'Hermes · Kitchen' }).waitFor();
  await until('in another conversation too', () => isFocused(app));
  await app.page.locator('.list-row', { hasText: 'Something to answer' }).click();
  await app.page.locator('.document').click({ button: 'right' });
  await app.page.getByRole('dialog').waitFor();
  await app.page.keyboard.press('Escape');
  await app.page.getByRole('dialog').waitFor({ state: 'detached' });
  await until('after the menu too', () => isFocused(app));
});

it('on a touch screen no keyboard comes up by itself', async () => {
  const { app } = await paired();
  await app.page.reload();
  await app.field.waitFor();
  expect(await isFocused(app)).toBe(false);
});

it('what one tab sends takes away no draft of another', async () => {
  const { hermes, app } = await paired(DESKTOP);
  const tab = await app.device.context.newPage();
  await tab.goto(app.page.url());
  await app.field.fill('sent from here');
  await tab.locator('.composer-field').fill('half a thought there');
  await app.page.locator('.send-button').click();
  await hermes.hear(({ payload }) => payload.content === 'sent from here');
  await tab.reload();
  await tab.locator('.composer-field').waitFor();
  expect(await tab.locator('.composer-field').inputValue()).toBe('half a thought there');
});
