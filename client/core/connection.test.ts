/** The rules of the connection (§4), each against a scripted socket and a clock that stands still. */
import { describe, expect, it } from 'vitest';
import { MemoryCursorStore } from './cursor-store.ts';
import { settle } from './testing/fake-clock.ts';
import { AGENT, control, Rig, SELF, text, welcome } from './testing/rig.ts';

describe('connecting', () => {
  it('shows the token as a subprotocol and nowhere else', async () => {
    const rig = new Rig();
    await rig.greet();
    expect(rig.socket.url).toBe('wss://relay.example/v1/conversations/cv_1/socket');
    expect(rig.socket.protocols).toEqual(['lineup.v1', 'lineup.token.t1']);
    expect(rig.socket.texts.join()).not.toContain('t1');
  });

  it('says hello first, with its session and a count of attempts', async () => {
    const rig = new Rig({ session: 's1' });
    await rig.greet();
    expect(rig.socket.frames[0]).toMatchObject({
      v: 1,
      type: 'system.hello',
      payload: { name: 'Phone', platform: 'web', session: 's1', attempt: 1 },
    });
    expect(rig.hello.payload).not.toHaveProperty('resume');
    await rig.breaks();
    rig.socket.opens();
    expect(rig.hello.payload).toMatchObject({ session: 's1', attempt: 2 });
  });

  it('goes through its states and tells each', async () => {
    const rig = new Rig();
    expect(rig.connection.state).toEqual({ name: 'idle' });
    await rig.online({ head_seq: 3 });
    expect(rig.of('state').map(({ name }) => name)).toEqual(['connecting', 'syncing', 'online']);
    expect(rig.of('synced')).toEqual([{ seq: 3 }]);
    expect(rig.connection.welcome?.head_seq).toBe(3);
  });

  it('gives up an attempt that is not welcomed within 10 s', async () => {
    const rig = new Rig();
    rig.connection.start();
    await settle();
    const [first] = rig.sockets;
    first?.opens();
    await rig.clock.advance(9_999);
    expect(rig.sockets).toHaveLength(1);
    await rig.clock.advance(1);
    expect(first?.closed).toBe(true);
    expect(rig.sockets).toHaveLength(2);
  });

  it('never listens to a socket that it gave up', async () => {
    const rig = new Rig();
    rig.connection.start();
    await settle();
    const [zombie] = rig.sockets;
    await rig.clock.advance(10_000);
    await rig.accept();
    zombie?.opens();
    zombie?.says(JSON.stringify(control('system.welcome', welcome({ epoch: 'other' }))));
    zombie?.says(JSON.stringify(text('ghost', 1)));
    zombie?.breaks(4403);
    expect(zombie?.texts).toEqual([]);
    expect(rig.messages).toEqual([]);
    expect(rig.connection.state.name).toBe('syncing');
  });

  it('keeps the fresh token of a welcome', async () => {
    const rig = new Rig();
    await rig.greet({ token: 't2' });
    expect(rig.saved).toEqual(['t2']);
    await rig.breaks();
    expect(rig.socket.protocols[1]).toBe('lineup.token.t2');
  });

  it('uses a fresh token that cannot be stored, and says so', async () => {
    const rig = new Rig({
      credentials: {
        load: () => 't1',
        save: () => {
          throw new Error('denied');
        },
      },
    });
    await rig.greet({ token: 't2' });
    await rig.breaks();
    expect(rig.socket.protocols[1]).toBe('lineup.token.t2');
    expect(rig.of('storage')).toMatchObject([{ store: 'credentials' }]);
  });

  it('cancels what was pending only at its first connection', async () => {
    const rig = new Rig({ hello: { name: 'Agent', agent: 'Demo', cancel_pending: true } });
    await rig.greet();
    expect(rig.hello.payload).toMatchObject({ agent: 'Demo', cancel_pending: true });
    await rig.breaks();
    rig.socket.opens();
    expect(rig.hello.payload).not.toHaveProperty('cancel_pending');
  });

  it('asks to cancel again when the first hello was not answered', async () => {
    const rig = new Rig({ hello: { name: 'Agent', cancel_pending: true } });
    rig.connection.start();
    await settle();
    rig.socket.opens();
    await rig.breaks();
    rig.socket.opens();
    expect(rig.hello.payload).toMatchObject({ cancel_pending: true });
  });
});

