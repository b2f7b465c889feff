import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from './answers.ts';
import { CallConflictError } from './calls.ts';
import type { Chat } from './chat.ts';
import { DEVICE, FakeRelay } from './testing/fake-relay.ts';

let relay: FakeRelay;
beforeEach(() => {
  relay = new FakeRelay();
});
afterEach(() => relay.dispose());

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

type Handler = (chat: Chat) => Promise<unknown>;
const whichColour: Handler = (chat) => chat.choice({ question: 'Which?', options: ['red', 'green'] });

/** A process whose handler of texts is the one given; what that returns or throws is collected. */
async function start(handler: Handler = whichColour) {
  const agent = relay.agent();
  const outcomes: unknown[] = [];
  agent.onText(async (chat) => {
    try {
      outcomes.push(await handler(chat));
    } catch (error) {
      outcomes.push(error);
      throw error;
    }
  });
  await agent.start();
  relay.home.emit('synced', { seq: 0 });
  return { agent, outcomes };
}

const GREEN = { result: { message: 'green', selected: ['green'] } };
const ANSWERED: Answer<unknown> = { status: 'completed', result: { message: 'green', selected: ['green'] } };
const result = (callId: string, ending: object = GREEN) => relay.home.deliver('tool.result', { name: 'choice', call_id: callId, ...ending });
const ask = () => relay.home.deliver('text', { content: 'ask' }, { id: 'm1' });
const asked = async (count = 1) => String((await relay.home.until('tool.call', count)).payload.call_id);

describe('a question in a handler', () => {
  test('is asked with what it is, and its answer comes back', async () => {
    const { outcomes } = await start();
    const done = ask();
    const callId = await asked();
    expect(relay.home.of('tool.call')).toEqual([
      {
        type: 'tool.call',
        id: callId,
        payload: { name: 'choice', action: 'select', call_id: callId, arguments: { question: 'Which?', options: ['red', 'green'] } },
      },
    ]);
    await Promise.all([result(callId), result(callId, { error: { code: 'expired', message: '' } })]);
    await done;
    expect(outcomes).toEqual([ANSWERED]);
    expect(relay.home.of('status').map(({ payload }) => payload.state)).toEqual(['thinking', 'waiting', 'working', 'idle']);
  });

  test('is asked by the next process under the same id, and answered there', async () => {
    const first = await start();
    void ask();
    const callId = await asked();
    await first.agent.close();
    const next = await start();
    const done = ask();
    expect(await asked()).toBe(callId);
    await result(callId);
    await done;
    expect([first.outcomes.length, next.outcomes]).toEqual([1, [ANSWERED]]);
  });

  test('whose answer came while its process died is not asked again', async () => {
    const first = await start();
    void ask();
    const callId = await asked();
    const handler = relay.home;
    await first.agent.close();
    await handler.deliver('tool.result', { name: 'choice', call_id: callId, ...GREEN });
    const next = await start();
    await ask();
    expect(next.outcomes).toEqual([ANSWERED]);
    expect(relay.home.of('tool.call')).toEqual([]);
  });

  test('whose answer is replayed before the message that asked it gets it, without any memory', async () => {
    const callId = await (async () => {
      const first = await start();
      const done = ask();
      const id = await asked();
      await result(id);
      await done;
      await first.agent.close();
      return id;
    })();
    const next = await start();
    await result(callId);
    await ask();
    expect(next.outcomes).toEqual([ANSWERED]);
  });

  test('lets the next message be handled meanwhile, which a restart does not repeat', async () => {
    let quick = 0;
    const handler = async (chat: Chat) => {
      if (relay.home.of('tool.call').length === 0) return whichColour(chat);
      quick += 1;
      return chat.say('quick');
    };
    const first = await start(handler);
    void ask();
    await asked();
    await relay.home.deliver('text', { content: 'another' }, { id: 'm2' });
    expect(quick).toBe(1);
    await first.agent.close();
    await start(handler);
    const done = ask();
    const callId = await asked();
    await relay.home.deliver('text', { content: 'another' }, { id: 'm2' });
    expect(quick).toBe(1);
    await result(callId);
    await done;
  });

  test('is taken back when the user presses stop', async () => {
    const { outcomes } = await start();
    const done = ask();
    const callId = await asked();
    await relay.home.deliver('run.cancel', {});
    await done;
    expect(outcomes).toMatchObject([{ name: 'Stopped' }]);
    expect((await relay.home.until('tool.cancel')).payload).toEqual({ call_id: callId });
    expect(relay.home.of('status').at(-1)?.payload.state).toBe('idle');
  });

  test.each([
    ['rejected', 'rejected'],
    ['cancelled', 'cancelled'],
    ['expired', 'expired'],
    ['unknown_tool', 'unsupported'],
    ['unknown_action', 'unsupported'],
    ['invalid_arguments', 'failed'],
    ['anything', 'failed'],
  ])('that ends with %s is %s', async (code, status) => {
    const { outcomes } = await start();
    const done = ask();
    await result(await asked(), { error: { code, message: 'why' } });
    await done;
    expect(outcomes).toEqual([{ status, code, message: 'why' }]);
  });

  test.each([{ result: { message: 'green' } }, { result: { message: 'green', selected: 'green' } }, {}])(
    'with the result %j has failed',
    async (ending) => {
      const { outcomes } = await start();
      const done = ask();
      await result(await asked(), ending);
      await done;
      expect(outcomes).toMatchObject([{ status: 'failed', code: 'invalid_result' }]);
    },
  );

  test.each(['too_many', 'call_id_conflict'])('that the relay refuses with %s has failed', async (code) => {
    const { outcomes } = await start();
    relay.home.refuses.set('tool.call', code);
    await ask();
    expect(outcomes).toMatchObject([{ status: 'failed', code }]);
    expect(relay.problems).toEqual([`the relay refused a tool.call: ${code}, ${code} it is`]);
  });
});

