/** What the directory tells a conversation, and who hears of it (§3, §5). */
import { describe, expect, it } from 'vitest';
import { AGENT, CONVERSATION_ID, PHONE, Room, TABLET } from '../../test/support/room.ts';
import { conversationChanged } from './tidings.ts';

const WATCH = { kind: 'app', id: 'dv_cccccccccccccccc' } as const;

describe('a device', () => {
  it('that is paired is told to everyone, once, and may take part at once', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    expect(await room.ask(agent, 'text', { content: 'x' }, { target: { ...WATCH } })).toMatchObject({ code: 'wrong_target' });
    room.pair(WATCH);
    room.pair(WATCH);
    for (const socket of [agent, phone]) {
      expect(socket.of('system.paired').map(({ payload }) => payload)).toEqual([
        { device: { device_id: WATCH.id, name: WATCH.id, platform: 'web', paired_at: '2026-01-01T00:00:00.000Z' } },
      ]);
    }
    expect(await room.ask(agent, 'text', { content: 'x' }, { target: { ...WATCH } })).toMatchObject({ duplicate: false });
    expect((await room.join(WATCH, room.resume(0))).seqs()).toEqual([1]);
  });

  it('that is revoked is cut off in mid-connection and hears nothing more; the others are told', async () => {
    const room = new Room();
    const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
    const pending = room.connect(PHONE);
    await room.send(agent, 'tool.call', { name: 'choice', call_id: 'c', arguments: {} }, { target: { ...PHONE } });
    const heard = phone.frames.length;
    room.revoke(PHONE);
    await room.send(phone, 'text', { content: 'still here?' });
    await room.send(agent, 'text', { content: 'x' });
    expect([phone.closedWith, pending.closedWith, phone.frames.length]).toEqual([4403, 4403, heard]);
    for (const socket of [agent, tablet]) expect(socket.of('system.revoked')).toHaveLength(1);
    expect(agent.of('text')).toEqual([]);
    expect(agent.of('system.presence').at(-1)!.payload).toMatchObject({ online: false });
    // Its calls stay, and so does what it said; nothing new can be for it.
    expect(room.ledger.calls.get('c')?.status).toBe('pending');
    expect(await room.ask(agent, 'text', { content: 'x' }, { target: { ...PHONE } })).toMatchObject({ code: 'wrong_target' });
    room.revoke(PHONE);
    expect(agent.of('system.revoked')).toHaveLength(1);
    expect((await room.join(AGENT)).of('system.welcome')[0]!.payload.peers).toMatchObject([TABLET]);
  });
});

describe('a conversation', () => {
  const tell = (room: Room, id: string, change: 'created' | 'renamed' | 'deleted', title: string): void => {
    const info = { conversation_id: id, title, created_at: '2026-01-01T00:00:00.000Z' };
    room.conversation.change((ledger, effects) => conversationChanged(ledger, room.sql, info, change, effects));
  };

  it('that is renamed has its new title in welcomes, after a crash too', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    tell(room, CONVERSATION_ID, 'renamed', 'Holidays');
    expect(phone.of('system.conversation')).toMatchObject([{ payload: { conversation: { title: 'Holidays' }, change: 'renamed' } }]);
    for (const away of [() => undefined, () => room.crash()]) {
      away();
      expect((await room.join(PHONE)).of('system.welcome')[0]!.payload.conversation).toEqual({ id: CONVERSATION_ID, title: 'Holidays' });
    }
  });

  it('keeps its title when another one is made or renamed', async () => {
    const room = new Room();
    const phone = await room.join(PHONE);
    for (const change of ['created', 'renamed', 'deleted'] as const) tell(room, 'cv_otheraaaaaaaaaaaa', change, 'Other');
    tell(room, CONVERSATION_ID, 'created', 'Not this');
    expect(phone.of('system.conversation').map(({ payload }) => payload.change)).toEqual(['created', 'renamed', 'deleted', 'created']);
    expect(room.ledger.meta.title).toBe('Room');
  });
});
