/** Texts and their edits, images, files: who gets them (§2), and what sending the same id again does (§4). */
import { describe, expect, it } from 'vitest';
import { AGENT, CONVERSATION_ID, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';

async function scene(limits: ConstructorParameters<typeof Room>[0] = {}) {
  const room = new Room(limits);
  const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
  return { room, agent, phone, tablet };
}

const got = (type: string, ...sockets: Socket[]): number[] => sockets.map((socket) => socket.of(type).length);
const at = (kind: string, id?: string): JsonObject => ({ target: { kind, ...(id !== undefined && { id }) } });

describe('a message', () => {
  it('comes with what the relay knows of it, whatever its sender wrote', async () => {
    const { room, agent, phone } = await scene();
    room.pass(1_234);
    await room.send(
      phone,
      'lineup.v1.text',
      { content: 'x', extra: [1] },
      { id: 'm', sender: { ...AGENT }, seq: 99, ts: 'never', settled: {}, other: 1 },
    );
    expect(agent.of('text')).toEqual([
      {
        v: 1,
        id: 'm',
        type: 'text',
        conversation_id: CONVERSATION_ID,
        sender: PHONE,
        seq: 1,
        ts: '2026-01-01T00:00:01.234Z',
        payload: { content: 'x', extra: [1] },
      },
    ]);
  });

  it('of the agent reaches all devices, or the one it names', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, 'text', { content: 'x' });
    await room.send(agent, 'text', { content: 'x' }, at('app'));
    await room.send(agent, 'text', { content: 'x' }, at('app', PHONE.id));
    expect(got('text', agent, phone, tablet)).toEqual([0, 3, 2]);
    expect(phone.of('text').at(-1)).toMatchObject({ target: { kind: 'app', id: PHONE.id } });
  });

  it.each<[string, JsonObject, number]>([
    ['text', { content: 'x' }, 1],
    ['image', { url: 'https://example.com/a.png' }, 1],
    ['run.cancel', {}, 0],
  ])('of a device reaches the agent; %s reaches its other devices: %3$i', async (type, payload, others) => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(phone, type, payload);
    expect(got(type, agent, phone, tablet)).toEqual([1, 0, others]);
    await room.send(phone, type, payload, at('agent'));
    await room.send(phone, type, payload, at('agent', AGENT.id));
    expect(got(type, agent, phone, tablet)).toEqual([3, 0, others]);
  });

  it('for nobody that is here is a wrong target', async () => {
    const { room, agent, phone } = await scene();
    for (const [socket, target] of [
      [agent, at('app', 'dv_nobodyaaaaaaaaaaa')],
      [agent, at('agent', AGENT.id)],
      [agent, at('agent')],
      [phone, at('app', TABLET.id)],
      [phone, at('app', PHONE.id)],
      [phone, at('app')],
      [phone, at('agent', 'ag_nobodyaaaaaaaaaaa')],
      [phone, at('somebody')],
    ] as const) {
      expect(await room.ask(socket, 'text', { content: 'x' }, target)).toMatchObject({ code: 'wrong_target' });
    }
    expect(room.ledger.log.head).toBe(0);
  });

  it('is never shown to another device than it is for, live, replayed or in its history', async () => {
    const { room, agent, tablet } = await scene();
    const target = at('app', PHONE.id);
    await room.send(agent, 'text', { content: 'x' }, { id: 'm', ...target });
    await room.send(agent, 'text.edit', { message_id: 'm', content: 'y' });
    await room.send(agent, 'text.delta', { message_id: 'n', offset: 0, delta: 'x' }, target);
    await room.send(agent, 'error', { code: 'x', message: '' }, target);
    await room.send(agent, 'tool.list', {}, target);
    const again = await room.join(TABLET, room.resume(0));
    for (const socket of [tablet, again]) expect(socket.types().every((type) => type.startsWith('system.'))).toBe(true);
  });

  it('sent the wrong way is refused by name', async () => {
    const { room, agent, phone } = await scene();
    for (const [socket, type, payload] of [
      [phone, 'tool.call', { name: 'x', call_id: 'c', arguments: {} }],
      [phone, 'status', { state: 'idle' }],
      [agent, 'run.cancel', {}],
      [agent, 'tool.result', { name: 'x', call_id: 'c', result: { message: '' } }],
      [phone, 'system.ack', {}],
    ] as const) {
      expect(await room.ask(socket, type, payload)).toMatchObject({ code: 'wrong_direction' });
    }
  });

  it('refused in an ephemeral type is told so too, and an accepted one is not answered', async () => {
    const { room, agent, phone } = await scene();
    const delta = { message_id: 'm', offset: 0, delta: 'x' };
    await room.send(agent, 'text.delta', delta);
    expect([got('text.delta', phone), agent.of('system.ack')]).toEqual([[1], []]);
    expect(await room.ask(agent, 'text.delta', delta, at('app', 'dv_nobodyaaaaaaaaaaa'))).toMatchObject({ code: 'wrong_target' });
    expect(await room.ask(agent, 'text.delta', { message_id: 'm' })).toMatchObject({ code: 'invalid_payload' });
    expect(room.sql.writes.filter((write) => write === 'INSERT INTO log')).toEqual([]);
  });

  it('of an ephemeral type never waits behind a commit', async () => {
    const { room, agent, phone } = await scene();
    const frame = (type: string, id: string, payload: JsonObject) => JSON.stringify({ v: 1, id, type, payload });
    void room.hand(agent, frame('text', 'a', { content: 'x' }));
    void room.hand(agent, frame('text', 'b', { content: 'x' }));
    void room.hand(agent, frame('text.delta', 'c', { message_id: 'm', offset: 0, delta: 'x' }));
    expect(phone.types().slice(-2)).toEqual(['text', 'text.delta']);
    await room.turn();
    expect(phone.types().at(-1)).toBe('text');
  });
});