describe('a question with a name of its own', () => {
  const confirm = (question: string) => (chat: Chat) => chat.confirm({ question }, { callId: 'deploy-7', expiresInMs: 60_000 });
  const YES = { result: { message: 'confirmed', confirmed: true } };

  test('is asked once, also by another process, and its answer is kept', async () => {
    const first = relay.agent();
    await first.start();
    const asking = first.act(confirm('Deploy?'));
    const { payload } = await relay.home.until('tool.call');
    expect(Date.parse(String(payload.expires_at)) - Date.now()).toBeGreaterThan(50_000);
    await Promise.all([expect(asking).rejects.toThrow('closing'), first.close()]);

    const second = relay.agent();
    await second.start();
    const again = second.act(confirm('Deploy?'));
    expect((await relay.home.until('tool.call')).payload).toEqual(payload);
    await result('deploy-7', YES);
    await expect(again).resolves.toMatchObject({ status: 'completed', result: { confirmed: true } });
    await second.close();

    const third = relay.agent();
    await third.start();
    await expect(third.act(confirm('Deploy?'))).resolves.toMatchObject({ status: 'completed' });
    expect(relay.home.of('tool.call')).toEqual([]);
    await expect(third.act(confirm('Something else?'))).rejects.toThrow(CallConflictError);
  });

  test('can go to one device alone', async () => {
    const agent = relay.agent();
    await agent.start();
    const asking = agent.input({ question: 'Name?' }, { device: DEVICE });
    const { target, id } = await relay.home.until('tool.call');
    expect(target).toEqual({ kind: 'app', id: DEVICE });
    await result(id, { result: { message: 'Ada', value: 'Ada' } });
    await expect(asking).resolves.toMatchObject({ result: { value: 'Ada' } });
  });
});

