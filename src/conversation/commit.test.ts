/** Group commit: one transaction for what comes together, and storage that fails takes down only what it fails for. */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { SqlValue } from './ports.ts';

const FULL = new Error('database or disk is full: SQLITE_FULL');

/** Everything that memory holds, beside what is loaded from storage: the two must agree. */
function bothViews(room: Room): unknown[] {
  return [room.conversation, room.load()].map(({ ledger }) => ({
    head: ledger.log.head,
    oldest: ledger.log.oldest,
    messages: ledger.log.index.messages,
    bytes: ledger.log.index.bytes,
    due: ledger.due.dueAt(Number.MAX_SAFE_INTEGER),
    surfaces: ledger.surfaces.all(),
    kept: [ledger.declarations.statusFor(AGENT.id), ledger.declarations.keptAll('inventory:')],
    standing: ledger.declarations.standing('capability', 'app.notify', [PHONE.id]),
    meta: ledger.meta,
  }));
}

const failingFor =
  (id: string, error: Error) =>
  (query: string, bindings: readonly SqlValue[]): Error | undefined =>
    query.startsWith('INSERT INTO log ') && bindings[2] === id ? error : undefined;

async function scene(): Promise<{ room: Room; agent: Socket; phone: Socket }> {
  const room = new Room();
  return { room, agent: await room.join(AGENT), phone: await room.join(PHONE) };
}

const texts = (socket: Socket, ...ids: string[]) => ids.map((id) => ({ socket, type: 'text', id, payload: { content: id } }));