describe('the same id again', () => {
  it('with the same content is acknowledged with the same seq, and delivered to nobody', async () => {
    const { room, agent, phone } = await scene();
    const first = await room.ask(phone, 'text', { content: 'x', n: { a: 1, b: 2 } }, { id: 'm' });
    const again = await room.ask(phone, 'text', { n: { b: 2, a: 1 }, content: 'x' }, { id: 'm' });
    expect(again).toEqual({ ...first, duplicate: true });
    expect(got('text', agent)).toEqual([1]);
  });

  it('with other content, type or target is a conflict', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'text', { content: 'x' }, { id: 'm' });
    for (const [type, payload, extra] of [
      ['text', { content: 'y' }, {}],
      ['text', { content: 'x', format: 'plain' }, {}],
      ['text', { content: 'x' }, at('app', PHONE.id)],
      ['error', { code: 'x', message: '' }, {}],
      ['image', { url: 'https://example.com/a', file_id: 'fl_none' }, {}],
    ] as const) {
      expect(await room.ask(agent, type, payload, { id: 'm', ...extra })).toMatchObject({ code: 'id_conflict', retryable: false });
    }
    expect(got('text', phone)).toEqual([1]);
  });

  it('of another sender is another message', async () => {
    const { room, agent, phone, tablet } = await scene();
    for (const socket of [agent, phone, tablet]) {
      expect(await room.ask(socket, 'text', { content: socket === agent ? 'a' : 'b' }, { id: 'm' })).toMatchObject({ duplicate: false });
    }
  });

  it('is known whichever way it comes: another socket, HTTP, after a sleep, after a crash', async () => {
    const { room, phone } = await scene();
    const { seq } = await room.ask(phone, 'text', { content: 'x' }, { id: 'm' });
    const tab = await room.join(PHONE);
    expect(await room.ask(tab, 'text', { content: 'x' }, { id: 'm' })).toMatchObject({ seq, duplicate: true });
    expect(await room.post(PHONE, 'text', { content: 'x' }, { id: 'm' })).toEqual({ ok: true, seq, duplicate: true, id: 'm' });
    room.hibernate();
    expect(await room.ask(phone, 'text', { content: 'x' }, { id: 'm' })).toMatchObject({ seq, duplicate: true });
    room.crash();
    expect(await room.ask(await room.join(PHONE), 'text', { content: 'x' }, { id: 'm' })).toMatchObject({ seq, duplicate: true });
  });
});

describe('an edit', () => {
  it('goes where the text went, and only the newest of a message stays in the log', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, 'text', { content: 'one' }, { id: 'm', ...at('app', PHONE.id) });
    for (const content of ['two', 'three']) await room.send(agent, 'text.edit', { message_id: 'm', content });
    expect(phone.of('text.edit').map(({ payload }) => payload.content)).toEqual(['two', 'three']);
    expect(got('text.edit', tablet)).toEqual([0]);
    const again = await room.join(PHONE, room.resume(0));
    expect(again.logged().map(({ type, payload }) => [type, payload.content])).toEqual([
      ['text', 'one'],
      ['text.edit', 'three'],
    ]);
  });

  it('keeps the edits of other messages', async () => {
    const { room, agent } = await scene();
    for (const id of ['a', 'b']) await room.send(agent, 'text', { content: id }, { id });
    for (const [message_id, content] of [
      ['a', 'a2'],
      ['b', 'b2'],
      ['a', 'a3'],
    ] as const)
      await room.send(agent, 'text.edit', { message_id, content });
    expect((await room.join(PHONE, room.resume(2))).of('text.edit').map(({ payload }) => payload.content)).toEqual(['b2', 'a3']);
  });

  it('is of a text of its own, else the message is unknown', async () => {
    const { room, agent, phone } = await scene();
    await room.send(phone, 'text', { content: 'x' }, { id: 'theirs' });
    await room.send(agent, 'error', { code: 'x', message: '' }, { id: 'no-text' });
    for (const message_id of ['theirs', 'no-text', 'nothing']) {
      expect(await room.ask(agent, 'text.edit', { message_id, content: 'y' })).toMatchObject({ code: 'unknown_message' });
    }
  });

  it('of what retention dropped is of an unknown message', async () => {
    const { room, agent } = await scene({ retain_messages: 4 });
    await room.send(agent, 'text', { content: 'x' }, { id: 'm' });
    for (let i = 0; i < 70; i++) await room.send(agent, 'text', { content: 'x' });
    expect(await room.ask(agent, 'text.edit', { message_id: 'm', content: 'y' })).toMatchObject({ code: 'unknown_message' });
  });

  it('sent again is known as a repeat, even when a newer one took its place', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'text', { content: 'one' }, { id: 'm' });
    const { seq } = await room.ask(agent, 'text.edit', { message_id: 'm', content: 'two' }, { id: 'e' });
    await room.send(agent, 'text.edit', { message_id: 'm', content: 'three' });
    room.hibernate();
    expect(await room.ask(agent, 'text.edit', { message_id: 'm', content: 'two' }, { id: 'e' })).toMatchObject({ seq, duplicate: true });
    expect(await room.ask(agent, 'text.edit', { message_id: 'm', content: 'other' }, { id: 'e' })).toMatchObject({ code: 'id_conflict' });
    expect(got('text.edit', phone)).toEqual([2]);
  });
});

