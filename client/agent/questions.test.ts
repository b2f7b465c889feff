import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeRelay } from './testing/fake-relay.ts';

let relay: FakeRelay;
beforeEach(() => {
  relay = new FakeRelay();
});
afterEach(() => relay.dispose());

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('questions', () => {
  function asking() {
    const agent = relay.agent();
    const answers: unknown[] = [];
    const colour = agent.choice('colour', async (chat, answer, note) => {
      answers.push({ answer, note });
      await chat.say('thanks');
    });
    agent.onText((chat) => chat.ask(colour, { question: 'Which?', options: ['red', 'green'] }, { asked: 'today' }));
    return { agent, answers };
  }
  async function asked() {
    const { agent, answers } = asking();
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'ask' }, { id: 'm1' });
    const [call] = relay.home.of('tool.call');
    return { agent, answers, callId: String(call?.payload.call_id) };
  }
  const result = (callId: string, ending: object = { result: { message: 'green', selected: ['green'] } }) =>
    relay.home.deliver('tool.result', { name: 'choice', action: 'select', call_id: callId, ...ending });

  test('are asked with what they are', async () => {
    const { callId } = await asked();
    const [call] = relay.home.of('tool.call');
    expect(call).toEqual({
      type: 'tool.call',
      id: callId,
      payload: { name: 'choice', action: 'select', call_id: callId, arguments: { question: 'Which?', options: ['red', 'green'] } },
    });
  });

  test('are answered once, however often the result comes', async () => {
    const { answers, callId } = await asked();
    await Promise.all([result(callId), result(callId)]);
    await result(callId);
    expect(answers).toEqual([{ answer: { status: 'completed', result: { message: 'green', selected: ['green'] } }, note: { asked: 'today' } }]);
  });

  test('are answered in the next process, with the note of the one that asked', async () => {
    const { agent, callId } = await asked();
    await agent.close();
    const next = asking();
    await next.agent.start();
    await result(callId);
    expect(next.answers).toEqual([{ answer: { status: 'completed', result: { message: 'green', selected: ['green'] } }, note: { asked: 'today' } }]);
    const third = asking();
    await third.agent.start();
    await result(callId);
    expect(third.answers).toEqual([]);
  });

  test.each([
    ['rejected', 'rejected'],
    ['cancelled', 'cancelled'],
    ['expired', 'expired'],
    ['unknown_tool', 'unsupported'],
    ['unknown_action', 'unsupported'],
    ['invalid_arguments', 'failed'],
    ['anything', 'failed'],
  ])('that end with %s are %s', async (code, status) => {
    const { answers, callId } = await asked();
    await result(callId, { error: { code, message: 'why' } });
    expect(answers).toMatchObject([{ answer: { status, code, message: 'why' } }]);
  });

  test.each([{ result: { message: 'green' } }, { result: { message: 'green', selected: 'green' } }, {}])(
    'with the result %j have failed',
    async (ending) => {
      const { answers, callId } = await asked();
      await result(callId, ending);
      expect(answers).toMatchObject([{ answer: { status: 'failed', code: 'invalid_result' } }]);
    },
  );

  test('that the relay refuses are answered as failed', async () => {
    const { agent, answers } = asking();
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    relay.home.refuses.set('tool.call', 'too_many');
    await relay.home.deliver('text', { content: 'ask' });
    await expect.poll(() => answers).toMatchObject([{ answer: { status: 'failed', code: 'too_many' } }]);
    expect(relay.problems).toEqual(['the relay refused a tool.call: too_many, too_many it is']);
  });

  test('that were asked before with other words keep waiting for their answer', async () => {
    const { agent, answers } = asking();
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    relay.home.refuses.set('tool.call', 'call_id_conflict');
    await relay.home.deliver('text', { content: 'ask' });
    await soon();
    expect(answers).toEqual([]);
    await result(String(relay.home.of('tool.call')[0]?.payload.call_id));
    expect(answers).toHaveLength(1);
  });

  test('of others are none of our business', async () => {
    const { answers } = await asked();
    await result('a_call_of_another_door');
    expect(answers).toEqual([]);
    expect(relay.home.of('text')).toEqual([]);
  });

  test('have each a name of its own', () => {
    const agent = relay.agent();
    agent.confirm('same', () => undefined);
    expect(() => agent.input('same', () => undefined)).toThrow('"same" exists already');
  });
});
