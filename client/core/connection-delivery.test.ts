/** What a connection tells its application, and how it resumes (§4: cursor, restored frames, gaps, receipts). */
import { describe, expect, it } from 'vitest';
import { MemoryCursorStore } from './cursor-store.ts';
import { settle } from './testing/fake-clock.ts';
import { AGENT, control, Rig, SELF, text } from './testing/rig.ts';

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