describe('closing codes', () => {
  it.each([
    [4400, 'protocol'],
    [4403, 'pair-again'],
    [4404, 'not-found'],
    [4409, 'replaced'],
  ])('%i stops: %s', async (code, reason) => {
    const rig = new Rig();
    await rig.online();
    await rig.breaks(code);
    expect(rig.connection.state).toEqual({ name: 'stopped', reason });
    await rig.clock.advance(600_000);
    expect(rig.sockets).toHaveLength(1);
  });

  it.each([1000, 1001, 1002, 1005, 1006, 1011, 1012, 4408, 4999])('%i is retried at once', async (code) => {
    const rig = new Rig();
    await rig.online();
    await rig.breaks(code);
    expect(rig.sockets).toHaveLength(2);
    expect(rig.connection.state.name).toBe('connecting');
  });

  it('4429 is retried, but not at once', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.clock.advance(20_000);
    await rig.breaks(4429);
    expect(rig.connection.state).toMatchObject({ name: 'waiting' });
    expect(rig.sockets).toHaveLength(1);
    await rig.clock.advance(9_000);
    expect(rig.sockets).toHaveLength(2);
  });

  it('starts again after a stop when asked to', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.breaks(4409);
    rig.connection.start();
    await settle();
    await rig.accept();
    expect(rig.hello.payload).toMatchObject({ attempt: 2 });
    expect(rig.connection.state.name).toBe('syncing');
  });
});

describe('a token that the relay does not take', () => {
  const fresh = () => Response.json({ token: 't2', expires_at: '2026-01-01T00:00:00Z' });

  it('is refreshed once', async () => {
    const rig = new Rig();
    rig.refreshes = [fresh()];
    await rig.online();
    await rig.breaks(4401);
    await settle();
    expect(rig.refreshed).toEqual(['Bearer t1']);
    expect(rig.saved).toEqual(['t2']);
    expect(rig.socket.protocols[1]).toBe('lineup.token.t2');
    await rig.accept();
    expect(rig.connection.state.name).toBe('syncing');
  });

  it('is not refreshed twice in a row: pair again', async () => {
    const rig = new Rig();
    rig.refreshes = [fresh(), fresh()];
    await rig.online();
    await rig.breaks(4401);
    await settle();
    await rig.breaks(4401);
    expect(rig.refreshed).toHaveLength(1);
    expect(rig.connection.state).toEqual({ name: 'stopped', reason: 'pair-again' });
  });

  it('may be refreshed again after a welcome', async () => {
    const rig = new Rig();
    rig.refreshes = [fresh(), Response.json({ token: 't3', expires_at: '' })];
    await rig.online();
    await rig.breaks(4401);
    await settle();
    await rig.accept();
    await rig.breaks(4401);
    await settle();
    expect(rig.saved).toEqual(['t2', 't3']);
  });

  it('that cannot be refreshed either means: pair again', async () => {
    const rig = new Rig();
    rig.refreshes = [Response.json({ error: { code: 'unauthorized', message: 'token: expired' } }, { status: 401 })];
    await rig.online();
    await rig.breaks(4401);
    await settle();
    expect(rig.connection.state).toEqual({ name: 'stopped', reason: 'pair-again' });
  });

  it('is tried again later when the relay cannot be asked', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.clock.advance(20_000);
    await rig.breaks(4401);
    await settle();
    expect(rig.connection.state.name).toBe('connecting');
    rig.refreshes = [fresh()];
    await rig.breaks(4401);
    await settle();
    expect(rig.socket.protocols[1]).toBe('lineup.token.t2');
  });

  it('may have been renewed by another tab', async () => {
    const rig = new Rig();
    await rig.online();
    rig.token = 't9';
    await rig.breaks(4401);
    await settle();
    expect(rig.refreshed).toEqual([]);
    expect(rig.socket.protocols[1]).toBe('lineup.token.t9');
  });

  it('is not there at all: pair again', async () => {
    const rig = new Rig();
    rig.token = null;
    rig.connection.start();
    await settle();
    expect(rig.connection.state).toEqual({ name: 'stopped', reason: 'pair-again' });
    expect(rig.sockets).toEqual([]);
  });
});