describe('a batch', () => {
  it('is one transaction for all that waited in a turn; what comes first does not wait', async () => {
    const { room, agent, phone } = await scene();
    let transactions = 0;
    const { transaction } = room.sql;
    room.sql.transaction = (fn) => {
      transactions++;
      return transaction.call(room.sql, fn) as ReturnType<typeof fn>;
    };
    const first = room.hand(agent, JSON.stringify({ v: 1, id: 'a', type: 'text', payload: { content: 'x' } }));
    expect(agent.of('system.ack')).toHaveLength(1);
    for (const id of ['b', 'c', 'd']) void room.hand(agent, JSON.stringify({ v: 1, id, type: 'text', payload: { content: 'x' } }));
    expect(agent.of('system.ack')).toHaveLength(1);
    await room.turn();
    await first;
    expect([transactions, phone.seqs(), agent.of('system.ack').length]).toEqual([2, [1, 2, 3, 4], 4]);
  });

  it('answers in the order of its frames, each answer before what follows from it', async () => {
    const { room, agent, phone } = await scene();
    const from = phone.frames.length;
    await room.burst([...texts(agent, 'a'), ...texts(phone, 'b'), ...texts(agent, 'c'), ...texts(phone, 'd')]);
    expect(phone.frames.slice(from).map(({ type, id, payload }) => (type === 'system.ack' ? `ack ${payload.ref as string}` : id))).toEqual([
      'a',
      'ack b',
      'c',
      'ack d',
    ]);
  });

  it('refuses a bad frame alone', async () => {
    const { room, agent, phone } = await scene();
    await room.burst([
      ...texts(agent, 'a', 'b'),
      { socket: agent, type: 'tool.cancel', id: 'bad', payload: { call_id: 'nobody' } },
      ...texts(agent, 'c'),
    ]);
    expect(agent.of('system.error')).toMatchObject([{ payload: { ref: 'bad', code: 'unknown_call' } }]);
    expect(phone.of('text').map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('knows a repeat within itself', async () => {
    const { room, agent, phone } = await scene();
    await room.burst([...texts(phone, 'x'), ...texts(agent, 'a', 'a')]);
    expect(agent.of('system.ack').map(({ payload }) => payload)).toEqual([
      { ref: 'a', seq: 2, duplicate: false },
      { ref: 'a', seq: 2, duplicate: true },
    ]);
    expect(phone.of('text')).toHaveLength(1);
  });

  it('costs one row for a text', async () => {
    const { room, agent } = await scene();
    await room.send(agent, 'text', { content: 'the first one plans retention' });
    room.sql.writes.length = 0;
    await room.burst(texts(agent, 'a', 'b', 'c'));
    expect(room.sql.writes).toEqual(['INSERT INTO log', 'INSERT INTO log', 'INSERT INTO log']);
  });
});

describe('storage that fails', () => {
  it.each([
    ['internal', new Error('disk trouble')],
    ['storage_full', FULL],
  ])('for one message of a batch refuses that one with %s, retryable, and the others are stored', async (code, error) => {
    const { room, agent, phone } = await scene();
    room.sql.failWhen = failingFor('bad', error);
    await room.burst([...texts(phone, 'x'), ...texts(agent, 'a', 'bad', 'b'), ...texts(phone, 'y')]);
    expect(agent.of('system.error').map(({ payload }) => payload)).toMatchObject([{ ref: 'bad', code, retryable: true }]);
    expect(agent.of('system.ack').map(({ payload }) => payload.seq)).toEqual([2, 3]);
    expect(phone.of('text').map(({ id, seq }) => [id, seq])).toEqual([
      ['a', 2],
      ['b', 3],
    ]);
    const [memory, disk] = bothViews(room);
    expect(memory).toEqual(disk);
    expect(room.reports.length).toBeGreaterThan(0);
  });

  it('takes the message when it is sent again', async () => {
    const { room, agent, phone } = await scene();
    room.sql.failWhen = failingFor('a', FULL);
    await room.burst(texts(agent, 'x', 'a'));
    room.sql.failWhen = undefined;
    expect(await room.ask(agent, 'text', { content: 'a' }, { id: 'a' })).toMatchObject({ seq: 2, duplicate: false });
    expect(phone.seqs()).toEqual([1, 2]);
  });

  it('refuses everything while it is full, and reads go on', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'text', { content: 'x' });
    room.sql.failWith = FULL;
    await room.burst([...texts(agent, 'a', 'b'), { socket: phone, type: 'run.cancel', id: 'c', payload: {} }]);
    for (const [socket, id] of [
      [agent, 'a'],
      [agent, 'b'],
      [phone, 'c'],
    ] as const) {
      expect(room.answer(socket, id)?.payload).toMatchObject({ code: 'storage_full', retryable: true });
    }
    expect(phone.seqs()).toEqual([1]);
    expect((await room.join(TABLET, room.resume(0))).seqs()).toEqual([1]);
    expect(await room.post(PHONE, 'text', { content: 'x' })).toMatchObject({ ok: false, error: { code: 'storage_full' } });
    room.sql.failWith = undefined;
    expect(await room.ask(agent, 'text', { content: 'y' })).toMatchObject({ seq: 2 });
  });

  it('leaves neither a half of what a message does, nor a memory of it', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'tool.call', { name: 'choice', call_id: 'c', arguments: {} });
    const before = bothViews(room);
    room.sql.failWhen = (query) => (query.startsWith('UPDATE calls') || query.startsWith('INSERT INTO surfaces') ? new Error('no') : undefined);
    const refused = { code: 'internal', retryable: true };
    expect(await room.ask(phone, 'tool.result', { name: 'choice', call_id: 'c', result: { message: '' } })).toMatchObject(refused);
    const open = { instance_id: 's', app: { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' }, state: {} };
    expect(await room.ask(agent, 'ui.open', open)).toMatchObject(refused);
    expect(bothViews(room)).toEqual(before);
    expect([agent.of('tool.result'), phone.of('lineup.v1.ui.open'), phone.of('system.settled')]).toEqual([[], [], []]);
  });

  it('at the very end of a transaction undoes all of it', async () => {
    const { room, agent, phone } = await scene();
    room.sql.failCommitWith = new Error('disk trouble');
    await room.burst(texts(agent, 'a', 'b', 'c'));
    expect([agent.of('system.ack').map(({ payload }) => payload.seq), phone.seqs()]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    const [memory, disk] = bothViews(room);
    expect(memory).toEqual(disk);
  });

  it('so that it cannot even be read refuses, and recovers with it', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'text', { content: 'x' });
    room.sql.failWhen = (query) => (query.startsWith('INSERT') || query.includes('FROM meta') ? new Error('gone') : undefined);
    await room.burst(texts(agent, 'a', 'b'));
    expect(agent.of('system.error').map(({ payload }) => payload.code)).toEqual(['internal', 'internal']);
    room.sql.failWhen = undefined;
    expect(await room.ask(agent, 'text', { content: 'y' })).toMatchObject({ seq: 2, duplicate: false });
    expect(phone.seqs()).toEqual([1, 2]);
    const [memory, disk] = bothViews(room);
    expect(memory).toEqual(disk);
  });

  it('tells who asked for a change', () => {
    const room = new Room();
    room.sql.failWith = FULL;
    expect(room.conversation.change(({ participants }) => participants.remove(TABLET.id))).toMatchObject({
      ok: false,
      error: { code: 'storage_full' },
    });
    expect(room.ledger.participants.hasDevice(TABLET.id)).toBe(true);
  });
});

describe('a conversation', () => {
  it('answers a frame that it fails on, and goes on', async () => {
    const { room, agent, phone } = await scene();
    room.sql.failWhen = (query) => (query.includes('frame IS NOT NULL') ? new Error('unreadable') : undefined);
    await room.send(agent, 'text', { content: 'x' });
    const again = room.connect(TABLET);
    await room.hello(again, room.resume(0));
    expect(again.of('system.error')).toMatchObject([{ payload: { ref: null, code: 'internal', retryable: true } }]);
    room.sql.failWhen = undefined;
    expect(await room.ask(phone, 'run.cancel', {})).toMatchObject({ duplicate: false });
  });
});
