import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEVICE, FakeRelay, HOME } from './testing/fake-relay.ts';

let relay: FakeRelay;
beforeEach(() => {
  relay = new FakeRelay();
});
afterEach(() => relay.dispose());

const OTHER = `cv_${'o'.repeat(20)}`;

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('devices', () => {
  const TOOLS = [
    { name: 'choice', type: 'action', description: 'Asks' },
    { name: 'canvas', type: 'app', actions: [{ name: 'open' }, { name: 'draw' }, null] },
  ];
  const peer = (id: string, online: boolean) => ({ kind: 'app' as const, id, name: `name of ${id}`, online, last_seen: null, received: 0 });

  test('that are paired are greeted, at home and nobody else', async () => {
    relay.list = [HOME, OTHER];
    const agent = relay.agent();
    agent.onPaired((chat, device) => chat.say(`Hello, ${device.name}`).then(() => undefined));
    await agent.start();
    await expect.poll(() => relay.connections.has(OTHER)).toBe(true);
    for (const each of relay.connections.values()) each.emit('paired', { device: { device_id: DEVICE, name: 'Phone' } as never });
    const greeting = await relay.home.until('text');
    expect(greeting).toMatchObject({ payload: { content: 'Hello, Phone' }, target: { kind: 'app', id: DEVICE } });
    await soon();
    expect(relay.connections.get(OTHER)?.sent).toEqual([]);
    relay.home.emit('paired', { device: { device_id: DEVICE, name: 'Phone' } as never });
    expect((await relay.home.until('text', 2)).id).toBe(greeting.id);
  });

  test('tell their tools, those that are offline what they said last', async () => {
    const agent = relay.agent();
    let told: unknown;
    agent.onText(async (chat) => {
      told = await chat.tools();
    });
    await agent.start();
    const { home } = relay;
    home.emit('synced', { seq: 0 });
    home.welcome([peer(DEVICE, true), peer('dv_2', false), peer('dv_3', true)]);
    await home.deliver('tool.list', { tools: [{ name: 'input', type: 'action' }], stale: true }, { sender: { kind: 'app', id: 'dv_2' } });
    const done = home.deliver('text', { content: 'tools' });
    await home.until('tool.list');
    await home.deliver('tool.list', { tools: TOOLS as never });
    home.emit('presence', { peer: { kind: 'app', id: 'dv_3' }, online: false, last_seen: null });
    await done;
    expect(told).toMatchObject([
      {
        id: DEVICE,
        online: true,
        tools: [
          { name: 'choice', type: 'action', description: 'Asks', actions: [] },
          { name: 'canvas', type: 'app', description: '', actions: ['open', 'draw'] },
        ],
      },
      { id: 'dv_2', online: false, tools: [{ name: 'input' }] },
      { id: 'dv_3', online: false, tools: null },
    ]);
  });

  test('get files, also when the first tries fail', async () => {
    relay.failingUploads = 1;
    const agent = relay.agent();
    agent.onText(async (chat) => {
      await chat.image(Uint8Array.of(1, 2, 3), { mimeType: 'image/png', alt: 'dots' });
      await chat.file(Uint8Array.of(1, 2, 3, 4), { name: 'a.bin', mimeType: 'application/octet-stream' });
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'send' });
    expect(relay.uploads).toEqual([
      { type: 'image/png', bytes: 3 },
      { type: 'application/octet-stream', bytes: 4 },
    ]);
    expect(relay.home.of('image')[0]?.payload).toEqual({
      url: `/v1/conversations/${HOME}/files/fl_00000000000000000001`,
      file_id: 'fl_00000000000000000001',
      alt: 'dots',
    });
    expect(relay.home.of('file')[0]?.payload).toMatchObject({ name: 'a.bin', mime_type: 'application/octet-stream' });
  });
});

describe('streams', () => {
  test('send deltas whose offsets fit, and the whole text under the same id at the end', async () => {
    const agent = relay.agent();
    agent.onText(async (chat) => {
      await chat.say(
        (async function* () {
          for (const word of ['Hel', 'lo ', '👋', ' wor', 'ld']) {
            yield word;
            await chat.wait(60);
          }
        })(),
      );
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'go' });
    let content = '';
    for (const { payload } of relay.home.of('text.delta')) {
      expect(payload.offset).toBe(content.length);
      content += String(payload.delta);
    }
    const [text] = relay.home.of('text');
    expect(text?.payload).toEqual({ content: 'Hello 👋 world', format: 'markdown' });
    expect('Hello 👋 world'.startsWith(content)).toBe(true);
    expect(content.length).toBeGreaterThan(5);
    expect(new Set(relay.home.of('text.delta').map(({ payload }) => payload.message_id))).toEqual(new Set([text?.id]));
  });

  test('begin anew for whoever comes in the middle, and skip nothing that could not be sent', async () => {
    const agent = relay.agent();
    const gate = Promise.withResolvers<void>();
    agent.onText(async (chat) => {
      await chat.say(
        (async function* () {
          yield 'one ';
          await chat.wait(70);
          yield 'two ';
          await gate.promise;
          yield 'three';
          await chat.wait(70);
        })(),
      );
    });
    await agent.start();
    const { home } = relay;
    home.emit('synced', { seq: 0 });
    const done = home.deliver('text', { content: 'go' });
    await home.until('text.delta');
    home.isOnline = false;
    await new Promise((resolve) => setTimeout(resolve, 120));
    home.isOnline = true;
    home.welcome();
    gate.resolve();
    await done;
    expect(home.of('text.delta').map(({ payload }) => [payload.offset, payload.delta])).toEqual([
      [0, 'one '],
      [0, 'one two three'],
    ]);
  });

  test('never split a character', async () => {
    const agent = relay.agent();
    agent.onText(async (chat) => {
      await chat.say(
        (async function* () {
          yield 'a\ud83d';
          await chat.wait(70);
          yield '\udc4b';
          await chat.wait(70);
        })(),
      );
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'go' });
    expect(relay.home.of('text.delta').map(({ payload }) => payload.delta)).toEqual(['a', '👋']);
  });

  test('of book length become several messages', async () => {
    const agent = relay.agent();
    agent.onText(async (chat) => {
      await chat.say(
        (async function* () {
          yield 'a'.repeat(20_000);
          await chat.wait(1);
          yield 'b'.repeat(20_000);
          yield 'c'.repeat(70_000);
        })(),
      );
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'go' });
    const texts = relay.home.of('text').map(({ payload }) => String(payload.content));
    expect(texts.map((text) => text.length)).toEqual([20_000, 20_000, 32_768, 32_768, 4_464]);
    expect(texts.join('').length).toBe(110_000);
    expect(new Set(relay.home.of('text').map(({ id }) => id)).size).toBe(5);
  });

  test('that fail keep what was there, and the failure is told', async () => {
    const agent = relay.agent();
    agent.onText(async (chat) => {
      await chat.say(
        (async function* () {
          yield 'so far';
          await chat.wait(1);
          throw new Error('the model is gone');
        })(),
      );
    });
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'go' });
    expect(relay.home.sent.map(({ type }) => type).filter((type) => type !== 'status' && type !== 'text.delta')).toEqual(['text', 'error']);
    expect(relay.home.of('text')[0]?.payload.content).toBe('so far');
  });
});