describe('backoff', () => {
  it('retries at once, then with growing jittered pauses', async () => {
    const rig = new Rig();
    await rig.online();
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) {
      await rig.breaks();
      const { state } = rig.connection;
      delays.push(state.name === 'waiting' ? state.retryAt - rig.clock.now() : 0);
      if (state.name === 'waiting') expect(state.attempt).toBe(i + 1);
      await rig.clock.advance(state.name === 'waiting' ? state.retryAt - rig.clock.now() : 0);
    }
    expect(delays).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });

  it('starts over only after 10 s of a stable connection', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.breaks();
    await rig.accept();
    await rig.clock.advance(9_999);
    await rig.breaks();
    expect(rig.connection.state).toMatchObject({ name: 'waiting', attempt: 2 });
    await rig.clock.advance(500);
    await rig.accept();
    await rig.clock.advance(10_000);
    await rig.breaks();
    expect(rig.connection.state.name).toBe('connecting');
  });

  it('is cut short when the user asks', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.breaks();
    await rig.breaks();
    expect(rig.connection.state.name).toBe('waiting');
    rig.connection.reconnect();
    await settle();
    expect(rig.sockets).toHaveLength(3);
    await rig.clock.advance(5_000);
    expect(rig.sockets).toHaveLength(3);
  });
});

describe('keepalive', () => {
  it('pings every 25 s', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.clock.advance(25_000);
    expect(rig.socket.pings).toBe(1);
    rig.socket.says('pong');
    await rig.clock.advance(25_000);
    expect(rig.socket.pings).toBe(2);
  });

  it('reconnects after two missed answers', async () => {
    const rig = new Rig({ page: null });
    await rig.online();
    await rig.clock.advance(74_999);
    expect(rig.sockets).toHaveLength(1);
    await rig.clock.advance(1);
    expect(rig.sockets).toHaveLength(2);
    expect(rig.sockets[0]?.closed).toBe(true);
  });

  it('takes any frame for an answer', async () => {
    const rig = new Rig({ page: null });
    await rig.online();
    for (let i = 1; i <= 10; i++) {
      await rig.clock.advance(24_000);
      await rig.says(text(`m${i}`, i));
    }
    expect(rig.sockets).toHaveLength(1);
  });

  it('distrusts the socket after the machine slept', async () => {
    const rig = new Rig({ page: null });
    await rig.online();
    rig.clock.sleep(3_600_000);
    await rig.clock.advance(1);
    expect(rig.sockets).toHaveLength(2);
  });
});

