/** How fast a socket may speak, and how much nonsense it may send (§8). */
import { describe, expect, it } from 'vitest';
import { AGENT, PHONE, Room } from '../../test/support/room.ts';

const LIMITED = { rate_per_s: 10, burst: 20 };

describe('the rate limit', () => {
  it('refuses what exceeds the burst, by name and retryable, and stores nothing of it', async () => {
    const room = new Room(LIMITED);
    const phone = await room.join(PHONE);
    for (let i = 0; i < 20; i++) expect(await room.ask(phone, 'text', { content: 'x' })).toMatchObject({ seq: i + 1 });
    expect(await room.ask(phone, 'text', { content: 'x' }, { id: 'late' })).toMatchObject({ ref: 'late', code: 'rate_limited', retryable: true });
    expect([room.ledger.log.head, phone.closedWith]).toEqual([20, null]);
  });

  it('lets so many pass each second', async () => {
    const room = new Room(LIMITED);
    const phone = await room.join(PHONE);
    for (let i = 0; i < 20; i++) await room.send(phone, 'text', { content: 'x' });
    room.pass(500);
    for (let i = 0; i < 6; i++) await room.send(phone, 'text', { content: 'x' });
    expect([room.ledger.log.head, phone.of('system.error')]).toMatchObject([25, [{ payload: { code: 'rate_limited' } }]]);
  });

  it('saves up no more than a burst', async () => {
    const room = new Room(LIMITED);
    const phone = await room.join(PHONE);
    room.pass(60_000);
    for (let i = 0; i < 25; i++) await room.send(phone, 'text', { content: 'x' });
    expect(room.ledger.log.head).toBe(20);
  });

  it('is for one socket and not its neighbours', async () => {
    const room = new Room(LIMITED);
    const [phone, agent] = [await room.join(PHONE), await room.join(AGENT)];
    for (let i = 0; i < 25; i++) await room.send(phone, 'text', { content: 'x' });
    expect(await room.ask(agent, 'text', { content: 'x' })).toMatchObject({ duplicate: false });
  });

  it('closes with 4429 at the hundredth refusal in a minute', async () => {
    const room = new Room(LIMITED);
    const phone = await room.join(PHONE);
    for (let i = 0; i < 119; i++) await room.send(phone, 'text', { content: 'x' });
    expect([phone.of('system.error').length, phone.closedWith]).toEqual([99, null]);
    await room.send(phone, 'text', { content: 'x' });
    expect([phone.of('system.error').length, phone.closedWith]).toEqual([100, 4429]);
  });

  it('forgives what is a minute old', async () => {
    const room = new Room(LIMITED);
    const phone = await room.join(PHONE);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 110; i++) await room.send(phone, 'text', { content: 'x' });
      room.pass(61_000);
    }
    expect(phone.closedWith).toBeNull();
  });

  it('is none at 0', async () => {
    const room = new Room({ rate_per_s: 0, burst: 1 });
    const phone = await room.join(PHONE);
    for (let i = 0; i < 50; i++) await room.send(phone, 'text', { content: 'x' });
    expect(room.ledger.log.head).toBe(50);
  });

  it('names a frame only when it can be read', async () => {
    const room = new Room({ rate_per_s: 1, burst: 1 });
    const phone = await room.join(PHONE);
    await room.send(phone, 'text', { content: 'x' });
    for (const data of ['{', 'null', '[]', '{"id":7}', '{"id":"\\ud800"}', new ArrayBuffer(1)]) await room.raw(phone, data);
    expect(phone.of('system.error').map(({ payload }) => [payload.code, payload.ref])).toEqual(
      Array.from({ length: 6 }, () => ['rate_limited', null]),
    );
  });
});

describe('malformed frames', () => {
  const NONSENSE: [string, string | ArrayBuffer, string][] = [
    ['no JSON', '{', 'invalid_json'],
    ['no envelope', '[]', 'invalid_envelope'],
    ['binary', new ArrayBuffer(4), 'unsupported_data'],
    ['too large', JSON.stringify({ v: 1, id: 'a', type: 'text', payload: { content: 'x'.repeat(300_000) } }), 'frame_too_large'],
  ];

  it.each(NONSENSE)('are refused by name, and the socket stays: %s', async (_what, data, code) => {
    const room = new Room();
    const phone = await room.join(PHONE);
    await room.raw(phone, data);
    expect(phone.of('system.error')).toMatchObject([{ payload: { code, retryable: false } }]);
    expect(await room.ask(phone, 'text', { content: 'x' })).toMatchObject({ seq: 1 });
  });

  it('close the socket with 4400 at the twentieth in a minute', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    for (let i = 0; i < 19; i++) await room.raw(phone, NONSENSE[i % 4]![1]);
    expect(phone.closedWith).toBeNull();
    await room.raw(phone, '{');
    expect([phone.of('system.error').length, phone.closedWith]).toEqual([20, 4400]);
  });

  it('leave nothing that came before them without its answer', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    const frames = [
      ...['a', 'b'].map((id) => JSON.stringify({ v: 1, id, type: 'text', payload: { content: 'x' } })),
      ...Array.from({ length: 20 }, () => '{'),
    ];
    for (const frame of frames) void room.hand(phone, frame);
    await room.turn();
    expect([phone.of('system.ack').map(({ payload }) => payload.ref), phone.closedWith]).toEqual([['a', 'b'], 4400]);
  });

  it('are forgiven after a minute', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    for (let i = 0; i < 60; i++) {
      await room.raw(phone, '{');
      room.pass(3_200);
    }
    expect(phone.closedWith).toBeNull();
  });

  it('are none that are well formed but refused', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    for (let i = 0; i < 40; i++) await room.send(phone, i % 2 === 0 ? 'tool.call' : 'nonsense', {});
    expect([phone.of('system.error').length, phone.closedWith]).toEqual([40, null]);
  });
});

describe('the state of a socket', () => {
  it('is saved when it changed, and fits into an attachment', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE, { session: 's'.repeat(128) })];
    await room.send(agent, 'text', { content: 'x' });
    expect(phone.saved).toMatchObject({ phase: 'live', sentSeq: 1, cursor: 0 });
    await room.send(phone, 'system.received', { seq: 1 });
    expect(phone.saved).toMatchObject({ cursor: 1, received: 1, unacknowledgedBytes: 0 });
    expect(JSON.stringify(phone.saved).length).toBeLessThan(2_048);
  });

  it('notes every now and then that it was heard, and not with each frame', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    let saves = 0;
    phone.save = () => void saves++;
    for (let i = 0; i < 20; i++) {
      room.pass(1_000);
      await room.send(phone, 'system.ping');
    }
    expect(saves).toBeGreaterThan(1);
    expect(saves).toBeLessThan(6);
  });
});
