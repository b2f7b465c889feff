/** The web app as direct mode serves it to a phone: over plain http from an address of the network, where a page has fewer rights. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { buildWeb } from '../../scripts/local-build.ts';
import { AppPage, until } from './app-page.ts';
import { Device, launchBrowser } from './browser.ts';
import { DirectProcess, V1Client } from './direct-process.ts';

/** A name that browsers trust no more than any other machine's. */
const NAME = 'home.local';

let home: string;
let direct: DirectProcess;
let browser: Browser;
/** Paired by the first journey: the printed link is good for one device. */
let phone: AppPage;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'lineup-direct-page-'));
  direct = await DirectProcess.start(home, 0, '--web', await buildWeb());
  browser = await launchBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
});
afterAll(async () => {
  await browser.close();
  await direct.end();
  await rm(home, { recursive: true });
});

it('pairs with the printed link, talks with a bare v1 agent and answers its question', async () => {
  const hermes = await V1Client.agent(direct.listening.v1, direct.listening.token);
  phone = new AppPage(await Device.open(browser));
  const link = new URL(direct.listening.url);
  link.hostname = NAME;
  await phone.pairByLink(link.href);
  expect(await phone.page.evaluate(() => globalThis.isSecureContext)).toBe(false);

  await phone.say('部署吧');
  await hermes.next('text', ({ payload }) => payload.content === '部署吧');
  hermes.send('q_1', 'tool.call', {
    call_id: 'c1',
    name: 'choice',
    action: 'select',
    arguments: { question: '部署到哪个环境？', options: ['测试', '预发布', '生产'] },
  });
  await phone.page.getByText('预发布').click();
  const answer = await hermes.next('tool.result');
  expect(answer.payload).toMatchObject({ call_id: 'c1', result: { message: '预发布' } });
  hermes.send('t_1', 'text', { content: '好的' });
  await phone.page.getByText('好的', { exact: true }).waitFor();
  await phone.page.reload();
  await phone.page.getByText('好的', { exact: true }).waitFor();
  expect(phone.device.complaints()).toEqual([]);
  await hermes.close();
});

it('copies a message and a block of code without the clipboard that only secure pages have', async () => {
  const hermes = await V1Client.agent(direct.listening.v1, direct.listening.token);
  expect(await phone.page.evaluate(() => 'clipboard' in navigator)).toBe(false);
  hermes.send('t_2', 'text', { content: 'Run *this*:\n\n```sh\nmake\n  install\n```' });
  const pasted = async () => {
    await phone.field.fill('');
    await phone.field.focus();
    await phone.page.keyboard.press('Control+V');
    return phone.field.inputValue();
  };
  await phone.page.locator('.code-block').getByRole('button', { name: 'Copy' }).last().click();
  await phone.page.locator('.code-block').getByRole('button', { name: 'Copied' }).waitFor();
  expect(await pasted()).toBe('make\n  install\n');
  await phone.page.locator('.document p', { hasText: 'Run this' }).click({ button: 'right' });
  await phone.page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await until('it is copied', async () => (await pasted()).includes('Run *this*:'));
  await phone.field.fill('');
  expect(phone.device.complaints()).toEqual([]);
  await hermes.close();
});