describe('the page', () => {
  it('discards the socket when it comes back after more than 45 s of silence', async () => {
    const rig = new Rig();
    await rig.online();
    rig.page.tells('hidden');
    rig.clock.sleep(45_001);
    rig.page.tells('shown');
    await settle();
    expect(rig.sockets).toHaveLength(2);
    expect(rig.sockets[0]?.closed).toBe(true);
  });

  it('keeps the socket when it was away for a moment', async () => {
    const rig = new Rig();
    await rig.online();
    rig.page.tells('hidden');
    rig.clock.sleep(44_000);
    rig.page.tells('shown');
    await settle();
    expect(rig.sockets).toHaveLength(1);
  });

  it.each(['shown', 'network'] as const)('tries at once when it is waiting: %s', async (signal) => {
    const rig = new Rig();
    await rig.online();
    await rig.breaks();
    await rig.breaks();
    rig.page.tells(signal);
    await settle();
    expect(rig.sockets).toHaveLength(3);
  });

  it('tests the socket when the network changed', async () => {
    const rig = new Rig();
    await rig.online();
    rig.page.tells('network');
    expect(rig.socket.pings).toBe(1);
    await rig.clock.advance(10_000);
    expect(rig.sockets).toHaveLength(2);
  });

  it('looks once a minute while it is watched, and not while it is hidden', async () => {
    const rig = new Rig();
    await rig.online();
    const minute = async () => {
      await rig.clock.advance(30_000);
      rig.socket.says('pong');
      await rig.clock.advance(30_000);
      rig.socket.says('pong');
    };
    await minute();
    await minute();
    expect(rig.socket.of('system.ping')).toHaveLength(2);
    await rig.says(control('system.pong', { ping_id: 'x' }));
    rig.page.tells('hidden');
    await minute();
    await minute();
    expect(rig.socket.of('system.ping')).toHaveLength(2);
    rig.page.tells('shown');
    await minute();
    expect(rig.socket.of('system.ping')).toHaveLength(3);
    expect(rig.messages).toEqual([]);
  });

  it('is not listened to any more once the connection is closed', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.connection.close();
    rig.clock.sleep(100_000);
    rig.page.tells('shown');
    await settle();
    expect(rig.sockets).toHaveLength(1);
    expect(rig.clock.pending).toBe(0);
  });
});

describe('resuming', () => {
  it('asks for what came after the last message', async () => {
    const rig = new Rig();
    await rig.online({ head_seq: 5 });
    await rig.says(text('m6', 6));
    await rig.breaks();
    await rig.accept({ resumed: true, head_seq: 6 });
    expect(rig.hello.payload.resume).toEqual({ epoch: 'e1', seq: 6 });
  });

  it('goes on from the stored cursor in a new process', async () => {
    const rig = new Rig({ cursor: new MemoryCursorStore({ epoch: 'e1', seq: 40 }) });
    await rig.greet({ resumed: true, head_seq: 42 });
    expect(rig.hello.payload.resume).toEqual({ epoch: 'e1', seq: 40 });
    await rig.says(text('m41', 41), text('m42', 42), control('system.synced', { seq: 42 }));
    expect(rig.messages).toEqual(['m41', 'm42']);
    expect(rig.of('gap')).toEqual([]);
  });

  it('can begin at the oldest message, and calls that no gap', async () => {
    const rig = new Rig({ start: 'oldest' });
    await rig.greet({ gap: true, head_seq: 2, oldest_seq: 1 });
    expect(rig.hello.payload.resume).toMatchObject({ seq: 0 });
    await rig.says(text('m1', 1), text('m2', 2), control('system.synced', { seq: 2 }));
    expect(rig.messages).toEqual(['m1', 'm2']);
    expect(rig.of('gap')).toEqual([]);
  });

  it('announces a gap before the first message after it', async () => {
    const rig = new Rig({ cursor: new MemoryCursorStore({ epoch: 'e1', seq: 40 }) });
    await rig.greet({ gap: true, head_seq: 101, oldest_seq: 100 });
    await rig.says(text('m100', 100), text('m101', 101), control('system.synced', { seq: 101 }));
    expect(rig.of('gap')).toEqual([{ epoch: 'e1', oldest_seq: 100, head_seq: 101 }]);
    const order = rig.told.map(({ event }) => event).filter((event) => event === 'gap' || event === 'message');
    expect(order).toEqual(['gap', 'message', 'message']);
  });

  it('follows the log into a new epoch, where seqs begin again', async () => {
    const cursor = new MemoryCursorStore({ epoch: 'e1', seq: 40 });
    const rig = new Rig({ cursor });
    await rig.greet({ epoch: 'e2', gap: true, head_seq: 2, oldest_seq: 1 });
    await rig.says(text('n1', 1), text('n2', 2), control('system.synced', { seq: 2 }));
    expect(rig.messages).toEqual(['n1', 'n2']);
    expect(await cursor.load()).toEqual({ epoch: 'e2', seq: 2 });
  });

  it('moves its cursor by messages and by synced, never by an ack', async () => {
    const cursor = new MemoryCursorStore();
    const rig = new Rig({ cursor });
    await rig.online({ head_seq: 5 });
    const { id } = await rig.connection.send('text', { content: 'x' });
    await rig.says(control('system.ack', { ref: id, seq: 7, duplicate: false }));
    expect(await cursor.load()).toEqual({ epoch: 'e1', seq: 5 });
    await rig.says(text('m6', 6));
    expect(await cursor.load()).toEqual({ epoch: 'e1', seq: 6 });
    await rig.breaks();
    await rig.accept({ resumed: true, head_seq: 9 });
    await rig.says(control('system.synced', { seq: 9 }));
    expect(await cursor.load()).toEqual({ epoch: 'e1', seq: 9 });
  });

  it('keeps the stored cursor before a message that is still being processed', async () => {
    const cursor = new MemoryCursorStore({ epoch: 'e1', seq: 0 });
    const done: (() => void)[] = [];
    const rig = new Rig({ cursor, process: ({ id }) => (id === 'm2' ? new Promise<void>((resolve) => done.push(resolve)) : undefined) });
    await rig.online({ resumed: true });
    await rig.says(text('m1', 1), text('m2', 2), text('m3', 3));
    expect(rig.messages).toEqual(['m1', 'm2', 'm3']);
    expect(await cursor.load()).toEqual({ epoch: 'e1', seq: 1 });
    await rig.clock.advance(1_000);
    expect(rig.socket.of('system.received').map(({ payload }) => payload)).toEqual([{ seq: 3 }]);
    for (const finish of done) finish();
    await settle();
    expect(await cursor.load()).toEqual({ epoch: 'e1', seq: 3 });
  });

  it('goes on when processing fails, and tells of the fault', async () => {
    const cursor = new MemoryCursorStore({ epoch: 'e1', seq: 0 });
    const rig = new Rig({ cursor, process: ({ id }) => (id === 'm1' ? Promise.reject(new Error('broken')) : undefined) });
    await rig.online({ resumed: true });
    await rig.says(text('m1', 1), text('m2', 2));
    expect(await cursor.load()).toEqual({ epoch: 'e1', seq: 2 });
    expect(rig.of('fault')).toMatchObject([{ during: 'processing a message' }]);
  });
});

