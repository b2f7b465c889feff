/** The one alarm: what is due happens, however the storage behaves meanwhile. */
import { describe, expect, it } from 'vitest';
import { AGENT, OPENS_AT, PHONE, Room } from '../../test/support/room.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const call = (call_id: string, hours: number) => ({
  name: 'choice',
  call_id,
  arguments: {},
  expires_at: new Date(OPENS_AT + hours * HOUR).toISOString(),
});

describe('the alarm', () => {
  it('is set for the first thing that is due, and only when that changes', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    await room.send(agent, 'text', { content: 'x' });
    expect(room.alarmAt).toBe(OPENS_AT + 90 * DAY);
    await room.send(agent, 'tool.call', call('late', 3));
    await room.send(agent, 'tool.call', call('early', 1));
    await room.send(agent, 'tool.call', call('middle', 2));
    expect(room.alarmAt).toBe(OPENS_AT + HOUR);
    room.alarmAt = null;
    await room.send(agent, 'text', { content: 'nothing new is due' });
    expect(room.alarmAt).toBeNull();
  });

  it('goes from one thing to the next', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    for (const hours of [3, 1, 2]) await room.send(agent, 'tool.call', call(`c${hours}`, hours));
    for (const hours of [1, 2, 3]) {
      expect(room.alarmAt).toBe(OPENS_AT + hours * HOUR);
      room.pass(HOUR);
    }
    expect(agent.of('tool.result').map(({ payload }) => payload.call_id)).toEqual(['c1', 'c2', 'c3']);
    expect(room.alarmAt).toBe(OPENS_AT + 90 * DAY);
  });

  it('that rings for what was settled meanwhile goes on to the next', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(agent, 'tool.call', call('a', 1));
    await room.send(agent, 'tool.call', call('b', 2));
    await room.send(phone, 'tool.result', { name: 'choice', call_id: 'a', result: { message: '' } });
    room.hibernate();
    room.pass(HOUR);
    expect(room.alarmAt).toBe(OPENS_AT + 2 * HOUR);
  });

  it('is not lost with a batch that fails', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    room.sql.failCommitWith = new Error('disk trouble');
    expect(await room.ask(agent, 'tool.call', call('c', 1))).toMatchObject({ duplicate: false });
    expect(room.alarmAt).toBe(OPENS_AT + HOUR);
  });

  it('that could not be served rings again', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    await room.send(agent, 'tool.call', call('c', 1));
    room.sql.failWith = new Error('database or disk is full: SQLITE_FULL');
    room.pass(HOUR);
    expect(agent.of('tool.result')).toEqual([]);
    expect(room.alarmAt).toBeGreaterThan(room.now);
    room.sql.failWith = undefined;
    room.pass(5 * 60_000);
    expect(agent.of('tool.result')).toHaveLength(1);
  });

  it('that never rang is made up for by the next hello and the next message', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    await room.send(agent, 'tool.call', call('a', 1));
    await room.send(agent, 'tool.call', call('b', 2));
    room.alarmAt = null;
    room.now += HOUR;
    room.hibernate();
    await room.send(agent, 'text', { content: 'x' });
    expect(agent.of('tool.result')).toHaveLength(1);
    expect(room.alarmAt).toBe(OPENS_AT + 2 * HOUR);
  });

  it('serves what waits to be committed first', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(agent, 'tool.call', call('c', 1));
    room.now += HOUR - 1;
    const frame = (id: string, type: string, payload: object) => JSON.stringify({ v: 1, id, type, payload });
    void room.hand(phone, frame('x', 'run.cancel', {}));
    void room.hand(phone, frame('r', 'tool.result', { name: 'choice', call_id: 'c', result: { message: 'just in time' } }));
    room.conversation.runDue();
    expect(room.answer(phone, 'r')?.type).toBe('system.ack');
    await room.turn();
  });
});