describe('devices can do more', () => {
  async function agentAtHome() {
    const agent = relay.agent();
    await agent.start();
    return { agent, home: relay.home };
  }

  test('a capability is called, and its result read', async () => {
    const { agent, home } = await agentAtHome();
    const asking = agent.app.call('clipboard.write', { text: 'hi' }, 'You asked for it');
    const { payload, type } = await home.until('lineup.v1.app.call');
    expect([type, payload.capability, payload.reason]).toEqual(['lineup.v1.app.call', 'clipboard.write', 'You asked for it']);
    await home.deliver('lineup.v1.app.result', { call_id: payload.call_id ?? '', status: 'unsupported', error: { code: 'undeclared' } });
    await expect(asking).resolves.toEqual({ status: 'unsupported', code: 'undeclared', message: '' });
  });

  test('a canvas stays on the device that opened it', async () => {
    const { agent, home } = await agentAtHome();
    const opening = agent.canvas({ width: 100, height: 50 });
    await result((await home.until('tool.call')).id, { result: { message: 'instance_id: inst_1', instance_id: 'inst_1' } });
    const canvas = await opening;
    const drawing = canvas.draw({ path: 'M0 0 L9 9', color: 'red' });
    const draw = await home.until('tool.call', 2);
    expect(draw).toMatchObject({
      target: { kind: 'app', id: DEVICE },
      payload: { name: 'canvas', action: 'draw', arguments: { instance_id: 'inst_1', path: 'M0 0 L9 9', color: 'red' } },
    });
    await result(draw.id, { result: { message: 'drawn' } });
    await drawing;
    const failing = canvas.snapshot();
    await result((await home.until('tool.call', 3)).id, { error: { code: 'execution_error', message: 'no such board' } });
    await expect(failing).rejects.toThrow('no such board');
  });

  test('a surface is opened, changed, heard and closed', async () => {
    const heard: unknown[] = [];
    const agent = relay.agent();
    agent.onUiEvent(async (chat, { payload }) => {
      heard.push(payload.event);
      await chat.ui.of(payload.instance_id).patch({ count: 2 });
    });
    await agent.start();
    const { home } = relay;
    home.emit('synced', { seq: 0 });
    const app = { id: 'com.example.counter', name: 'Counter', version: '1.0.0', html: '<p>' };
    const surface = await agent.ui.open(app, { count: 1 }, { instanceId: 'counter' });
    expect(home.of('lineup.v1.ui.open')[0]?.payload).toEqual({ instance_id: 'counter', app, state: { count: 1 } });
    await home.deliver('lineup.v1.ui.event', { instance_id: 'counter', event: 'more', data: {} });
    expect(heard).toEqual(['more']);
    expect(home.of('lineup.v1.ui.patch')[0]?.payload).toEqual({ instance_id: 'counter', state: { count: 2 } });
    await surface.close('done');
    expect(home.of('lineup.v1.ui.close')[0]?.payload).toEqual({ instance_id: 'counter', reason: 'done' });
  });

  test('they declare it', async () => {
    const { agent, home } = await agentAtHome();
    home.welcome();
    const capability = { name: 'clipboard.write', version: '1', risk: 'user_confirmation' };
    await home.deliver('lineup.v1.client.inventory', { revision: 'r1', standard_components: [], applications: [], capabilities: [capability] });
    await expect(agent.inventory()).resolves.toMatchObject([{ id: DEVICE, inventory: { revision: 'r1', capabilities: [capability] } }]);
    await home.deliver('lineup.v1.app.list', { capabilities: [] });
    await expect(agent.inventory()).resolves.toMatchObject([{ inventory: { revision: 'r1', capabilities: [] } }]);
  });
});

test('what the agent says unasked can be a stream, and leaves no status behind', async () => {
  const agent = relay.agent();
  await agent.start();
  await agent.say(
    (async function* () {
      yield 'one ';
      await soon();
      yield 'two';
    })(),
  );
  expect(relay.home.of('text')[0]?.payload.content).toBe('one two');
  expect(relay.home.of('status').map(({ payload }) => payload.state)).toEqual(['working', 'idle']);
});
