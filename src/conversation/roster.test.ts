/** Which sockets a participant may have at once (§4). */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';

const open = (sockets: readonly Socket[]): boolean[] => sockets.map(({ closedWith }) => closedWith === null);

describe('a device', () => {
  it('may have several sockets, of different sessions', async () => {
    const room = new Room();
    const sockets = [await room.join(PHONE, { session: 'a' }), await room.join(PHONE, { session: 'b' })];
    expect(open(sockets)).toEqual([true, true]);
  });

  it('replaces the socket of the same session', async () => {
    const room = new Room();
    const older = await room.join(PHONE, { session: 'a', attempt: 3 });
    const newer = await room.join(PHONE, { session: 'a', attempt: 4 });
    const equal = await room.join(PHONE, { session: 'a', attempt: 4 });
    expect([older.closedWith, newer.closedWith, equal.closedWith]).toEqual([4409, 4409, null]);
  });

  it('is stale itself with a hello that was stuck behind a newer one', async () => {
    const room = new Room();
    const slow = room.connect(PHONE);
    const newer = await room.join(PHONE, { session: 'a', attempt: 5 });
    await room.hello(slow, { session: 'a', attempt: 4 });
    expect([slow.closedWith, slow.types(), newer.closedWith]).toEqual([4409, [], null]);
  });

  it('counts attempts within a session alone, and from 0 when it does not count', async () => {
    const room = new Room();
    await room.join(PHONE, { session: 'a', attempt: 5 });
    const other = await room.join(PHONE, { session: 'b', attempt: 1 });
    const without = await room.join(PHONE, { session: 'a' });
    expect([other.closedWith, without.closedWith]).toEqual([null, 4409]);
  });

  it('without a session has one for each socket', async () => {
    const room = new Room();
    const sockets = [room.connect(PHONE), room.connect(PHONE)];
    for (const socket of sockets) await room.send(socket, 'system.hello', { name: 'bare' });
    expect(open(sockets)).toEqual([true, true]);
  });

  it('has 8 sockets at most: the ninth replaces the oldest', async () => {
    const room = new Room();
    const sockets: Socket[] = [];
    for (let i = 0; i < 9; i++) {
      sockets.push(await room.join(PHONE));
      room.pass(10);
    }
    const other = await room.join(TABLET);
    expect(open(sockets)).toEqual([false, ...Array.from({ length: 8 }, () => true)]);
    expect([sockets[0]!.closedWith, other.closedWith]).toEqual([4409, null]);
  });

  it('that replaces one of its 8 sockets by session loses no other', async () => {
    const room = new Room({ sockets_per_device: 2 });
    const [first, second] = [await room.join(PHONE, { session: 'a' }), await room.join(PHONE, { session: 'b' })];
    const again = await room.join(PHONE, { session: 'b' });
    expect(open([first, second, again])).toEqual([true, false, true]);
  });

  it('is replaced after a sleep as before', async () => {
    const room = new Room();
    const older = await room.join(PHONE, { session: 'a', attempt: 3 });
    room.hibernate();
    await room.join(PHONE, { session: 'a', attempt: 4 });
    expect(older.closedWith).toBe(4409);
  });
});

describe('an agent', () => {
  it('has one socket: across sessions the newest wins, whatever its attempt', async () => {
    const room = new Room();
    const first = await room.join(AGENT, { session: 'a', attempt: 9 });
    const second = await room.join(AGENT, { session: 'b', attempt: 0 });
    expect(open([first, second])).toEqual([false, true]);
  });

  it('is stale itself with an older attempt of the same session', async () => {
    const room = new Room();
    const newer = await room.join(AGENT, { session: 'a', attempt: 2 });
    const stale = await room.join(AGENT, { session: 'a', attempt: 1 });
    expect(open([newer, stale])).toEqual([true, false]);
  });

  it('that was replaced is heard no more', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    const older = await room.join(AGENT);
    await room.join(AGENT);
    await room.send(older, 'text', { content: 'from the past' });
    expect([phone.logged(), older.of('system.ack'), room.ledger.log.head]).toEqual([[], [], 0]);
  });
});
