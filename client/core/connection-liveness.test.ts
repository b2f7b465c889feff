/** How a connection finds out that it is dead (§4: keepalive; what pages do that sleep and wake). */
import { describe, expect, it } from 'vitest';
import { settle } from './testing/fake-clock.ts';
import { control, Rig, text } from './testing/rig.ts';

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

  it('that has no network is offline at once, tries on all the same, and connects when there is one again', async () => {
    const rig = new Rig();
    await rig.online();
    rig.page.tells('offline');
    expect(rig.connection.state.name).toBe('waiting');
    expect(rig.socket.closed).toBe(true);
    rig.page.tells('network');
    await settle();
    expect(rig.sockets).toHaveLength(2);
    rig.page.tells('offline');
    await rig.clock.advance(30_000);
    expect(rig.sockets.length).toBeGreaterThan(2);
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
