import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { until } from './app-page.ts';
import { useWorld } from './world.ts';

const world = useWorld();

async function paired(options: Parameters<typeof world.device>[0]): Promise<{ agent: ScriptedAgent; phone: AppPage; instance: string }> {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const phone = await world.device(options);
  await phone.pairByLink((await agent.pairing()).url);
  await agent.hear(({ type }) => type === 'lineup.v1.client.inventory', 'the inventory');
  const { result } = await agent.result(await agent.ask('canvas', 'open', { width: 300, height: 200 }));
  return { agent, phone, instance: String(result?.instance_id) };
}

const acts = async (agent: ScriptedAgent, action: string, args: Parameters<ScriptedAgent['ask']>[2]) =>
  agent.result(await agent.ask('canvas', action, args));

/** Draws from one place on the paper to another, given as shares of it. */
async function drag(phone: AppPage, paper: Locator, from: [number, number], to: [number, number]): Promise<void> {
  const box = (await paper.boundingBox())!;
  const { mouse } = phone.page;
  await mouse.move(box.x + box.width * from[0], box.y + box.height * from[1]);
  await mouse.down();
  await mouse.move(box.x + box.width * to[0], box.y + box.height * to[1], { steps: 5 });
  await mouse.up();
}

it('on a phone agent and user draw on one board, which fills the screen, outlives a reload, and is closed by the user', async () => {
  const { agent, phone, instance } = await paired(PHONE);
  const lines = phone.page.locator('.board-paper path');
  expect((await acts(agent, 'draw', { instance_id: instance, path: 'M0,0 300,200', color: 'rebeccapurple', width: 5 })).result?.message).toBe(
    'drawn',
  );
  expect((await acts(agent, 'draw', { instance_id: instance, path: 'M0 0" onload="x' })).error).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('arguments.path') as string,
  });
  expect((await acts(agent, 'draw', { instance_id: instance, path: 'M0 0', color: 'url(x)' })).error).toMatchObject({ code: 'invalid_arguments' });
  await phone.page.locator('[data-board-card] button').click();
  const stage = phone.page.locator('.stage.whole');
  await stage.waitFor();
  expect(await stage.boundingBox()).toMatchObject({ x: 0, y: 0, width: 390 });
  expect(await phone.violations()).toEqual([]);
  await phone.page.getByRole('radio', { name: 'Red' }).check({ force: true });
  await drag(phone, phone.page.locator('.board-paper'), [0.1, 0.5], [0.9, 0.5]);
  await phone.page.touchscreen.tap(195, 420);
  await until('two lines and a dot', async () => (await lines.count()) === 3);
  const svg = String((await acts(agent, 'snapshot', { instance_id: instance })).result?.svg);
  expect(svg).toContain('<path d="M0 0L300 200" stroke="rebeccapurple" stroke-width="5"/>');
  expect(svg).toContain('stroke="#b3402e"');
  await phone.page.getByRole('button', { name: 'Take back the last line' }).click();
  await acts(agent, 'undo', { instance_id: instance });
  await until('one line is left', async () => (await lines.count()) === 1);
  await phone.page.reload();
  await phone.page.locator('[data-board-card] button').click();
  await until('it is there again', async () => (await lines.count()) === 1);
  await phone.page.goBack();
  await stage.waitFor({ state: 'detached' });
  await phone.page.locator('[data-board-card] button').click();
  await phone.page.getByRole('button', { name: 'Close the drawing board' }).click();
  await phone.sees('The drawing board is closed');
  expect((await acts(agent, 'draw', { instance_id: instance, path: 'M0 0' })).error).toMatchObject({
    code: 'execution_error',
    message: expect.stringContaining('closed') as string,
  });
  expect((await acts(agent, 'undo', { instance_id: 'inst_unknown' })).error).toMatchObject({ code: 'execution_error' });
  expect(phone.device.complaints()).toEqual([]);
});

it('beside the conversation there is a dock, which boards share with surfaces', async () => {
  const { agent, phone, instance } = await paired(DESKTOP);
  const board = phone.page.locator('.stage [data-board]');
  await board.waitFor();
  await acts(agent, 'draw', { instance_id: instance, path: 'M0 0' });
  await acts(agent, 'undo', { instance_id: instance });
  // The dock makes the timeline narrower, and nothing in it covers anything else.
  const [card, line] = [phone.page.locator('[data-board-card]'), phone.page.getByText('took back a line')];
  await until('the line is below the card', async () => {
    const [over, under] = [await card.boundingBox(), await line.boundingBox()];
    return over !== null && under !== null && under.y >= over.y + over.height;
  });
  await agent.send('lineup.v1.ui.open', { instance_id: 'i.1', app: { id: 'com.lineup.form', name: 'Form', version: '1.0.0' }, state: {} });
  const surface = phone.page.locator('.stage [data-surface]');
  await surface.waitFor();
  const [above, below, chat] = await Promise.all([surface, board, phone.page.locator('.chat')].map((each) => each.boundingBox()));
  expect(above!.x).toBe(below!.x);
  expect(above!.y).toBeLessThan(below!.y);
  expect(chat!.height).toBe(800);
  await drag(phone, phone.page.locator('.board-paper'), [0.2, 0.2], [0.8, 0.8]);
  await phone.page.locator('.board-paper path').waitFor({ state: 'attached' });
  await acts(agent, 'clear', { instance_id: instance });
  await phone.page.locator('.board-paper path').waitFor({ state: 'detached' });
  await acts(agent, 'close', { instance_id: instance });
  await board.waitFor({ state: 'detached' });
});