describe('what is new', () => {
  it('tells a restored frame once, however often it comes', async () => {
    const rig = new Rig();
    await rig.greet({ head_seq: 50 });
    await rig.says(text('call', 12), control('system.synced', { seq: 50 }));
    await rig.breaks();
    await rig.accept({ resumed: true, head_seq: 50 });
    await rig.says(text('call', 12), control('system.synced', { seq: 50 }));
    expect(rig.messages).toEqual(['call']);
  });

  it('does not tell a restored frame that it got live before', async () => {
    const rig = new Rig();
    await rig.online({ head_seq: 50 });
    await rig.says(text('call', 51));
    await rig.breaks();
    await rig.accept({ resumed: true, head_seq: 51 });
    await rig.says(text('call', 51), control('system.synced', { seq: 51 }));
    expect(rig.messages).toEqual(['call']);
  });

  it('tells a restored frame to a process that never saw it, though its cursor is past it', async () => {
    const rig = new Rig({ cursor: new MemoryCursorStore({ epoch: 'e1', seq: 50 }) });
    await rig.greet({ resumed: true, head_seq: 50 });
    await rig.says(text('call', 12), control('system.synced', { seq: 50 }));
    expect(rig.messages).toEqual(['call']);
    await rig.clock.advance(1_000);
    expect(rig.socket.of('system.received')).toEqual([]);
  });

  it('keeps frames of the same id by different senders apart', async () => {
    const rig = new Rig();
    await rig.greet({ head_seq: 50 });
    await rig.says(text('x', 12), text('x', 13, { kind: 'app', id: 'dv_other' }), control('system.synced', { seq: 50 }));
    expect(rig.messages).toEqual(['x', 'x']);
  });

  it('tells a kept frame again only when it is another one', async () => {
    const rig = new Rig({ self: AGENT });
    const inventory = (id: string) => ({ ...text(id, 0), type: 'lineup.v1.client.inventory', sender: SELF, seq: null });
    await rig.greet();
    await rig.says(inventory('i1'), control('system.synced', { seq: 0 }));
    await rig.breaks();
    await rig.accept({ resumed: true });
    await rig.says(inventory('i1'), control('system.synced', { seq: 0 }));
    await rig.breaks();
    await rig.clock.advance(500);
    await rig.accept({ resumed: true });
    await rig.says(inventory('i2'), control('system.synced', { seq: 0 }));
    expect(rig.messages).toEqual(['i1', 'i2']);
  });

  it('tells every kept frame that comes live', async () => {
    const rig = new Rig({ self: AGENT });
    const answer = { ...text('tools', 0), type: 'tool.list', sender: SELF, seq: null };
    await rig.greet();
    await rig.says(answer, control('system.synced', { seq: 0 }), answer, answer);
    expect(rig.messages).toEqual(['tools', 'tools', 'tools']);
  });

  it('tells what another socket of this participant sent', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.says(text('other-tab', 1, SELF));
    expect(rig.messages).toEqual(['other-tab']);
  });

  it('does not tell what it sent itself, when a replay brings it', async () => {
    const rig = new Rig();
    await rig.online();
    const { id } = await rig.connection.send('text', { content: 'x' });
    await rig.says(control('system.ack', { ref: id, seq: 1, duplicate: false }));
    await rig.breaks();
    await rig.accept({ resumed: true, head_seq: 1 });
    await rig.says(text(id, 1, SELF), control('system.synced', { seq: 1 }));
    expect(rig.messages).toEqual([]);
  });

  it('takes an own message in the replay for the ack that was lost', async () => {
    const rig = new Rig();
    await rig.online();
    const { id, done } = await rig.connection.send('text', { content: 'x' });
    await rig.breaks();
    await rig.accept({ resumed: true, head_seq: 1 });
    await rig.says(text(id, 1, SELF));
    expect(await done).toEqual({ ref: id, seq: 1, duplicate: true });
    expect(rig.messages).toEqual([]);
    await rig.says(control('system.ack', { ref: id, seq: 1, duplicate: true }));
    expect(rig.of('sent').filter(({ status }) => status.state === 'relayed')).toHaveLength(1);
  });

  it('hands on a type that it does not know, and survives what is no frame', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.says(
      { v: 1, id: 'u1', type: 'lineup.v9.dance', sender: AGENT, seq: 1, payload: { steps: 3 } },
      { v: 1, id: 'u2', type: 'system.novelty', payload: {} },
    );
    for (const garbage of ['{', '[]', 'null', '{"type":1}', '{"type":"text"}', new ArrayBuffer(2)]) rig.socket.says(garbage);
    await rig.says(control('system.welcome', {}), control('system.synced', {}), control('system.ack', {}), text('m2', 2));
    expect(rig.messages).toEqual(['u1', 'u2', 'm2']);
    expect(rig.of('fault').length).toBeGreaterThanOrEqual(6);
    expect(rig.connection.state.name).not.toBe('stopped');
  });
});

