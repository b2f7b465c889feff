/** Getting connected and staying so (§4), each rule against a scripted socket and a clock that stands still. */
import { describe, expect, it } from 'vitest';
import { settle } from './testing/fake-clock.ts';
import { control, Rig, text, welcome } from './testing/rig.ts';

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

  it('a relay that is down for an hour is tried all the time, and what was said meanwhile goes out once', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.breaks();
    const { id } = await rig.connection.send('text', { content: 'during the outage' });
    const back = rig.clock.now() + 3_600_000;
    while (rig.clock.now() < back) {
      const { state } = rig.connection;
      if (state.name === 'waiting') await rig.clock.advance(state.retryAt - rig.clock.now());
      await rig.breaks();
    }
    // One try in 15 s on average, once the pauses have grown: a relay that comes back is not overrun.
    expect(rig.sockets.length).toBeGreaterThan(200);
    expect(rig.sockets.length).toBeLessThan(300);
    const { state } = rig.connection;
    if (state.name === 'waiting') await rig.clock.advance(state.retryAt - rig.clock.now());
    await rig.accept();
    const sent = rig.sockets.flatMap((socket) => socket.of('text'));
    expect(sent.map((frame) => frame.id)).toEqual([id]);
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
