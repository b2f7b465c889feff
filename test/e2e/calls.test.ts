import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { until, type AppPage } from './app-page.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function paired(): Promise<{ agent: ScriptedAgent; phone: AppPage }> {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const phone = await world.device();
  await phone.pairByLink((await agent.pairing()).url);
  await phone.line('idle').waitFor({ state: 'attached' });
  return { agent, phone };
}

it('the device says what it has: its tools with schemas, and an inventory of its components', async () => {
  const { agent } = await paired();
  const question = await agent.send('tool.list', {});
  const { payload } = await agent.hear(({ type }) => type === 'tool.list', 'the tool list');
  expect(payload).toMatchObject({
    reply_to: question,
    tools: [
      { name: 'choice', type: 'action', inputSchema: { required: ['question', 'options'] } },
      { name: 'confirm', type: 'action' },
      { name: 'input', type: 'action' },
      { name: 'calculator', type: 'toolset', actions: [{ name: 'add' }, { name: 'subtract' }, { name: 'multiply' }, { name: 'divide' }] },
      { name: 'canvas', type: 'app', actions: ['open', 'draw', 'undo', 'clear', 'snapshot', 'close'].map((name) => ({ name })) },
    ],
  });
  const inventory = await agent.hear(({ type }) => type === 'lineup.v1.client.inventory', 'the inventory');
  expect(inventory.payload).toMatchObject({
    standard_components: [{ id: 'choice' }, { id: 'confirm' }, { id: 'input' }],
  });
});

it('what the device can answer by itself it answers, and what it cannot do it says', async () => {
  const { agent, phone } = await paired();
  expect(await agent.result(await agent.ask('calculator', 'multiply', { a: 6, b: 7 }))).toMatchObject({ result: { message: '42', value: 42 } });
  expect(await agent.result(await agent.ask('calculator', 'divide', { a: 1, b: 0 }))).toMatchObject({ error: { code: 'execution_error' } });
  expect(await agent.result(await agent.ask('toaster', 'toast', {}))).toMatchObject({ error: { code: 'unknown_tool' } });
  expect(await agent.result(await agent.ask('calculator', 'power', { a: 1, b: 0 }))).toMatchObject({ error: { code: 'unknown_action' } });
  const refused = await agent.result(await agent.ask('choice', 'select', { question: 'Where?', options: [] }));
  expect(refused).toMatchObject({ error: { code: 'invalid_arguments' } });
  expect(refused.error?.message).toContain('arguments.options');
  await phone.sees('Calculated: 6 × 7');
  await phone.sees('toaster.toast');
  expect(await phone.cards.count()).toBe(0);
});

it('a choice takes several answers, and words of the user’s own', async () => {
  const { agent, phone } = await paired();
  const several = await agent.ask('choice', 'select', { question: 'Which?', options: ['a', 'b', 'c'], multiple: true, allow_other: true });
  await phone.cards.getByText('c', { exact: true }).click();
  await phone.cards.getByText('a', { exact: true }).click();
  await phone.cards.getByPlaceholder('Something else').fill('d');
  await phone.cards.getByRole('button', { name: 'Send' }).click();
  expect(await agent.result(several)).toMatchObject({ name: 'choice', action: 'select', result: { message: 'a, c, d', selected: ['a', 'c', 'd'] } });
  const other = await agent.ask('choice', 'select', { question: 'Where to?', options: ['home'], allow_other: true });
  await phone.cards.getByPlaceholder('Something else').fill('the sea');
  await phone.cards.getByPlaceholder('Something else').press('Enter');
  expect(await agent.result(other)).toMatchObject({ result: { message: 'the sea', selected: ['the sea'] } });
});

it('a confirmation has the agent’s own labels, and a dismissed question is rejected', async () => {
  const { agent, phone } = await paired();
  const danger = await agent.ask('confirm', 'ask', { question: 'Delete it?', danger: true, confirm_label: 'Delete', cancel_label: 'Keep' });
  await phone.cards.locator('.button.danger').getByText('Delete').waitFor();
  await phone.cards.getByRole('button', { name: 'Keep' }).click();
  expect(await agent.result(danger)).toMatchObject({ result: { message: 'declined', confirmed: false } });
  const dismissed = await agent.ask('confirm', 'ask', { question: 'Really?' });
  await phone.cards.getByRole('button', { name: 'Dismiss' }).click();
  expect(await agent.result(dismissed)).toMatchObject({ error: { code: 'rejected' } });
});