describe('a file', () => {
  const upload = (room: Room, text = 'bytes'): string => {
    let id = '';
    room.conversation.change(({ files, log }) => {
      id = files.add(Uint8Array.from(Buffer.from(text)).buffer, { content_type: 'text/plain', sha256: 'x' }, log.head).file_id;
    });
    return id;
  };
  const file = (file_id: string): JsonObject => ({ file_id, name: 'a.txt', mime_type: 'text/plain', size: 5 });

  it('is one of this conversation, in file and in image', async () => {
    const { room, agent, phone, tablet } = await scene();
    const id = upload(room);
    await room.send(phone, 'file', file(id));
    await room.send(agent, 'image', { url: 'x', file_id: id });
    expect([got('file', agent, tablet), got('image', phone, tablet)]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    for (const [type, payload] of [
      ['file', file('fl_none')],
      ['image', { url: 'x', file_id: 'fl_none' }],
    ] as const) {
      expect(await room.ask(agent, type, payload)).toMatchObject({ code: 'invalid_payload', message: expect.stringMatching(/^payload\.file_id/) });
    }
  });

  it('goes with the last message that refers to it', async () => {
    const { room, agent } = await scene({ retain_messages: 4 });
    const [kept, unused] = [upload(room), upload(room)];
    await room.send(agent, 'file', file(kept));
    const say = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) await room.send(agent, 'text', { content: 'x' });
    };
    await say(63);
    await room.send(agent, 'file', file(kept), { id: 'again' });
    expect([kept, unused].map((id) => room.ledger.files.has(id))).toEqual([true, true]);
    await say(10);
    expect([kept, unused].map((id) => room.ledger.files.has(id))).toEqual([true, false]);
    expect(await room.ask(agent, 'file', file(kept), { id: 'again' })).toMatchObject({ seq: 65, duplicate: true });
    await say(130);
    expect(room.ledger.files.has(kept)).toBe(false);
    expect(room.sql.exec('SELECT * FROM file_chunks')).toEqual([]);
  });
});

describe('a message over HTTP', () => {
  it('obeys the same rules, and is answered the same', async () => {
    const { room, agent, phone } = await scene();
    expect(await room.post(PHONE, 'text', { content: 'x' }, { id: 'm' })).toEqual({ ok: true, seq: 1, duplicate: false, id: 'm' });
    expect(await room.post(PHONE, 'text', { content: 'y' }, { id: 'm' })).toMatchObject({ ok: false, error: { code: 'id_conflict' } });
    expect(await room.post(AGENT, 'status', { state: 'idle' })).toMatchObject({ ok: true, seq: null });
    expect(await room.post(AGENT, 'text.delta', { message_id: 'm', offset: 0, delta: 'x' })).toMatchObject({ ok: true, seq: null, duplicate: false });
    expect(await room.post(AGENT, 'text.delta', { message_id: 'm', offset: 0, delta: 'x' }, at('agent'))).toMatchObject({
      error: { code: 'wrong_target' },
    });
    for (const type of ['system.ping', 'system.hello', 'system.received']) {
      expect(await room.post(PHONE, type, { seq: 0 })).toMatchObject({ ok: false, error: { code: 'unsupported_type' } });
    }
    expect([got('text', agent, phone), got('text.delta', phone)]).toEqual([[1, 1], [1]]);
  });

  it('is answered when its turn comes, in order with those that wait', async () => {
    const { room, agent } = await scene();
    const text = (id: string) => JSON.stringify({ v: 1, id, type: 'text', payload: { content: 'x' } });
    void room.hand(agent, text('a'));
    void room.hand(agent, text('b'));
    const posted = room.conversation.post(PHONE, text('c'));
    await room.turn();
    expect(await posted).toEqual({ ok: true, seq: 3, duplicate: false, id: 'c' });
  });
});
