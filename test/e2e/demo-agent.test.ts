/** `lineup demo` as a process against a relay as a process, with a scripted device: everything that a person can try, and everything that can break meanwhile. */
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isMessage } from '../../client/core/frames.ts';
import { RelayHttp, type Enrolled } from '../../client/core/http.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { LineUpProcess, Phone, WAIT_MS } from './home-world.ts';

const relay = new RelayProcess();
beforeAll(() => relay.start());
afterAll(() => relay.dispose());

let agent: Enrolled;
let demo: LineUpProcess;
let phone: Phone;

/** Starts the demo agent (again); resolves when it is online. */
async function run(process: LineUpProcess): Promise<void> {
  process.output = '';
  process.start('demo');
  await process.until('online');
}

beforeEach(async () => {
  agent = await RelayHttp.enrol(relay.origin, OWNER_KEY, { name: 'Demo' });
  demo = new LineUpProcess(relay.origin, agent);
  await run(demo);
  phone = await Phone.pair(relay.origin, agent);
});
afterEach(async () => {
  await phone.connection.close();
  await demo.dispose();
});

describe('what a person can try', () => {
  test('a greeting for the new device alone, once, also after a restart', async () => {
    const greeting = await phone.untilText('Hello, Phone!');
    expect(greeting.target).toEqual({ kind: 'app', id: phone.id });
    await demo.end('SIGKILL');
    await run(demo);
    await phone.say('edit');
    await phone.until('text.edit');
    expect(phone.of('text').filter(({ payload }) => payload.content.includes('Hello'))).toHaveLength(1);
  });

  test('a text is answered as a stream that becomes one message', async () => {
    await phone.say('Grüße 👋 & *stars*');
    const text = await phone.untilText('> Grüße 👋 & \\*stars\\*');
    const deltas = phone.of('text.delta').filter(({ payload }) => payload.message_id === text.id);
    expect(deltas.length).toBeGreaterThan(2);
    let content = '';
    for (const { payload } of deltas) {
      expect(payload.offset).toBe(content.length);
      content += payload.delta;
    }
    expect(text.payload.content.startsWith(content)).toBe(true);
    await phone.until('status', ({ state }) => state === 'idle');
    const states = phone.of('status').slice(-3);
    expect(states.map(({ payload }) => payload.state)).toEqual(['thinking', 'working', 'idle']);
    expect(new Set(states.map(({ payload }) => payload.run_id)).size).toBe(1);
  });

  test('choice, confirm and input, each with what was answered', async () => {
    await phone.say('选择');
    await phone.answer(await phone.until('tool.call', ({ name }) => name === 'choice'), { message: '绿色', selected: ['绿色'] });
    await phone.untilText('你选了**绿色**');
    await phone.say('confirm');
    await phone.answer(await phone.until('tool.call', ({ name }) => name === 'confirm'), { message: 'declined', confirmed: false });
    await phone.untilText('the plants stay dry');
    await phone.say('input');
    await phone.answer(await phone.until('tool.call', ({ name }) => name === 'input'), { message: 'Ada', value: 'Ada' });
    await phone.untilText('Nice to meet you, **Ada**');
  });

  test('an image and a file that can be fetched', async () => {
    await phone.say('image');
    const image = await phone.until('image');
    const png = await phone.http.download(agent.conversation_id, image.payload.file_id ?? '');
    expect(png.type).toBe('image/png');
    expect(
      Buffer.from(await png.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    await phone.say('file');
    const { payload } = await phone.until('file');
    const csv = await phone.http.download(agent.conversation_id, payload.file_id);
    expect([payload.name, payload.size, (await csv.text()).split('\n')[0]]).toEqual(['weather.csv', csv.size, 'city,temperature_c,wind_kmh']);
  });

  test('markdown, edit, error, progress and tools', async () => {
    phone.connection.on('message', (frame) => {
      if (isMessage(frame, 'tool.list')) void phone.connection.send('tool.list', { tools: [{ name: 'choice', type: 'action' }], reply_to: frame.id });
    });
    for (const word of ['markdown', 'edit', 'error', 'progress', 'tools']) await phone.say(word);
    await phone.untilText('| city | °C | wind |');
    const edit = await phone.until('text.edit');
    expect(phone.of('text').find(({ id }) => id === edit.payload.message_id)?.payload.content).toContain('Tuesday');
    await phone.until('error', ({ code }) => code === 'demo_error');
    await phone.untilText('all three steps');
    expect(phone.of('progress').map(({ payload }) => payload.percent)).toContain(100);
    await phone.untilText('| Phone | choice |');
  });

  test('stop: the long answer ends, and what was there stays', async () => {
    await phone.say('long');
    await phone.until('text.delta', ({ offset }) => offset > 100);
    const working = await phone.until('status', ({ state }) => state === 'working');
    const { run_id } = working.payload;
    await phone.connection.send('run.cancel', run_id === undefined ? {} : { run_id });
    const text = await phone.untilText('**1.**');
    expect(text.payload.content.length).toBeLessThan(3_000);
    await phone.until('status', (status) => status.state === 'idle' && status.run_id === run_id);
  });

  test('a second conversation, made while the agent runs, and one made while it was away', async () => {
    for (const isAway of [false, true]) {
      if (isAway) await demo.end('SIGTERM');
      const { conversation_id } = await phone.http.createConversation('Another');
      const other = await Phone.pair(relay.origin, agent, conversation_id);
      await other.say('help');
      if (isAway) await run(demo);
      await other.untilText('I am the **demo agent**');
      await other.connection.close();
    }
    expect(phone.of('text').filter(({ payload }) => payload.content.includes('I am the'))).toEqual([]);
  });
});

describe('what can break', () => {
  test('a question outlives the process that asked it', async () => {
    await phone.say('选择');
    const call = await phone.until('tool.call');
    await demo.end('SIGKILL');
    await phone.answer(call, { message: '蓝色', selected: ['蓝色'] });
    await run(demo);
    await phone.untilText('你选了**蓝色**');
    await demo.end('SIGKILL');
    await run(demo);
    await phone.say('edit');
    await phone.until('text.edit');
    expect(phone.of('tool.call')).toHaveLength(1);
    expect(phone.of('text').filter(({ payload }) => payload.content.includes('你选了'))).toHaveLength(1);
  });

  test('a process that dies while it streams: the next one says it, once', async () => {
    await phone.say('long');
    const delta = await phone.until('text.delta', ({ offset }) => offset > 100);
    await demo.end('SIGKILL');
    await run(demo);
    await phone.until('text.delta', ({ offset }) => offset > 300);
    await phone.connection.send('run.cancel', {});
    const text = await phone.untilText('**1.**');
    expect(text.id).toBe(delta.payload.message_id);
  });

  test('an agent whose memory is lost takes its questions back, and answers nothing twice', async () => {
    await phone.say('markdown');
    await phone.untilText('# A heading');
    await phone.say('choice');
    const call = await phone.until('tool.call');
    await demo.end('SIGTERM');
    rmSync(demo.state, { recursive: true });
    await run(demo);
    await expect.poll(() => phone.settled, { timeout: WAIT_MS }).toMatchObject([{ call_id: call.payload.call_id, status: 'cancelled' }]);
    await phone.say('edit');
    await phone.until('text.edit');
    expect(phone.of('text').filter(({ payload }) => payload.content.includes('# A heading'))).toHaveLength(1);
  });

  test('a relay that is killed in the middle of everything', async () => {
    await phone.say('choice');
    const call = await phone.until('tool.call');
    await phone.say('long');
    await phone.until('text.delta', ({ offset }) => offset > 100);
    await relay.end('SIGKILL');
    await expect.poll(() => demo.output, { timeout: WAIT_MS }).toContain('offline');
    const answered = phone.answer(call, { message: 'Red', selected: ['Red'] });
    await relay.start();
    await answered;
    // Whoever was away gets the whole text so far.
    await phone.until('text.delta', ({ offset, delta }) => offset === 0 && delta.length > 100);
    await phone.connection.send('run.cancel', {});
    await phone.untilText('**1.**');
    // The answer was asked for before stop was pressed, too.
    expect(phone.of('tool.call')).toHaveLength(1);
  });

  test('a token that no longer works ends it with one line', async () => {
    const owner = { authorization: `Bearer ${OWNER_KEY}` };
    await fetch(`${relay.origin}/v1/agents/${agent.agent_id}/token`, { method: 'POST', headers: owner });
    await expect.poll(() => demo.child?.exitCode, { timeout: WAIT_MS }).toBe(3);
    expect(demo.output).toContain('does not take this token any more');
    expect(demo.output).not.toContain(agent.token.slice(0, 40));
  });

  test('a second process of the same agent ends the first', async () => {
    const second = new LineUpProcess(relay.origin, agent);
    await run(second);
    await expect.poll(() => demo.child?.exitCode, { timeout: WAIT_MS }).toBe(4);
    await phone.say('edit');
    await phone.until('text.edit');
    expect(await second.end('SIGTERM')).toBe(0);
    await second.dispose();
  });
});
