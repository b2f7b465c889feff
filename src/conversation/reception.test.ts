/** The first frame of a socket (§4): what is a hello, what is none, and the token that may come with it. */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { Participant } from '../protocol/envelope.ts';
import type { JsonObject } from '../protocol/json.ts';

const welcomeOf = (socket: Socket): JsonObject => socket.of('system.welcome')[0]!.payload;

describe('a hello that is none', () => {
  it.each<[string, string | ArrayBuffer]>([
    ['another frame', JSON.stringify({ v: 1, id: 'a', type: 'text', payload: { content: 'x' } })],
    ['no JSON', '{'],
    ['a binary frame', new ArrayBuffer(3)],
    ['a hello without a name', JSON.stringify({ v: 1, id: 'a', type: 'system.hello', payload: {} })],
    ['a malformed resume', JSON.stringify({ v: 1, id: 'a', type: 'system.hello', payload: { name: 'x', resume: { epoch: 'e', seq: -1 } } })],
    ['a broken resume', JSON.stringify({ v: 1, id: 'a', type: 'system.hello', payload: { name: 'x', resume: 7 } })],
  ])('closes with 4400: %s', async (_what, data) => {
    const room = new Room();
    const socket = room.connect(PHONE);
    await room.raw(socket, data);
    expect(socket.closedWith).toBe(4400);
    expect(socket.of('system.welcome')).toEqual([]);
    expect(room.ledger.log.head).toBe(0);
  });

  it('says what was wrong with a malformed resume', async () => {
    const room = new Room();
    const socket = room.connect(PHONE);
    const id = await room.send(socket, 'system.hello', { name: 'x', resume: { epoch: 'e' } });
    expect(socket.frames).toMatchObject([{ type: 'system.error', payload: { ref: id, code: 'invalid_payload' } }]);
    expect(String(socket.frames[0]!.payload.message)).toMatch(/^payload\.resume\.seq: /);
  });

  it('is refused when it comes twice, and the socket stays', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    expect(await room.ask(phone, 'system.hello', { name: 'x' })).toMatchObject({ code: 'unsupported_type' });
    expect(phone.closedWith).toBeNull();
  });
});

describe('a token that comes with hello', () => {
  const hello = (token?: string): string =>
    JSON.stringify({ v: 1, id: 'h', type: 'system.hello', payload: { name: 'x', session: 's', ...(token !== undefined && { token }) } });
  const text = (id: string): string => JSON.stringify({ v: 1, id, type: 'text', payload: { content: id } });
  const admit =
    (participant: Participant): Room['admit'] =>
    async () => ({ ok: true, participant, name: 'Phone', freshToken: 'fresh' });

  it('lets in whom it names', async () => {
    const room = new Room();
    room.admit = admit(PHONE);
    const socket = room.connect(null);
    await room.raw(socket, hello('good'));
    expect(welcomeOf(socket)).toMatchObject({ you: PHONE, token: 'fresh' });
  });

  it('closes with the code of its refusal, and with 4401 when there is none', async () => {
    const room = new Room();
    room.admit = async () => ({ ok: false, close: 4403 });
    const [revoked, without] = [room.connect(null), room.connect(null)];
    await room.raw(revoked, hello('bad'));
    await room.raw(without, hello());
    expect([revoked.closedWith, without.closedWith]).toEqual([4403, 4401]);
  });

  it('holds what comes while it is checked, and keeps the order', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    room.admit = async (token) => {
      await gate;
      return admit(PHONE)(token);
    };
    const socket = room.connect(null);
    const done = room.hand(socket, hello('good'));
    for (const id of ['a', 'b', 'c', 'd']) void room.hand(socket, text(id));
    await room.turn();
    expect(socket.frames).toEqual([]);
    open();
    // The next ones come when the first of those that were held are being committed.
    for (let i = 0; i < 20; i++) {
      await Promise.resolve();
      if (socket.of('system.ack').length === 1) break;
    }
    void room.hand(socket, text('e'));
    await room.turn();
    await done;
    await room.turn();
    expect(socket.of('system.ack').map(({ payload }) => payload.ref)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(agent.of('text').map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('holds only so much', async () => {
    const room = new Room();
    room.admit = () => new Promise(() => undefined);
    const socket = room.connect(null);
    void room.hand(socket, hello('good'));
    for (let i = 0; i < 64; i++) void room.hand(socket, text(`m${i}`));
    expect(socket.closedWith).toBeNull();
    void room.hand(socket, text('one too many'));
    expect(socket.closedWith).toBe(4400);
  });

  it('that could not be checked closes the socket so that the client tries again', async () => {
    const room = new Room();
    room.admit = async () => {
      throw new Error('the directory does not answer');
    };
    const socket = room.connect(null);
    await room.raw(socket, hello('good'));
    expect(socket.closedWith).toBe(4408);
    expect(room.reports).toHaveLength(1);
  });

  it('is for nobody when the socket is gone meanwhile', async () => {
    const room = new Room();
    const agent = await room.join(AGENT);
    room.admit = admit(PHONE);
    const socket = room.connect(null);
    const done = room.hand(socket, hello('good'));
    room.cut(socket);
    await done;
    expect(agent.of('system.presence')).toEqual([]);
    expect(room.conversation.roster.isOnline(PHONE.id)).toBe(false);
  });
});

describe('nothing comes before the welcome', () => {
  const call = (call_id: string): JsonObject => ({ name: 'choice', call_id, arguments: {} });

  it('neither presence nor what is settled by the hello', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(agent, 'tool.call', { ...call('c'), expires_at: '2026-01-01T00:01:00Z' });
    await room.send(agent, 'tool.call', call('d'));
    room.now += 80_000;
    // The phone has been silent for too long, and c has expired: both come to light with this hello.
    const again = await room.join(AGENT, { cancel_pending: true, ...room.resume(0) });
    expect(again.types()[0]).toBe('system.welcome');
    expect(again.of('system.presence')).toEqual([]);
    expect(welcomeOf(again).peers).toMatchObject([{ ...PHONE, online: false }, TABLET]);
    expect(phone.of('system.settled').map(({ payload }) => payload.status)).toEqual(['expired', 'cancelled']);
  });

  it('nor what comes to light when it takes the place of an older socket', async () => {
    const room = new Room();
    const [agent] = [await room.join(AGENT), await room.join(PHONE)];
    room.now += 80_000;
    const again = await room.join(AGENT);
    expect([agent.closedWith, again.types()]).toEqual([4409, ['system.welcome', 'system.synced']]);
    expect(welcomeOf(again).peers).toMatchObject([{ ...PHONE, online: false }, TABLET]);
  });
});