describe('system.received', () => {
  const received = (rig: Rig) => rig.socket.of('system.received').map(({ payload }) => payload.seq);

  it('is sent once a second while the cursor moves', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.says(text('m1', 1), text('m2', 2));
    await rig.clock.advance(999);
    expect(received(rig)).toEqual([]);
    await rig.clock.advance(1);
    expect(received(rig)).toEqual([2]);
    await rig.clock.advance(10_000);
    expect(received(rig)).toEqual([2]);
    await rig.says(text('m3', 3));
    await rig.clock.advance(1_000);
    expect(received(rig)).toEqual([2, 3]);
  });

  it('is sent at least every 1 MiB', async () => {
    const rig = new Rig();
    await rig.online();
    let bytes = 0;
    let told = 0;
    for (let seq = 1; seq <= 40; seq++) {
      const frame = { ...text(`m${seq}`, seq), payload: { content: '漢'.repeat(20_000) } };
      bytes += Buffer.byteLength(JSON.stringify(frame));
      await rig.says(frame);
      if (received(rig).length > told) {
        told = received(rig).length;
        bytes = 0;
      }
      expect(bytes).toBeLessThan(1_048_576);
    }
    expect(told).toBeGreaterThan(1);
  });

  it('is sent once more when the connection is closed', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.says(text('m1', 1));
    await rig.connection.close();
    expect(received(rig)).toEqual([1]);
    expect(rig.socket.closed).toBe(true);
  });

  it('does not repeat what the hello said', async () => {
    const rig = new Rig({ cursor: new MemoryCursorStore({ epoch: 'e1', seq: 5 }) });
    await rig.online({ resumed: true, head_seq: 5 });
    await rig.clock.advance(5_000);
    expect(received(rig)).toEqual([]);
  });
});

