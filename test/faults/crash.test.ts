/** The relay is killed outright while both sides stream, and started again on the same folder: what it acknowledged is there, once. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Delivered } from '../../src/protocol/envelope.ts';
import { fastClock, Stage, until } from './stage.ts';

let stage: Stage;
afterEach(() => stage.strike());

const CRASHES = 5;

/** Everything that a newcomer finds, page by page. */
async function wholeHistory(): Promise<Delivered[]> {
  const found: Delivered[] = [];
  for (;;) {
    const page = await stage.http.history(stage.conversationId, { after: found.at(-1)?.seq ?? 0, limit: 100 });
    found.push(...page.messages);
    if (!page.has_more) return found;
  }
}

describe('a relay that is killed', () => {
  it('again and again, in the middle of two streams, loses and doubles nothing', async () => {
    stage = await Stage.set({ variables: { LINEUP_RATE_PER_S: '0' }, clock: fastClock(5) });
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    void agent.stream(2);
    void phone.stream(4);
    for (let crash = 0; crash < CRASHES; crash++) {
      const before = [agent.newest, phone.newest];
      await until('both streams flow', () => agent.newest > before[0]! + 40 && phone.newest > before[1]! + 40);
      await new Promise((resolve) => setTimeout(resolve, 37 * crash));
      await stage.relay.end('SIGKILL');
      await stage.relay.start();
    }
    expect(await stage.verdict()).toEqual([]);
    expect(agent.connections).toBeGreaterThan(CRASHES);

    const reader = stage.history.observer('a newcomer', { kind: 'app', id: 'newcomer' });
    for (const frame of await wholeHistory()) reader.receives(frame);
    expect(stage.history.violations()).toEqual([]);
  });

  it('at rest has everything: the conversation, its devices, and the last message', async () => {
    stage = await Stage.set({ clock: fastClock(5) });
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    await phone.say('before');
    await until('it arrived', () => agent.newest > 0);
    await stage.relay.end('SIGKILL');
    await agent.say('while it was away');
    await stage.relay.start();
    expect(await stage.verdict()).toEqual([]);
    expect(phone.observer.received.map(({ frame }) => frame.payload.content)).toEqual(['1 while it was away']);
    expect((await stage.http.devices()).map(({ name }) => name)).toEqual(['Phone']);
    expect(await stage.http.conversations()).toMatchObject([{ conversation_id: stage.conversationId }]);
  });
});