it('an input is hidden when secret, bounded when it has a limit, and has lines when it may', async () => {
  const { agent, phone } = await paired();
  const secret = await agent.ask('input', 'ask', { question: 'The password?', secret: true });
  const field = phone.cards.locator('input');
  expect(await field.getAttribute('type')).toBe('password');
  await field.fill('hunter2');
  await phone.cards.getByRole('button', { name: 'Show the text' }).click();
  expect(await field.getAttribute('type')).toBe('text');
  await phone.cards.getByRole('button', { name: 'Send' }).click();
  expect(await agent.result(secret)).toMatchObject({ result: { value: 'hunter2' } });
  await phone.sees('hidden');
  expect(await phone.page.getByText('hunter2').count()).toBe(0);

  const bounded = await agent.ask('input', 'ask', { question: 'In four?', max_length: 4, default: '12' });
  await phone.cards.locator('input').fill('👍👍👍👍👍');
  await phone.sees('1 too many');
  expect(await phone.cards.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await phone.cards.locator('input').fill('👍👍👍👍');
  await phone.cards.locator('input').press('Enter');
  expect(await agent.result(bounded)).toMatchObject({ result: { value: '👍👍👍👍' } });

  const lines = await agent.ask('input', 'ask', { question: 'A poem?', multiline: true });
  await phone.cards.locator('textarea').fill('one\ntwo');
  await phone.cards.getByRole('button', { name: 'Send' }).click();
  expect(await agent.result(lines)).toMatchObject({ result: { value: 'one\ntwo' } });
});

it('a question that ran out, or was taken back, closes and says so', async () => {
  const { agent, phone } = await paired();
  const expires = new Date(Date.now() + 2_500).toISOString();
  await agent.send('tool.call', {
    name: 'confirm',
    action: 'ask',
    call_id: `soon-${expires}`,
    arguments: { question: 'Quick?' },
    expires_at: expires,
  });
  await phone.cards.getByText('Quick?').waitFor();
  await phone.sees('· expired');
  const cancelled = await agent.ask('confirm', 'ask', { question: 'Still wanted?' });
  await phone.cards.getByText('Still wanted?').waitFor();
  await agent.send('tool.cancel', { call_id: cancelled });
  await phone.sees('· withdrawn');
  expect(await phone.cards.count()).toBe(0);
  expect(await phone.tray.count()).toBe(0);
  await phone.page.reload();
  await phone.sees('· expired');
  await phone.sees('· withdrawn');
});

it('the tray lists everything that waits, and answers there as well', async () => {
  const { agent, phone } = await paired();
  for (let i = 1; i <= 40; i++) await agent.ask('confirm', 'ask', { question: `Question ${i}?` });
  await phone.tray.getByText('40 things need you').waitFor();
  await phone.tray.click();
  const sheet = phone.page.getByRole('dialog');
  expect(await sheet.locator('.card').count()).toBe(40);
  await sheet.locator('.card').first().getByRole('button', { name: 'Yes' }).click();
  await until('one is gone', async () => (await sheet.locator('.card').count()) === 39);
  await phone.page.keyboard.press('Escape');
  await phone.tray.getByText('39 things need you').waitFor();
  expect(phone.device.complaints()).toEqual([]);
});

it('an answer is sending until the relay has it, and an answer given offline arrives', async () => {
  const { agent, phone } = await paired();
  const call = await agent.ask('choice', 'select', { question: 'Where?', options: ['here', 'there'] });
  await phone.cards.waitFor();
  await agent.close();
  await world.relay.end('SIGKILL');
  await phone.line('offline').waitFor({ state: 'attached' });
  await phone.page.getByRole('button', { name: 'there', exact: true }).click();
  await phone.cards.getByText('sending').waitFor();
  expect(await phone.cards.locator('.option.chosen').innerText()).toBe('there');
  expect(await phone.page.getByRole('button', { name: 'here', exact: true }).isDisabled()).toBe(true);
  await world.relay.start();
  await phone.cards.waitFor({ state: 'detached', timeout: 40_000 });
  await agent.connect();
  expect(await agent.result(call)).toMatchObject({ result: { selected: ['there'] } });
});

/** What a finger that aims at a point would press there in each frame until a text is on the page, and for a while after it. */
function pressedAt(app: AppPage, point: { x: number; y: number }, text: string): Promise<string[]> {
  return app.page.evaluate(
    ([{ x, y }, awaited]) =>
      new Promise<string[]>((resolve) => {
        const pressed = new Set<string>();
        let frames = 0;
        const look = () => {
          const button = document.elementFromPoint(x, y)?.closest('.card button');
          if (button) pressed.add(button.closest('.card')?.querySelector('.card-question')?.textContent ?? '');
          if (document.body.textContent?.includes(awaited) && ++frames > 8) resolve([...pressed]);
          else requestAnimationFrame(look);
        };
        look();
      }),
    [point, text] as const,
  );
}

async function middleOf(button: Locator): Promise<{ x: number; y: number }> {
  // What was asked a moment ago sleeps, and is not what one aims at.
  await button.click({ trial: true });
  const box = await button.boundingBox();
  if (!box) throw new Error('it is not on the page');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

it('a question that slides under the finger cannot be answered by a tap that was aimed at another', async () => {
  const { agent, phone } = await paired();
  await agent.say('Words above it.\n\n'.repeat(40));
  await agent.ask('confirm', 'ask', { question: 'Turn on the light?' });
  const aim = await middleOf(phone.cards.getByRole('button', { name: 'Yes' }));
  const pressed = pressedAt(phone, aim, 'Wipe the disk?');
  const wipe = await agent.ask('confirm', 'ask', { question: 'Wipe the disk?', danger: true });
  expect(await pressed).not.toContain('Wipe the disk?');
  // With the keyboard nothing slides under anything.
  await phone.cards.last().getByRole('button', { name: 'Yes' }).press('Enter');
  expect(await agent.result(wipe)).toMatchObject({ result: { confirmed: true } });
});

it('two taps in a row answer one question in the tray', async () => {
  const { agent, phone } = await paired();
  for (const question of ['Turn on the light?', 'Wipe the disk?']) await agent.ask('confirm', 'ask', { question });
  await phone.tray.getByText('2 things need you').click();
  const first = phone.page.getByRole('dialog').getByRole('button', { name: 'Yes' }).first();
  const aim = await middleOf(first);
  const pressed = pressedAt(phone, aim, '1 thing needs you');
  await first.click();
  expect(await pressed).not.toContain('Wipe the disk?');
  await first.click();
  await until('both are answered', () => agent.heard.filter(({ type }) => type === 'tool.result').length === 2);
});

it('nothing hides in a question or its answers, before and after it is settled', async () => {
  const { agent, phone } = await paired();
  await agent.ask('choice', 'select', { question: 'Send to \u202Emoc.evil?', options: ['pay', 'pa\u200By'] });
  await phone.cards.waitFor();
  expect(await phone.cards.locator('.card-question').innerText()).toBe('Send to U+202Emoc.evil?');
  expect(await phone.cards.locator('.option').allInnerTexts()).toEqual(['pay', 'paU+200By']);
  await phone.cards.locator('.option').last().click();
  await phone.page.locator('.quiet-line strong').getByText('paU+200By').waitFor();
  expect(await phone.page.locator('.quiet-line').innerText()).toContain('Send to U+202Emoc.evil?');
  await agent.ask('confirm', 'ask', { question: 'Go?', confirm_label: '\u202EoN', cancel_label: 'Yes' });
  await phone.cards.getByRole('button', { name: 'U+202EoN' }).waitFor();
});

it('a question and an answer of any length fold, so that the buttons stay near', async () => {
  const { agent, phone } = await paired();
  await agent.ask('choice', 'select', { question: '😀'.repeat(3_000), options: ['x'.repeat(3_000), 'no'] });
  await phone.cards.waitFor();
  const height = async () => (await phone.cards.boundingBox())?.height ?? 0;
  expect(await height()).toBeLessThan(844);
  const more = phone.cards.getByRole('button', { name: 'Show all' });
  const folded = await height();
  await more.first().click();
  expect(await height()).toBeGreaterThan(folded);
  await phone.cards.getByRole('button', { name: 'no', exact: true }).click();
  await phone.cards.waitFor({ state: 'detached' });
  await agent.ask('confirm', 'ask', { question: `many${'\n'.repeat(200)}lines`, confirm_label: 'Yes, '.repeat(300) });
  await phone.cards.waitFor();
  expect(await height()).toBeLessThan(844);
});