describe('events', () => {
  it('tells receipts, presence, settlings and tidings as the relay sends them', async () => {
    const rig = new Rig();
    await rig.online();
    const device = { device_id: 'dv_2', name: 'x' };
    await rig.says(
      control('system.receipt', { participant: AGENT, seq: 3 }),
      control('system.presence', { peer: AGENT, online: false, last_seen: null }),
      control('system.settled', { call_id: 'c', status: 'completed', by: SELF }),
      control('system.paired', { device }),
      control('system.revoked', { device }),
      control('system.conversation', { conversation: { conversation_id: 'cv_2' }, change: 'created' }),
      control('system.error', { ref: 'e1', code: 'invalid_payload', message: 'm', retryable: false }),
    );
    expect(rig.of('receipt')).toEqual([{ participant: AGENT, seq: 3 }]);
    expect(rig.of('presence')).toEqual([{ peer: AGENT, online: false, last_seen: null }]);
    expect(rig.of('settled')).toEqual([{ call_id: 'c', status: 'completed', by: SELF }]);
    expect(rig.of('paired')).toEqual([{ device }]);
    expect(rig.of('revoked')).toEqual([{ device }]);
    expect(rig.of('conversation')).toMatchObject([{ change: 'created' }]);
    expect(rig.of('refused')).toMatchObject([{ code: 'invalid_payload' }]);
    expect(rig.messages).toEqual([]);
  });

  it('a listener that throws stops neither the others nor the connection', async () => {
    const rig = new Rig();
    rig.connection.on('message', () => {
      throw new Error('bug');
    });
    const heard: string[] = [];
    rig.connection.on('message', ({ id }) => heard.push(id));
    await rig.online();
    await rig.says(text('m1', 1), text('m2', 2));
    expect(heard).toEqual(['m1', 'm2']);
    expect(rig.of('fault')).toHaveLength(2);
  });
});

describe('closing', () => {
  it('closes the socket, forgets its timers and tries no more', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.connection.close();
    expect(rig.connection.state).toEqual({ name: 'stopped', reason: 'closed' });
    expect(rig.clock.pending).toBe(0);
    await rig.clock.advance(600_000);
    expect(rig.sockets).toHaveLength(1);
  });

  it('can be started again at once, as a page in development does', async () => {
    const rig = new Rig();
    rig.connection.start();
    const closing = rig.connection.close();
    rig.connection.start();
    await closing;
    await settle();
    expect(rig.sockets).toHaveLength(1);
    await rig.accept();
    expect(rig.connection.state.name).toBe('syncing');
  });

  it('can be closed from a listener in the middle of the welcome', async () => {
    const rig = new Rig();
    rig.connection.on('welcome', () => void rig.connection.close());
    const { done } = await rig.connection.send('text', { content: 'x' });
    void done;
    await rig.greet();
    expect(rig.socket.of('text')).toEqual([]);
    expect(rig.clock.pending).toBe(0);
    expect(rig.connection.outbox).toMatchObject([{ status: { state: 'queued' } }]);
  });
});
