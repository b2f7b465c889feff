import { describe, expect, it } from 'vitest';
import { DESKTOP, PHONE } from './browser.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const WORDS = {
  'en-US': {
    welcome: 'Your agent, on your phone',
    question: 'Pair this device?',
    needs: '3 things need you',
    again: 'No longer paired',
    settings: 'Settings',
  },
  'zh-CN': { welcome: '你的智能体，就在手机上', question: '配对这台设备？', needs: '有 3 件事需要你', again: '配对已解除', settings: '设置' },
} as const;

const VARIANTS = (['en-US', 'zh-CN'] as const).flatMap((locale) =>
  (['light', 'dark'] as const).flatMap((colorScheme) => [
    { name: `${locale}, ${colorScheme}, phone`, locale, options: { ...PHONE, locale, colorScheme } },
    { name: `${locale}, ${colorScheme}, desktop`, locale, options: { ...DESKTOP, locale, colorScheme } },
  ]),
);

describe.each(VARIANTS)('every screen is accessible and silent: $name', ({ locale, options }) => {
  const words = WORDS[locale];

  it('from the welcome to the end of a pairing', async () => {
    const agent = await ScriptedAgent.start(world.relay.origin);
    world.after(() => agent.close());
    const app = await world.device(options);

    await app.page.goto(world.relay.origin);
    await app.sees(words.welcome);
    expect(await app.page.locator('html').getAttribute('lang')).toBe(locale === 'en-US' ? 'en' : 'zh-CN');
    expect(await app.violations()).toEqual([]);
    await app.typeCode('nothing');
    expect(await app.violations()).toEqual([]);
    // No camera here: the words for that, and the other ways.
    await app.page.locator('.ways-in > .button').click();
    await app.page.locator('.scan').getByRole('alert').waitFor();
    expect(await app.violations()).toEqual([]);
    await app.page.keyboard.press('Escape');
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });

    await app.typeCode((await agent.pairing()).code);
    await app.sees(words.question);
    expect(await app.violations()).toEqual([]);
    await app.agree();
    await app.line('idle').waitFor({ state: 'attached' });
    expect(await app.violations()).toEqual([]);

    await agent.say(
      '# Plan\n\nSome *text* with a [link](https://example.com), `code` and\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n- [x] done',
    );
    await app.say('Go ahead');
    await agent.send('status', { state: 'working', detail: 'tests', run_id: 'r1' });
    agent.connection.sendNow('progress', { run_id: 'r1', percent: 40, message: 'Building' });
    agent.connection.sendNow('text.delta', { message_id: 'stream', offset: 0, delta: 'Writing' });
    await app.line('flowing').waitFor({ state: 'attached' });
    await app.page.getByRole('progressbar').waitFor();
    expect(await app.violations()).toEqual([]);

    await agent.send('error', { code: 'broken', message: 'It broke', retryable: true });
    await agent.send('file', { ...(await upload(agent)), name: 'a.pdf', mime_type: 'application/pdf', size: 12_345 });
    await agent.send('image', { url: 'https://pictures.example/cat.png', alt: 'A cat' });
    await agent.ask('choice', 'select', { question: 'Where?', options: ['here', 'there'], allow_other: true });
    await agent.ask('confirm', 'ask', { question: 'Sure?', danger: true });
    await agent.ask('input', 'ask', { question: 'Name?', max_length: 10, default: 'almost ten' });
    await app.tray.getByText(words.needs).waitFor();
    expect(await app.violations()).toEqual([]);
    await app.tray.click();
    await app.page.getByRole('dialog').waitFor();
    expect(await app.violations()).toEqual([]);
    await app.page.keyboard.press('Escape');
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });

    await app.page.getByRole('button', { name: words.settings }).click();
    await app.page.getByRole('dialog').waitFor();
    await app.page.locator('.settings .quiet-danger').last().click();
    expect(await app.violations()).toEqual([]);
    await app.page.locator('.settings-part .button.quiet').first().click();
    await app.page.locator('.segments input[name=form]').first().waitFor();
    expect(await app.violations()).toEqual([]);
    await app.page.keyboard.press('Escape');
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });

    const [device] = await agent.http.devices();
    await agent.http.unpair(device?.device_id ?? '');
    await app.sees(words.again);
    expect(await app.violations()).toEqual([]);
    expect(app.device.complaints()).toEqual([]);
  });
});

it('the whole way can be gone with a keyboard', async () => {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const app = await world.device(DESKTOP);
  await app.page.goto((await agent.pairing()).url);
  await app.sees('Pair this device?');
  await app.page.keyboard.press('Tab');
  await app.page.keyboard.press('Enter');
  await app.line('idle').waitFor({ state: 'attached' });
  await app.field.focus();
  await app.page.keyboard.type('typed');
  await app.page.keyboard.press('Shift+Enter');
  await app.page.keyboard.type('and more');
  await app.page.keyboard.press('Enter');
  expect(await app.notes()).toEqual(['typed\nand more']);
  const call = await agent.ask('choice', 'select', { question: 'Where?', options: ['here', 'there'] });
  await app.cards.waitFor();
  await app.page.getByRole('button', { name: 'here', exact: true }).focus();
  await app.page.keyboard.press('Tab');
  await app.page.keyboard.press('Enter');
  expect(await agent.result(call)).toMatchObject({ result: { selected: ['there'] } });
});

it('language and appearance are the user’s, and stay', async () => {
  const agent = await ScriptedAgent.start(world.relay.origin);
  world.after(() => agent.close());
  const app = await world.device();
  await app.pairByLink((await agent.pairing()).url);
  await app.page.getByRole('button', { name: 'Settings' }).click();
  await app.page.getByText('简体中文').click();
  await app.page.getByText('深色').click();
  await app.sees('外观');
  await app.page.reload();
  await app.page.getByPlaceholder('发消息给 Hermes').waitFor();
  expect(await app.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
});

async function upload(agent: ScriptedAgent): Promise<{ file_id: string }> {
  const { file_id } = await agent.http.upload(agent.enrolled.conversation_id, new Uint8Array([1, 2, 3]), 'application/pdf');
  return { file_id };
}
