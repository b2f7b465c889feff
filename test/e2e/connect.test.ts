/** `lineup connect` as a process, with an agent made by the official SDK of the Agent Client Protocol as its child, a real relay and a scripted phone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RelayHttp, type Enrolled } from '../../client/core/http.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { LineUpProcess, Phone, WAIT_MS } from './home-world.ts';

const relay = new RelayProcess();
beforeAll(() => relay.start());
afterAll(() => relay.dispose());

let enrolled: Enrolled;
let phone: Phone;
let lineup: LineUpProcess;
beforeEach(async () => {
  enrolled = await RelayHttp.enrol(relay.origin, OWNER_KEY, { name: 'Fixture' });
  lineup = new LineUpProcess(relay.origin, enrolled);
  phone = await Phone.pair(relay.origin, enrolled);
});
afterEach(async () => {
  await phone.connection.close();
  await lineup.dispose();
});

describe('a conversation with an agent', () => {
  test('streams its answer, its tool calls are events, its plan and thoughts are the status', async () => {
    lineup.connect();
    await phone.say('work');
    await phone.untilText('Second part comes slowly.');
    expect(phone.texts).toEqual(['First part.', 'Second part comes slowly.']);
    const second = phone.of('text').find(({ payload }) => payload.content.startsWith('Second'))!;
    const deltas = phone.of('text.delta').filter(({ payload }) => payload.message_id === second.id);
    expect(deltas.length).toBeGreaterThan(0);
    // What came last may have come with the finished text alone.
    expect('Second part comes slowly.'.startsWith(deltas.map(({ payload }) => payload.delta).join(''))).toBe(true);
    expect(phone.of('agent.event').map(({ payload }) => [payload.event, payload.data.title])).toEqual([
      ['agent:toolCallStart', 'Read tests'],
      ['agent:toolCallEnd', 'Read tests'],
    ]);
    await phone.until('status', ({ state }) => state === 'idle');
    expect(phone.of('status').map(({ payload }) => payload.detail)).toContain('Read tests');
  });

  test('what the agent says between two prompts is said too', async () => {
    lineup.connect();
    await phone.say('background');
    await phone.untilText('By the way, it is done.');
    expect(phone.texts).toEqual(['I go on in the background.', 'By the way, it is done.']);
    expect(phone.of('status').at(-1)?.payload.state).toBe('idle');
  });

  test('what the agent prints on stderr reaches the terminal and never the phone', async () => {
    lineup.connect('--chatty');
    await phone.say('hello');
    await phone.untilText('heard:');
    expect(lineup.output).toContain('a line on stderr');
    expect(lineup.output).toContain('Welcome to the fixture!');
    expect(JSON.stringify(phone.frames)).not.toMatch(/stderr|Welcome/);
  });

  test('several conversations are several sessions', async () => {
    lineup.connect();
    const { conversation_id } = await phone.http.createConversation('Another');
    const other = await Phone.pair(relay.origin, enrolled, conversation_id);
    await phone.say('one');
    await other.say('two');
    await phone.untilText('| one');
    const { payload } = await other.untilText('| two');
    expect(payload.content).not.toContain('one');
    await phone.say('three');
    await phone.untilText('| one | three');
    await other.connection.close();
  });

  test('two conversations are answered at the same time', async () => {
    lineup.connect();
    const { conversation_id } = await phone.http.createConversation('Another');
    const other = await Phone.pair(relay.origin, enrolled, conversation_id);
    await phone.say('long');
    await phone.until('text.delta');
    await other.say('quick');
    await other.untilText('heard:');
    expect(phone.texts).toEqual([]);
    await phone.connection.send('run.cancel', {});
    await phone.untilText('0 1 2');
    await other.connection.close();
  });

  test.each([['--resume'], ['--load']])('a session is taken up again by the next process with %s', async (flag) => {
    lineup.connect(flag);
    await phone.say('first');
    await phone.untilText('| first');
    expect(await lineup.end('SIGTERM')).toBe(0);
    lineup.connect(flag);
    await phone.say('second');
    await phone.untilText('| first | second');
    expect(JSON.stringify(phone.texts)).not.toContain('REPLAYED');
    expect(phone.of('error')).toEqual([]);
  });

  test('an agent that keeps no sessions says that it has forgotten', async () => {
    lineup.connect();
    await phone.say('first');
    await phone.untilText('| first');
    await lineup.end('SIGTERM');
    lineup.connect();
    await phone.say('second');
    await phone.until('error', ({ code }) => code === 'session_lost');
    const { payload } = await phone.untilText('| second');
    expect(payload.content).not.toContain('first');
  });

  test.each([
    ['--images', '[image]'],
    ['--no-images', '[resource_link]'],
  ])('an image reaches the agent with %s as %s', async (flag, block) => {
    lineup.connect(flag);
    const { file_id, url } = await phone.http.upload(enrolled.conversation_id, new Uint8Array([137, 80, 78, 71]), 'image/png');
    await phone.connection.send('image', { file_id, url, caption: 'What is this?' });
    await phone.untilText(`| What is this? ${block}`);
  });
});

describe('what the agent asks', () => {
  test.each([
    ['agreed to', { message: 'confirmed', confirmed: true }, 'outcome: yes'],
    ['declined', { message: 'declined', confirmed: false }, 'outcome: no'],
  ])('a permission that is %s', async (_, result, outcome) => {
    lineup.connect();
    await phone.say('permission');
    const call = await phone.untilAsked('confirm', 'rm -rf build');
    expect(call.payload.arguments).toEqual({ question: 'rm -rf build', confirm_label: 'Allow', cancel_label: 'Reject', danger: true });
    await phone.answer(call, result);
    await phone.untilText(outcome);
    expect(phone.of('agent.event').map(({ payload }) => payload.data.output)).toEqual([undefined, 'removed']);
  });

  test('a permission with more options is a choice, and one that is dismissed is cancelled', async () => {
    lineup.connect();
    await phone.say('permission always');
    const call = await phone.untilAsked('choice');
    expect(call.payload.arguments.options).toEqual(['Allow', 'Always allow', 'Reject']);
    await phone.answer(call, { message: 'Always allow', selected: ['Always allow'] });
    await phone.untilText('outcome: always');
    await phone.say('permission');
    await phone.dismiss(await phone.untilAsked('confirm'));
    await phone.untilText('outcome: cancelled');
  });

  test('a form is asked field by field, and an answer that does not fit is asked for again', async () => {
    lineup.connect();
    await phone.say('form');
    const city = await phone.untilAsked('choice', 'City');
    expect(city.payload.arguments).toEqual({ question: 'Your trip\n\nCity', options: ['Berlin', 'Paris'] });
    await phone.answer(city, { message: 'Paris', selected: ['Paris'] });
    await phone.answer(await phone.untilAsked('input', 'Nights'), { message: 'many', value: 'many' });
    await phone.answer(await phone.untilAsked('input', '"many" is no number.'), { message: '3', value: '3' });
    await phone.answer(await phone.untilAsked('input', 'Name'), { message: 'Ada', value: 'Ada' });
    await phone.dismiss(await phone.untilAsked('confirm', 'Breakfast'));
    const extras = await phone.untilAsked('choice', 'Extras');
    expect(extras.payload.arguments.multiple).toBe(true);
    await phone.answer(extras, { message: 'bike, sauna', selected: ['bike', 'sauna'] });
    const { payload } = await phone.untilText('form: ');
    expect(JSON.parse(payload.content.slice('form: '.length))).toEqual({
      action: 'accept',
      content: { city: 'par', nights: 3, name: 'Ada', extras: ['bike', 'sauna'] },
    });
  });

  test('a form whose first question is dismissed is declined', async () => {
    lineup.connect();
    await phone.say('form');
    await phone.dismiss(await phone.untilAsked('choice', 'City'));
    await phone.untilText('form: {"action":"decline"}');
  });

  test('stop while it asks: the question goes, the agent is told, and the next prompt is answered', async () => {
    lineup.connect();
    await phone.say('permission');
    const call = await phone.untilAsked('confirm');
    await phone.connection.send('run.cancel', {});
    await expect.poll(() => phone.settled, { timeout: WAIT_MS }).toMatchObject([{ call_id: call.payload.call_id, status: 'cancelled' }]);
    await phone.say('hello');
    await phone.untilText('| permission | hello');
  });

  test('a question whose asker is gone is taken back by the next process', async () => {
    lineup.connect();
    await phone.say('permission');
    const call = await phone.untilAsked('confirm');
    await lineup.end('SIGKILL');
    lineup.connect();
    await expect.poll(() => phone.settled, { timeout: WAIT_MS }).toMatchObject([{ call_id: call.payload.call_id, status: 'cancelled' }]);
    await phone.until('error', ({ code }) => code === 'agent_interrupted');
  });
});

describe('stop and failure', () => {
  test('stop ends the answer, and what was there stays', async () => {
    lineup.connect();
    await phone.say('long');
    await phone.until('text.delta', ({ offset }) => offset > 20);
    await phone.connection.send('run.cancel', {});
    const { payload } = await phone.untilText('0 1 2 3');
    expect(payload.content.length).toBeLessThan(2_000);
    await phone.until('status', ({ state }) => state === 'idle');
    expect(phone.of('error')).toEqual([]);
  });

  test('an agent that dies in mid-prompt: what it said stays, the user is told, and it is started again', async () => {
    lineup.connect('--resume');
    await phone.say('die');
    await phone.until('error', ({ code, message }) => code === 'agent_error' && message.includes('exit code 7'));
    expect(phone.texts).toEqual(['Just a mom']);
    await phone.say('hello');
    await phone.untilText('| die | hello');
  });

  test('a prompt that was at the agent when lineup was killed is not done twice, and the user is told', async () => {
    lineup.connect('--resume');
    await phone.say('long');
    await phone.until('text.delta');
    await phone.say('after');
    await lineup.end('SIGKILL');
    lineup.connect('--resume');
    await phone.until('error', ({ code }) => code === 'agent_interrupted');
    const { payload } = await phone.untilText('| after');
    expect(payload.content.match(/long/g)).toHaveLength(1);
  });

  test('a prompt that was answered just before lineup was killed is not given again', async () => {
    lineup.connect('--resume');
    await phone.say('once');
    await phone.untilText('| once');
    await lineup.end('SIGKILL');
    lineup.connect('--resume');
    await phone.say('after');
    const { payload } = await phone.untilText('| after');
    expect(payload.content.match(/once/g)).toHaveLength(1);
    expect(phone.texts).toHaveLength(2);
  });

  test('garbage on stdout and errors of the agent do no harm', async () => {
    lineup.connect();
    await phone.say('garbage');
    await phone.untilText('still here');
    await phone.say('fail');
    await phone.until('error', ({ message }) => message.includes('the model is overloaded'));
    await phone.say('refuse');
    await phone.until('error', ({ code }) => code === 'agent_refusal');
    expect(lineup.output).toContain('npm WARN something');
    expect(JSON.stringify(phone.frames)).not.toContain('npm WARN');
  });

  test('an agent that wants to be signed in says so on the phone', async () => {
    lineup.connect('--signed-out');
    await phone.say('hello');
    await phone.until('error', ({ message }) => message.includes('run "fixture login"'));
  });

  test('a program that is not there: one line, exit code 8, and the phone knows', async () => {
    lineup.start('connect', '--', 'no-such-agent-anywhere', '--acp');
    expect(await lineup.exit()).toBe(8);
    expect(lineup.output.match(/^lineup: .*no program "no-such-agent-anywhere".*$/gm)).toHaveLength(1);
    expect(lineup.output).not.toContain('at ');
    await phone.until('error', ({ code, message }) => code === 'agent_unusable' && message.includes('no-such-agent-anywhere'));
  });

  test('a program that is no agent: it is tried a few times, then given up', async () => {
    lineup.start('connect', '--', process.execPath, '-e', 'console.log("hi"); process.exit(3)');
    expect(await lineup.exit()).toBe(8);
    expect(lineup.output).toContain('ended before it was ready, 5 times (exit code 3)');
    await phone.until('error', ({ code }) => code === 'agent_unusable');
  });

  test('an agent of another version is not used', async () => {
    lineup.connect('--future');
    expect(await lineup.exit()).toBe(8);
    expect(lineup.output).toContain('speaks version 99');
  });

  test('two connects at once: the newer one goes on, the older one says why it ends', async () => {
    lineup.connect();
    await lineup.until('online');
    const second = new LineUpProcess(relay.origin, enrolled);
    second.connect();
    expect(await lineup.exit()).toBe(4);
    expect(lineup.output).toContain('another process of this agent');
    await phone.say('hello');
    await phone.untilText('heard:');
    await second.dispose();
  });

  test('two connects of one folder: the second one says who runs, and leaves the first alone', async () => {
    lineup.connect('--resume');
    await lineup.until('online');
    const first = lineup.child;
    lineup.connect('--resume');
    expect(await lineup.exit()).toBe(4);
    expect(lineup.output.match(/^lineup: this agent runs already \(process \d+.*$/gm)).toHaveLength(1);
    lineup.child = first;
    await phone.say('hello');
    await phone.untilText('heard:');
  });

  test('a relay that is away while the agent works: nothing of either side is lost, or said twice', async () => {
    lineup.connect();
    await phone.say('work');
    await phone.until('text.delta');
    await relay.end('SIGKILL');
    await lineup.until('offline');
    const said = phone.say('while it was away');
    await relay.start();
    await said;
    await phone.untilText('| while it was away');
    expect(phone.texts.slice(0, 2)).toEqual(['First part.', 'Second part comes slowly.']);
    expect(phone.texts).toHaveLength(3);
    expect(phone.of('error')).toEqual([]);
  });

  test('a wrong token ends it with one line', async () => {
    const stranger = new LineUpProcess(relay.origin, { ...enrolled, token: `${enrolled.token.slice(0, -8)}AAAAAAAA` });
    stranger.connect();
    expect(await stranger.exit()).toBe(3);
    expect(stranger.output.match(/^lineup: the relay does not take this token.*$/gm)).toHaveLength(1);
    await stranger.dispose();
  });

  test('nothing of ours reaches the environment of the agent', async () => {
    lineup.start('connect', '--', process.execPath, '-e', 'require("fs").writeFileSync(process.env.FIXTURE_SESSIONS, JSON.stringify(process.env))');
    await lineup.until('ended');
    const env = readFileSync(join(lineup.state, 'fixture.json'), 'utf8');
    expect(env).not.toContain('LINEUP_');
    expect(env).not.toContain(enrolled.token.slice(-30));
  });
});
