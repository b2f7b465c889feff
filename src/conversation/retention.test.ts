/** What is kept for how long (§8). */
import { describe, expect, it } from 'vitest';
import { AGENT, OPENS_AT, PHONE, Room, type Socket } from '../../test/support/room.ts';

const DAY = 86_400_000;
const OPEN = { instance_id: 's', app: { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' }, state: {} };

async function say(room: Room, socket: Socket, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await room.send(socket, 'text', { content: 'x'.repeat(100) });
}

describe('retention', () => {
  it('by count drops with a commit, at most 63 messages late, and never below the limit', async () => {
    const room = new Room({ retain_messages: 10 });
    const agent = await room.join(AGENT);
    for (let i = 0; i < 200; i++) {
      await say(room, agent, 1);
      const kept = room.ledger.log.head - room.ledger.log.oldest + 1;
      expect(kept).toBeGreaterThanOrEqual(Math.min(i + 1, 10));
      expect(kept).toBeLessThan(10 + 64);
    }
  });

  it('by count drops likewise when no message, but a hello made results', async () => {
    const room = new Room({ retain_messages: 20 });
    const agent = await room.join(AGENT);
    const ask = (callId: string) => room.send(agent, 'tool.call', { name: 'confirm', action: 'ask', call_id: callId, arguments: { question: '?' } });
    await ask('a');
    await ask('b');
    await say(room, agent, 20 + 64 - 3);
    expect(room.ledger.log.index.messages).toBe(20 + 64 - 1);
    await room.join(AGENT, { cancel_pending: true });
    expect(room.ledger.log.index.messages).toBeLessThan(20 + 64);
  });

  it('by bytes likewise', async () => {
    const room = new Room({ retain_bytes: 20_000 });
    const agent = await room.join(AGENT);
    await say(room, agent, 300);
    expect(room.ledger.log.oldest).toBeGreaterThan(1);
    expect(room.ledger.log.index.bytes).toBeGreaterThanOrEqual(20_000);
    expect(room.ledger.log.index.bytes).toBeLessThan(20_000 + 64 * 400);
  });

  it('by age needs no message: the alarm does it', async () => {
    const room = new Room({ retain_days: 2 });
    const agent = await room.join(AGENT);
    await say(room, agent, 64);
    room.pass(DAY);
    await say(room, agent, 1);
    expect(room.alarmAt).toBe(OPENS_AT + 2 * DAY);
    room.pass(DAY);
    expect([room.ledger.log.oldest, room.ledger.log.head]).toEqual([65, 65]);
    expect(room.alarmAt).toBe(OPENS_AT + 3 * DAY);
    room.pass(DAY);
    expect([room.ledger.log.oldest, room.ledger.log.head, room.alarmAt]).toEqual([66, 65, null]);
    await say(room, agent, 1);
    expect([room.ledger.log.head, room.alarmAt]).toEqual([66, OPENS_AT + 5 * DAY]);
  });

  it('by age costs no row with each message', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    await say(room, agent, 1);
    room.pass(DAY);
    await say(room, agent, 10);
    expect(room.sql.writes.filter((write) => write === 'INSERT INTO due')).toHaveLength(1);
  });

  it('leaves pending calls and open surfaces, and what belongs to them, until they are over', async () => {
    const room = new Room({ retain_days: 1 });
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    const expires_at = new Date(OPENS_AT + 6 * DAY).toISOString();
    await room.send(agent, 'tool.call', { name: 'choice', call_id: 'c', arguments: {}, expires_at });
    await room.send(agent, 'ui.open', OPEN);
    await room.send(agent, 'ui.patch', { instance_id: 's', state: { n: 1 } });
    await room.send(agent, 'ui.patch', { instance_id: 's', state: { n: 2 } });
    room.pass(3 * DAY);
    expect([room.ledger.log.oldest, room.ledger.log.head]).toEqual([5, 4]);
    for (const away of [() => undefined, () => room.hibernate()]) {
      away();
      expect((await room.join(PHONE)).seqs()).toEqual([1, 2, 4]);
    }
    await room.send(agent, 'ui.patch', { instance_id: 's', state: { n: 3 } });
    expect(room.sql.exec('SELECT seq FROM log WHERE seq < 5')).toEqual([{ seq: 1 }, { seq: 2 }]);
    await room.send(phone, 'tool.result', { name: 'choice', call_id: 'c', result: { message: '' } });
    await room.send(agent, 'ui.close', { instance_id: 's' });
    expect(room.sql.exec('SELECT seq FROM log WHERE seq < 5')).toEqual([]);
  });

  it('leaves nothing of a call that expired or was cancelled after its time in the log', async () => {
    const room = new Room({ retain_days: 1 });
    const agent = await room.join(AGENT);
    for (const [call_id, days] of [
      ['a', 4],
      ['b', 6],
    ] as const) {
      await room.send(agent, 'tool.call', { name: 'choice', call_id, arguments: {}, expires_at: new Date(OPENS_AT + days * DAY).toISOString() });
    }
    room.pass(3 * DAY);
    expect(room.sql.exec('SELECT seq FROM log')).toEqual([{ seq: 1 }, { seq: 2 }]);
    await room.send(agent, 'tool.cancel', { call_id: 'b' });
    expect(room.sql.exec('SELECT seq FROM log WHERE seq < 3')).toEqual([{ seq: 1 }]);
    room.pass(DAY);
    expect(room.sql.exec('SELECT seq FROM log WHERE seq < 3')).toEqual([]);
  });

  it('takes what was known of calls and edits with their messages', async () => {
    const room = new Room({ retain_days: 1 });
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(agent, 'text', { content: 'x' }, { id: 'm' });
    await room.send(agent, 'text.edit', { message_id: 'm', content: 'y' });
    await room.send(agent, 'tool.call', { name: 'choice', call_id: 'c', arguments: {} });
    await room.send(phone, 'tool.result', { name: 'choice', call_id: 'c', result: { message: '' } });
    room.pass(2 * DAY);
    for (const table of ['log', 'log_index', 'calls', 'edits', 'due']) expect(room.sql.exec(`SELECT * FROM ${table}`), table).toEqual([]);
    expect(await room.ask(agent, 'tool.call', { name: 'choice', call_id: 'c', arguments: {} })).toMatchObject({ seq: 5, duplicate: false });
  });

  it('goes on with shorter limits after a restart', async () => {
    const room = new Room();
    await say(room, await room.join(AGENT), 200);
    room.limits.retain_messages = 10;
    room.crash();
    await say(room, await room.join(AGENT), 1);
    expect(room.ledger.log.oldest).toBe(129 + 64 - 64);
  });
});
