import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AGENT, FakeRelay, HOME, type FakeConnection } from './testing/fake-relay.ts';

let relay: FakeRelay;
beforeEach(() => {
  relay = new FakeRelay();
});
afterEach(() => relay.dispose());

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

/** An agent that echoes, started and welcomed. */
async function echo(): Promise<FakeConnection> {
  const agent = relay.agent();
  agent.onText((chat, { payload }) => chat.say(payload.content).then(() => undefined));
  await agent.start();
  relay.home.emit('synced', { seq: 0 });
  return relay.home;
}

describe('texts', () => {
  test('are answered one after the other, with a state around each', async () => {
    const home = await echo();
    await Promise.all([home.deliver('text', { content: 'one' }), home.deliver('text', { content: 'two' })]);
    const told = home.sent.map(({ type, payload }) => payload.content ?? payload.state ?? type);
    expect(told).toEqual(['thinking', 'one', 'idle', 'thinking', 'two', 'idle']);
    const [first, , , second] = home.of('status');
    expect(first?.payload.run_id).toMatch(/^run_/);
    expect(second?.payload.run_id).not.toBe(first?.payload.run_id);
  });

  test('get the same ids when another process handles them again', async () => {
    const before = await echo();
    await before.deliver('text', { content: 'hello' }, { id: 'm1' });
    const after = await echo();
    await after.deliver('text', { content: 'hello' }, { id: 'm1' });
    expect(after.of('text')).toEqual(before.of('text'));
    await after.deliver('text', { content: 'hello' }, { id: 'm1', sender: { kind: 'app', id: `dv_${'e'.repeat(20)}` } });
    expect(after.of('text')[1]?.id).not.toBe(after.of('text')[0]?.id);
  });

  test('that fail are told to the user, and the next one is handled', async () => {
    const agent = relay.agent();
    agent.onText(async (chat, { payload }) => {
      if (payload.content === 'bad') throw new Error('the reason');
      await chat.say('fine');
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'bad' });
    expect(relay.home.of('error')[0]?.payload).toMatchObject({ code: 'agent_error', retryable: true });
    expect(relay.home.of('status').at(-1)?.payload.state).toBe('error');
    expect(relay.problems).toEqual(['a handler failed: the reason']);
    await relay.home.deliver('text', { content: 'good' });
    expect(relay.home.of('text')[0]?.payload.content).toBe('fine');
  });

  test('whose answer another process has said otherwise are not answered twice', async () => {
    const home = await echo();
    await home.deliver('text', { content: 'hello' }, { id: 'm1' });
    const [said] = home.of('text');
    const again = await echo();
    again.sent.push({ type: 'text', id: said!.id, payload: { content: 'said before' } });
    await again.deliver('text', { content: 'hello' }, { id: 'm1' });
    expect(again.of('error')).toEqual([]);
    expect(relay.problems).toEqual([]);
  });

  test('that are sealed are left alone', async () => {
    const home = await echo();
    await home.deliver('text', { sealed: 'eyJ..' });
    expect(home.sent).toEqual([]);
  });

  test('of a long absence without memory are answered from the last own message on', async () => {
    const agent = relay.agent();
    agent.onText((chat, { payload }) => chat.say(payload.content).then(() => undefined));
    await agent.start();
    const { home } = relay;
    const old = home.deliver('text', { content: 'answered long ago' });
    await home.deliver('text', { content: 'the answer' }, { sender: { kind: 'agent', id: AGENT } });
    const fresh = home.deliver('text', { content: 'still open' });
    await old;
    await soon();
    expect(home.sent).toEqual([]);
    home.emit('synced', { seq: 3 });
    await fresh;
    expect(home.of('text').map(({ payload }) => payload.content)).toEqual(['still open']);
  });

  test('with a memory are answered as they come', async () => {
    await relay.agent().start();
    writeFileSync(join(relay.state, AGENT, HOME, 'cursor.json'), '{"epoch":"e","seq":3}');
    const agent = relay.agent();
    agent.onText((chat, { payload }) => chat.say(payload.content).then(() => undefined));
    await agent.start();
    await relay.home.deliver('text', { content: 'hello' });
    expect(relay.home.of('text')).toHaveLength(1);
  });
});

describe('stop', () => {
  async function streaming(words = ['one ', 'two ']): Promise<FakeConnection> {
    const agent = relay.agent();
    agent.onText(async (chat, { payload }) => {
      await chat.say(
        (async function* () {
          yield* payload.content === 'slow' ? words : [`answer to ${payload.content}`];
          if (payload.content === 'slow') await new Promise(() => undefined);
        })(),
      );
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    return relay.home;
  }

  test('ends a stream and keeps what was there', async () => {
    const home = await streaming();
    const done = home.deliver('text', { content: 'slow' });
    const delta = await home.until('text.delta');
    await home.deliver('run.cancel', {});
    await done;
    const [text] = home.of('text');
    expect(text).toMatchObject({ id: delta.payload.message_id, payload: { content: 'one two ' } });
    expect(home.of('status').at(-1)?.payload.state).toBe('idle');
    expect(home.of('error')).toEqual([]);
  });

  test('by run_id ends that run alone', async () => {
    const home = await streaming();
    const first = home.deliver('text', { content: 'slow' });
    const second = home.deliver('text', { content: 'two' });
    await home.until('text.delta');
    await home.deliver('run.cancel', { run_id: 'run_of_another' });
    await home.deliver('run.cancel', { run_id: String(home.of('status')[0]?.payload.run_id) });
    await Promise.all([first, second]);
    expect(home.of('text').map(({ payload }) => payload.content)).toEqual(['one two ', 'answer to two']);
  });

  test('without a run_id ends everything that was asked before, and nothing that is asked later', async () => {
    const home = await streaming();
    const before = [home.deliver('text', { content: 'slow' }), home.deliver('text', { content: 'two' })];
    await home.until('text.delta');
    await home.deliver('run.cancel', {});
    await Promise.all([...before, home.deliver('text', { content: 'three' })]);
    expect(home.of('text').map(({ payload }) => payload.content)).toEqual(['one two ', 'answer to three']);
  });

  test('of a stream that has said nothing says nothing', async () => {
    const home = await streaming([]);
    const done = home.deliver('text', { content: 'slow' });
    await home.until('status', 2);
    await home.deliver('run.cancel', {});
    await done;
    expect(home.of('text')).toEqual([]);
  });

  test('is not the end of the process: what was in the middle is begun again by the next', async () => {
    const agent = relay.agent();
    agent.onText(async (chat) => {
      await chat.say(
        (async function* () {
          yield 'half ';
          await new Promise(() => undefined);
        })(),
      );
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    let isDone = false;
    void relay.home.deliver('text', { content: 'x' }).then(() => (isDone = true));
    await relay.home.until('text.delta');
    await agent.close();
    await soon();
    expect(relay.home.of('text')).toEqual([]);
    expect(isDone).toBe(false);
    await expect(agent.ended).resolves.toBe('closed');
  });
});
