import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demo } from './demo.ts';
import { abilityIn, escape, languageOf, WORDS, type Ability } from './demo-words.ts';
import { DEVICE, FakeRelay, type FakeConnection } from './testing/fake-relay.ts';

let relay: FakeRelay;
beforeEach(() => {
  relay = new FakeRelay();
});
afterEach(() => relay.dispose());

async function start(): Promise<FakeConnection> {
  const agent = relay.agent();
  demo(agent, { word: 0, step: 4 });
  await agent.start();
  relay.home.emit('synced', { seq: 0 });
  return relay.home;
}

async function ask(content: string): Promise<FakeConnection> {
  const home = await start();
  await home.deliver('text', { content });
  return home;
}

/** Asks for a question, and answers it; resolves when the agent has reacted. */
async function answer(ability: string, ending: object): Promise<FakeConnection> {
  const home = await start();
  const done = home.deliver('text', { content: ability });
  const { id } = await home.until('tool.call');
  await home.deliver('tool.result', { name: 'any', call_id: id, ...ending });
  await done;
  return home;
}

const NO_NOISE = new Set(['status', 'text.delta']);
const types = (home: FakeConnection) => home.sent.map(({ type }) => type).filter((type) => !NO_NOISE.has(type));

describe('what a text asks for', () => {
  test.each([
    ['help', 'help'],
    ['  Help! ', 'help'],
    ['?', 'help'],
    ['a choice, please', 'choice'],
    ['帮助', 'help'],
    ['选择', 'choice'],
    ['请给我图片', 'image'],
    ['工具？', 'tools'],
    ['please help me with my homework', null],
    ['helpful', null],
    ['我想和你聊聊今天的工具', null],
    ['', null],
    ['hello there', 'help'],
  ])('%j is %s', (text, ability) => {
    expect(abilityIn(text)).toBe(ability);
  });

  test('has a language', () => {
    expect(['hello', '', '你好', 'hello 你好', 'こんにちは'].map(languageOf)).toEqual(['en', 'en', 'zh', 'zh', 'en']);
  });

  test('is listed in the help of each language', () => {
    for (const words of Object.values(WORDS)) {
      for (const [ability, [name]] of Object.entries(words.names)) if (ability !== 'help') expect(words.help).toContain(`**${name}**`);
    }
  });
});

describe('the demo agent', () => {
  test('speaks only when it is spoken to', async () => {
    const home = await start();
    home.welcome();
    expect(home.sent).toEqual([]);
  });

  test('greets a new device, its name as it is', async () => {
    const home = await start();
    home.emit('paired', { device: { device_id: DEVICE, name: '*My* phone' } as never });
    const greeting = await home.until('text');
    expect(greeting.payload.content).toContain('Hello, \\*My\\* phone!');
    expect(greeting.target).toEqual({ kind: 'app', id: DEVICE });
  });

  test.each<[Ability, string, string[]]>([
    ['help', 'help', ['text']],
    ['image', 'image', ['image']],
    ['file', 'file', ['file', 'text']],
    ['markdown', 'markdown', ['text']],
    ['edit', 'edit', ['text', 'text.edit']],
    ['error', 'error', ['error']],
    ['tools', 'tools', ['tool.list', 'text']],
  ])('does %s', async (_ability, text, sent) => {
    expect(types(await ask(text))).toEqual(sent);
    expect(relay.problems).toEqual([]);
  });

  test('does progress', async () => {
    const home = await ask('progress');
    const percents = home.of('progress').map(({ payload }) => payload.percent);
    expect(percents).toEqual([...percents].toSorted((a, b) => Number(a) - Number(b)));
    expect([percents[0], percents.at(-1)]).toEqual([0, 100]);
    expect(home.of('text')).toHaveLength(1);
  });

  test('answers in Chinese when it is asked in Chinese', async () => {
    const home = await answer('选择', { result: { message: '红色', selected: ['红色'] } });
    const [call] = home.of('tool.call');
    expect(call?.payload.arguments).toMatchObject({ question: WORDS.zh.choice.question });
    expect(home.of('text').at(-1)?.payload.content).toBe('你选了**红色**。我会记住，直到你再选一次。');
  });

  test.each([
    ['choice', { result: { message: 'a, b', selected: ['a', '*b*'] } }, 'You chose **a, \\*b\\***.'],
    ['choice', { error: { code: 'rejected', message: '' } }, 'You closed the question.'],
    ['confirm', { result: { message: 'confirmed', confirmed: true } }, 'Good.'],
    ['confirm', { result: { message: 'declined', confirmed: false } }, 'All right'],
    ['confirm', { error: { code: 'expired', message: '' } }, 'Nobody answered'],
    ['input', { result: { message: 'Ada', value: 'Ada' } }, 'Nice to meet you, **Ada**.'],
    ['input', { error: { code: 'unknown_tool', message: '' } }, 'Your device does not know'],
  ])('reacts to the answer to %s: %j', async (ability, ending, said) => {
    const home = await answer(ability, ending);
    expect(String(home.of('text').at(-1)?.payload.content).startsWith(said)).toBe(true);
  });

  test('repeats everything else as it was written', async () => {
    const home = await ask('<b>*one*</b> and more\n# two words and `three`');
    expect(home.of('text')[0]?.payload.content).toContain('> \\<b\\>\\*one\\*\\</b\\> and more\n> \\# two words and \\`three\\`');
  });

  test('repeats the longest text without breaking a limit', async () => {
    const home = await ask('*👋'.repeat(20_000));
    expect(String(home.of('text')[0]?.payload.content).length).toBeLessThan(65_536);
    expect(relay.problems).toEqual([]);
  });

  test('thanks for images and files', async () => {
    const home = await start();
    await home.deliver('image', { url: 'https://x.example/a.png', caption: '我的猫' });
    await home.deliver('file', { file_id: 'fl_1', name: 'a_b.txt', mime_type: 'text/plain', size: 3 });
    expect(home.of('text').map(({ payload }) => payload.content)).toEqual([WORDS.zh.gotImage, '**a\\_b\\.txt** has arrived: 3 bytes.']);
  });
});

test('escaped Markdown shows every character', () => {
  expect(escape('a*b_c`d[e](f)#!|')).toBe('a\\*b\\_c\\`d\\[e\\]\\(f\\)\\#\\!\\|');
});
