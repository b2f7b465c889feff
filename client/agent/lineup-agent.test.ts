import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Chat } from './chat.ts';
import { TokenError } from './agent-options.ts';
import { AGENT, FakeRelay, HOME, tokenOf } from './testing/fake-relay.ts';

let relay: FakeRelay;
beforeEach(() => {
  relay = new FakeRelay();
});
afterEach(() => relay.dispose());

const OTHER = `cv_${'o'.repeat(20)}`;

describe('an agent and its conversations', () => {
  test('introduces itself, asks for the whole log at first, and has no page', async () => {
    await relay.agent({ agent: 'Hermes', version: '0.19.0' }).start();
    expect(relay.home.options).toMatchObject({
      relay: 'http://relay.test',
      conversationId: HOME,
      self: { kind: 'agent', id: AGENT },
      hello: { name: 'Demo', agent: 'Hermes', version: '0.19.0', cancel_pending: true },
      start: 'oldest',
      page: null,
    });
    expect(relay.home.isStarted).toBe(true);
  });

  test('settles orphaned calls only when it has no memory of them', async () => {
    await relay.agent().start();
    await relay.agent().start();
    expect(relay.home.options.hello.cancel_pending).toBe(false);
  });

  test('opens every conversation of the list, and those that are made later', async () => {
    relay.list = [HOME, OTHER];
    await relay.agent({ conversationId: undefined as never }).start();
    expect([...relay.connections.keys()]).toEqual([HOME, OTHER]);
    const later = `cv_${'l'.repeat(20)}`;
    relay.home.emit('conversation', { conversation: { conversation_id: later } as never, change: 'created' });
    await expect.poll(() => relay.connections.get(later)?.isStarted).toBe(true);
  });

  test('lists again after each welcome, since a conversation may have been made meanwhile', async () => {
    await relay.agent().start();
    relay.list = [HOME, OTHER];
    relay.home.welcome();
    await expect.poll(() => relay.connections.get(OTHER)?.isStarted).toBe(true);
  });

  test('leaves nothing of a deleted conversation behind', async () => {
    relay.list = [HOME, OTHER];
    await relay.agent().start();
    await expect.poll(() => relay.connections.has(OTHER)).toBe(true);
    const folder = join(relay.state, AGENT, OTHER);
    expect(existsSync(folder)).toBe(true);
    relay.home.emit('conversation', { conversation: { conversation_id: OTHER } as never, change: 'deleted' });
    await expect.poll(() => existsSync(folder)).toBe(false);
    expect(relay.connections.get(OTHER)?.isClosed).toBe(true);
  });

  test.each(['pair-again', 'replaced', 'protocol'] as const)('ends when one of its connections stops with %s', async (reason) => {
    const agent = relay.agent();
    await agent.start();
    relay.home.emit('state', { name: 'stopped', reason });
    await expect(agent.ended).resolves.toBe(reason);
    expect(relay.home.isClosed).toBe(true);
  });

  test('ends when its token is refused before there is any connection', async () => {
    relay.list = 401;
    const agent = relay.agent({ conversationId: undefined as never });
    await agent.start();
    await expect(agent.ended).resolves.toBe('pair-again');
  });

  test('tries the list again while the relay cannot give it', async () => {
    relay.list = 503;
    const agent = relay.agent({ conversationId: undefined as never });
    const started = agent.start();
    await expect.poll(() => relay.problems).toContain('cannot list the conversations: no list');
    relay.list = [HOME];
    await started;
    expect(relay.home.isStarted).toBe(true);
  });

  test.each<[string, RegExp, (chat: Chat) => Promise<unknown>]>([
    ['a handler that throws', /^lineup: a handler failed: the deployer is ill$/, () => Promise.reject(new Error('the deployer is ill'))],
    ['a text that is too long', /^lineup: a handler failed: .*max_text_characters/, (chat) => chat.say('x'.repeat(100_001))],
  ])('tells its author on stderr of %s, without being asked', async (_what, said, handler) => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const agent = relay.agent({ log: undefined as never }).onText((chat) => handler(chat).then(() => undefined));
    await agent.start();
    relay.home.emit('synced', { seq: 0 });
    await relay.home.deliver('text', { content: 'my secret' });
    const lines = stderr.mock.calls.map(([line]) => String(line));
    stderr.mockRestore();
    expect(lines).toEqual([expect.stringMatching(said)]);
    expect(lines[0]).not.toContain('my secret');
  });

  test('refuses a token of somebody else', () => {
    for (const token of ['', 'x', 'a.b.c', tokenOf('dv_0000000000000000'), `${tokenOf()}.x`]) {
      expect(() => relay.agent({ token })).toThrow(TokenError);
    }
  });
});
