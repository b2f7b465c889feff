import { afterEach, beforeEach, expect, test } from 'vitest';
import { CAPABILITY_NAMES, checkCapability } from '../../src/protocol/capabilities.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { checkToolCall, TOOLS, type ToolName } from '../../src/protocol/tools.ts';
import { demo } from './demo.ts';
import { TOUR_WORDS } from './demo-tour-words.ts';
import { FakeRelay, type FakeConnection, type SentFrame } from './testing/fake-relay.ts';

let relay: FakeRelay;
beforeEach(() => {
  relay = new FakeRelay();
});
afterEach(() => relay.dispose());

/** Goes on the whole tour with a device that answers every call as it is told. */
async function goneOn(content: string, answer: (call: SentFrame) => { type: string; ending: JsonObject }): Promise<FakeConnection> {
  const agent = relay.agent();
  demo(agent, { word: 0, step: 0 });
  await agent.start();
  const { home } = relay;
  home.emit('synced', { seq: 0 });
  const over = new AbortController();
  const tour = home.deliver('text', { content }).finally(() => over.abort());
  const answered = new Set<string>();
  while (!over.signal.aborted) {
    for (const call of [...home.of('tool.call'), ...home.of('lineup.v1.app.call')]) {
      if (answered.has(call.id)) continue;
      answered.add(call.id);
      const { type, ending } = answer(call);
      void home.deliver(type, { call_id: String(call.payload.call_id), ...ending });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await tour;
  return home;
}

const RESULTS: Record<string, JsonObject> = {
  choice: { message: 'At *the* door', selected: ['At *the* door'] },
  confirm: { message: 'confirmed', confirmed: true },
  input: { message: 'x', value: 'x' },
  calculator: { message: '42', value: 42 },
  canvas: { message: 'done', instance_id: 'inst_1', svg: '<svg><path/><path/></svg>' },
};

const agreeing = ({ type, payload }: SentFrame) =>
  type === 'tool.call'
    ? { type: 'tool.result', ending: { name: String(payload.name), result: RESULTS[String(payload.name)] ?? {} } }
    : { type: 'lineup.v1.app.result', ending: { status: 'completed', result: {} } };

const refusing = ({ type, payload }: SentFrame) =>
  type === 'tool.call'
    ? { type: 'tool.result', ending: { name: String(payload.name), error: { code: 'rejected', message: '' } } }
    : { type: 'lineup.v1.app.result', ending: { status: 'rejected', error: { code: 'rejected', message: '' } } };

const said = (home: FakeConnection) => home.of('text').map(({ payload }) => String(payload.content));

test.each([
  ['tour', TOUR_WORDS.en],
  ['导览', TOUR_WORDS.zh],
])('%s uses everything, with arguments that fit', async (asked, words) => {
  const home = await goneOn(asked, agreeing);
  const tools = home.of('tool.call').map(({ payload }) => payload);
  expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(Object.keys(TOOLS)));
  for (const { name, action, arguments: args } of tools) {
    const call = { name: String(name), action: String(action), arguments: args as JsonObject };
    expect(checkToolCall(call, Object.keys(TOOLS) as ToolName[])).toMatchObject({ ok: true });
  }
  const capabilities = home.of('lineup.v1.app.call').map(({ payload }) => payload);
  expect(capabilities.map(({ capability }) => capability)).toEqual(CAPABILITY_NAMES);
  for (const [i, { arguments: args }] of capabilities.entries()) {
    expect(checkCapability(CAPABILITY_NAMES[i]!, args as JsonObject)).toMatchObject({ ok: true });
  }
  const apps = home.of('lineup.v1.ui.open').map(({ payload }) => payload.app as JsonObject);
  expect(apps.map(({ id, js }) => [id, typeof js])).toEqual([
    ['com.lineup.demo.bell', 'string'],
    ['com.lineup.form', 'undefined'],
  ]);
  expect(said(home)).toContain(words.answered('At \\*the\\* door'));
  expect(said(home).slice(-2)).toEqual([words.canvas.closed(2), words.end]);
  expect(relay.problems).toEqual([]);
});

test('leaves its own surface closed, so that nothing still asks to be opened', async () => {
  const home = await goneOn('tour', refusing);
  const [opened] = home.of('lineup.v1.ui.open').map(({ payload }) => payload.instance_id);
  expect(home.of('lineup.v1.ui.close').map(({ payload }) => payload.instance_id)).toEqual([opened]);
});

test.each(['en', 'zh'] as const)('says beforehand that a device stops asking after two noes (%s)', (language) => {
  expect(TOUR_WORDS[language].begin).toMatch(/five minutes|五分钟/);
});

test('goes on to the end though everything is refused', async () => {
  const home = await goneOn('tour', refusing);
  const { en } = TOUR_WORDS;
  expect(said(home).filter((text) => text === en.unanswered.rejected)).toHaveLength(5 + CAPABILITY_NAMES.length);
  expect(said(home).at(-1)).toBe(en.end);
  expect(relay.problems).toEqual([]);
});
