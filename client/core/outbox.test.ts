/** What happens to outgoing messages, each rule against a scripted relay. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/protocol/limits.ts';
import { DiscardedError, RelayError, UnsendableError } from './errors.ts';
import { MemoryOutboxStore, type OutboxEntry, type OutboxStore } from './outbox-store.ts';
import { settle } from './testing/fake-clock.ts';
import { AGENT, control, Rig, text } from './testing/rig.ts';

const ack = (ref: string, seq: number | null, duplicate = false) => control('system.ack', { ref, seq, duplicate });
const refusal = (ref: string | null, code: string, retryable: boolean) => control('system.error', { ref, code, message: `why ${code}`, retryable });
const texts = (rig: Rig) => rig.socket.of('text').map(({ id }) => id);
const states = (rig: Rig, id: string) => rig.of('sent').flatMap(({ entry, status }) => (entry.id === id ? [status.state] : []));
const send = (rig: Rig, id: string, content = id) => rig.connection.send('text', { content }, { id });

describe('sending', () => {
  it('keeps a message before it promises to, and sends it when there is a connection', async () => {
    const store = new MemoryOutboxStore();
    const rig = new Rig({ outbox: store });
    await send(rig, 'a');
    expect((await store.open()).map(({ id }) => id)).toEqual(['a']);
    expect(states(rig, 'a')).toEqual(['queued']);
    await rig.greet();
    expect(texts(rig)).toEqual(['a']);
    await rig.says(ack('a', 1));
    expect(states(rig, 'a')).toEqual(['queued', 'sending', 'relayed']);
    expect(await store.open()).toEqual([]);
    expect(rig.connection.outbox).toEqual([]);
  });

  it('does not send before the store has it', async () => {
    const puts: (() => void)[] = [];
    class SlowStore extends MemoryOutboxStore {
      override async put(entry: OutboxEntry): Promise<void> {
        await new Promise<void>((resolve) => puts.push(resolve));
        await super.put(entry);
      }
    }
    const rig = new Rig({ outbox: new SlowStore() });
    await rig.online();
    void send(rig, 'a');
    void send(rig, 'b');
    await settle();
    // The second is kept first: it still waits for its turn.
    puts[1]?.();
    await settle();
    expect(texts(rig)).toEqual([]);
    puts[0]?.();
    await settle();
    expect(texts(rig)).toEqual(['a', 'b']);
  });

  it('keeps the order in which it was asked', async () => {
    const rig = new Rig();
    const ids = Array.from({ length: 10 }, (_, i) => `m${i}`);
    await Promise.all(ids.slice(0, 5).map((id) => send(rig, id)));
    await rig.greet();
    await Promise.all(ids.slice(5).map((id) => send(rig, id)));
    expect(texts(rig)).toEqual(ids);
  });

  it('sends what an earlier process left before anything new', async () => {
    const store = new MemoryOutboxStore();
    const before = new Rig({ outbox: store });
    await send(before, 'old1');
    await send(before, 'old2');
    const rig = new Rig({ outbox: store });
    const sent = send(rig, 'new');
    rig.connection.start();
    await sent;
    await settle();
    expect(rig.connection.outbox.map(({ entry }) => entry.id)).toEqual(['old1', 'old2', 'new']);
    await rig.accept();
    expect(texts(rig)).toEqual(['old1', 'old2', 'new']);
  });

  it('sends a copy: what the caller does with its object later changes nothing', async () => {
    const rig = new Rig();
    const payload = { content: 'before' };
    await rig.connection.send('text', payload, { id: 'a' });
    payload.content = 'after';
    await rig.greet();
    expect(rig.socket.of('text')[0]?.payload).toEqual({ content: 'before' });
  });

  it('sends the same id once', async () => {
    const rig = new Rig();
    const [first, second] = await Promise.all([send(rig, 'a'), send(rig, 'a')]);
    await rig.greet();
    await rig.says(ack('a', 1));
    expect(texts(rig)).toEqual(['a']);
    expect([await first.done, await second.done]).toEqual([
      { ref: 'a', seq: 1, duplicate: false },
      { ref: 'a', seq: 1, duplicate: false },
    ]);
  });

  it('refuses another message with an id that waits', async () => {
    const rig = new Rig();
    await send(rig, 'a', 'one');
    await expect(send(rig, 'a', 'two')).rejects.toMatchObject({ name: 'UnsendableError', code: 'id_conflict' });
  });

  it('sends to a target', async () => {
    const rig = new Rig({ self: AGENT });
    await rig.connection.send('text', { content: 'x' }, { id: 'a', target: { kind: 'app', id: 'dv_2' } });
    await rig.greet();
    expect(rig.socket.of('text')[0]?.target).toEqual({ kind: 'app', id: 'dv_2' });
  });

  it('keeps at most 64 messages unanswered', async () => {
    const rig = new Rig();
    await rig.online();
    for (let i = 0; i < 100; i++) await send(rig, `m${i}`);
    expect(texts(rig)).toHaveLength(64);
    await rig.says(ack('m0', 1), ack('m1', 2));
    expect(texts(rig)).toHaveLength(66);
  });

  it('keeps at most 1 MiB unanswered, but never less than one message', async () => {
    const rig = new Rig();
    await rig.online();
    for (let i = 0; i < 10; i++) await send(rig, `m${i}`, '漢'.repeat(60_000));
    const bytes = rig.socket.texts.reduce((sum, sent) => sum + Buffer.byteLength(sent), 0);
    expect(bytes).toBeGreaterThan(700_000);
    expect(bytes).toBeLessThanOrEqual(1_048_576 + 500);
  });

  it('stays below the rate that the welcome names', async () => {
    const rig = new Rig();
    await rig.online({ limits: { ...DEFAULT_LIMITS, rate_per_s: 10, burst: 5 } });
    for (let i = 0; i < 30; i++) await send(rig, `m${i}`);
    expect(texts(rig).length).toBeLessThanOrEqual(5);
    await rig.clock.advance(1_000);
    expect(texts(rig).length).toBeLessThanOrEqual(15);
    await rig.clock.advance(4_000);
    expect(texts(rig)).toHaveLength(30);
    expect(texts(rig)).toEqual(Array.from({ length: 30 }, (_, i) => `m${i}`));
  });
});

describe('a connection that breaks', () => {
  it('has everything unanswered sent again, in order, with the same ids', async () => {
    const rig = new Rig();
    await rig.online();
    for (const id of ['a', 'b', 'c', 'd']) await send(rig, id);
    await rig.says(ack('b', 2));
    await rig.breaks();
    expect(rig.connection.outbox.map(({ status }) => status.state)).toEqual(['queued', 'queued', 'queued']);
    await send(rig, 'e');
    await rig.accept({ resumed: true });
    expect(texts(rig)).toEqual(['a', 'c', 'd', 'e']);
    const [first, again] = rig.sockets.map((socket) => socket.texts.find((sent) => sent.includes('"a"')));
    expect(again).toBe(first);
  });

  it('leaves nothing twice in the outbox when it breaks again and again', async () => {
    const rig = new Rig();
    await rig.online();
    await send(rig, 'a');
    for (let i = 0; i < 5; i++) {
      await rig.breaks();
      await rig.clock.advance(9_000);
      await rig.accept({ resumed: true });
      expect(texts(rig)).toEqual(['a']);
    }
    await rig.says(ack('a', 1, true));
    expect(rig.connection.outbox).toEqual([]);
  });
});

describe('an answer that does not come', () => {
  it('shows after 10 s, and the socket has to prove that it lives', async () => {
    const rig = new Rig();
    await rig.online();
    await send(rig, 'a');
    await rig.clock.advance(9_999);
    expect(states(rig, 'a')).toEqual(['queued', 'sending']);
    await rig.clock.advance(1);
    expect(rig.of('sent').at(-1)?.status).toMatchObject({ state: 'failed', code: 'ack_timeout', retryable: true });
    expect(rig.socket.pings).toBe(1);
    await rig.clock.advance(10_000);
    expect(rig.sockets).toHaveLength(2);
    await rig.accept({ resumed: true });
    expect(texts(rig)).toEqual(['a']);
    expect(states(rig, 'a').at(-1)).toBe('sending');
    await rig.says(ack('a', 1));
    expect(states(rig, 'a').at(-1)).toBe('relayed');
  });

  it('is waited for on a line that is only slow', async () => {
    const rig = new Rig();
    await rig.online();
    await send(rig, 'a');
    rig.socket.bufferedAmount = 100_000;
    await rig.clock.advance(10_000);
    rig.socket.bufferedAmount = 50_000;
    await rig.clock.advance(10_000);
    expect(rig.sockets).toHaveLength(1);
    await rig.says(ack('a', 1));
    expect(states(rig, 'a').at(-1)).toBe('relayed');
  });

  it('can be asked for again by the user', async () => {
    const rig = new Rig();
    await rig.online();
    const { done } = await send(rig, 'a');
    rig.connection.retry('a');
    expect(texts(rig)).toEqual(['a']);
    await rig.clock.advance(10_000);
    rig.connection.retry('a');
    rig.connection.retry('nothing');
    expect(texts(rig)).toEqual(['a', 'a']);
    expect(states(rig, 'a').at(-1)).toBe('sending');
    await rig.says(ack('a', 1), ack('a', 1, true));
    expect(await done).toEqual({ ref: 'a', seq: 1, duplicate: false });
    expect(rig.of('sent').filter(({ status }) => status.state === 'relayed')).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('for good takes the message out, and it is never sent again', async () => {
    const rig = new Rig();
    await rig.online();
    const { done } = await send(rig, 'a');
    await rig.says(refusal('a', 'wrong_target', false));
    await expect(done).rejects.toBeInstanceOf(RelayError);
    await expect(done).rejects.toMatchObject({ code: 'wrong_target', message: 'why wrong_target', retryable: false });
    expect(rig.of('sent').at(-1)?.status).toEqual({ state: 'failed', code: 'wrong_target', message: 'why wrong_target', retryable: false });
    rig.connection.retry('a');
    await rig.breaks();
    await rig.accept({ resumed: true });
    expect(texts(rig)).toEqual([]);
    expect(rig.of('refused')).toEqual([]);
  });

  it('by the rate limit is waited out and repeated in order with the same ids', async () => {
    const rig = new Rig();
    await rig.online();
    for (const id of ['a', 'b', 'c']) await send(rig, id);
    await rig.says(ack('a', 1), refusal('b', 'rate_limited', true), refusal('c', 'rate_limited', true));
    await send(rig, 'd');
    await rig.clock.advance(999);
    expect(texts(rig)).toEqual(['a', 'b', 'c']);
    await rig.clock.advance(1);
    expect(texts(rig)).toEqual(['a', 'b', 'c', 'b', 'c', 'd']);
    expect(rig.of('sent').some(({ status }) => status.state === 'failed')).toBe(false);
  });

  it('that may pass is repeated with growing pauses, and shown', async () => {
    const rig = new Rig();
    await rig.online();
    await send(rig, 'a');
    const pauses: number[] = [];
    for (let i = 0; i < 4; i++) {
      await rig.says(refusal('a', 'storage_full', true));
      expect(rig.of('sent').at(-1)?.status).toMatchObject({ state: 'failed', code: 'storage_full', retryable: true });
      const [at, before] = [rig.clock.now(), texts(rig).length];
      while (texts(rig).length === before) await rig.clock.advance(500);
      pauses.push(rig.clock.now() - at);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
    await rig.says(ack('a', 1));
    expect(rig.connection.outbox).toEqual([]);
  });

  it('of something that is not in the outbox is told apart', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.says(refusal(null, 'invalid_json', false));
    expect(rig.of('refused')).toMatchObject([{ ref: null, code: 'invalid_json' }]);
  });
});

describe('what cannot be sent', () => {
  it('is refused with the limit that the welcome named, and never kept', async () => {
    const store = new MemoryOutboxStore();
    const rig = new Rig({ outbox: store });
    await rig.online({ limits: { ...DEFAULT_LIMITS, max_frame_bytes: 1_000 } });
    await expect(send(rig, 'a', 'x'.repeat(1_000))).rejects.toMatchObject({ limit: 'max_frame_bytes', allowed: 1_000 });
    expect(await store.open()).toEqual([]);
    expect(rig.of('sent')).toEqual([]);
  });

  it('is taken out when the limit turns out to be too low, and the rest goes on', async () => {
    const rig = new Rig();
    const { done } = await send(rig, 'big', 'x'.repeat(1_000));
    await send(rig, 'small');
    await rig.greet({ limits: { ...DEFAULT_LIMITS, max_frame_bytes: 1_000 } });
    await expect(done).rejects.toBeInstanceOf(UnsendableError);
    expect(texts(rig)).toEqual(['small']);
    expect(rig.connection.outbox).toHaveLength(1);
  });
});

describe('discarding', () => {
  it('takes a message out of the outbox and the store', async () => {
    const store = new MemoryOutboxStore();
    const rig = new Rig({ outbox: store });
    const { done } = await send(rig, 'a');
    await send(rig, 'b');
    rig.connection.discard('a');
    await expect(done).rejects.toBeInstanceOf(DiscardedError);
    await settle();
    expect((await store.open()).map(({ id }) => id)).toEqual(['b']);
    await rig.greet();
    expect(texts(rig)).toEqual(['b']);
    expect(states(rig, 'a')).toEqual(['queued', 'discarded']);
  });

  it('is safe for a message that no socket was given, and only for such a one', async () => {
    const store = new MemoryOutboxStore();
    const rig = new Rig({ outbox: store });
    await send(rig, 'a');
    expect([rig.connection.isUntried('a'), rig.connection.isUntried('other')]).toEqual([true, false]);
    await rig.greet();
    await send(rig, 'b');
    await rig.breaks();
    // Nobody knows what became of them.
    expect([rig.connection.isUntried('a'), rig.connection.isUntried('b')]).toEqual([false, false]);
    await send(rig, 'c');
    expect(rig.connection.isUntried('c')).toBe(true);
    await rig.connection.close();
    // Nor does a later process.
    const later = new Rig({ outbox: store });
    await later.connection.send('text', { content: 'd' }, { id: 'd' });
    expect(['a', 'c', 'd'].map((id) => later.connection.isUntried(id))).toEqual([false, false, true]);
  });

  it('leaves room for others when the message was on its way', async () => {
    const rig = new Rig();
    await rig.online();
    for (let i = 0; i < 65; i++) await send(rig, `m${i}`);
    rig.connection.discard('m3');
    expect(texts(rig)).toHaveLength(65);
    await rig.says(ack('m3', 4));
    expect(rig.clock.pending).toBeGreaterThan(0);
  });

  it('forgets a message that was discarded while the store was busy with it', async () => {
    let finish = () => undefined as void;
    class SlowStore extends MemoryOutboxStore {
      override async put(entry: OutboxEntry): Promise<void> {
        await new Promise<void>((resolve) => (finish = resolve));
        await super.put(entry);
      }
    }
    const store = new SlowStore();
    const rig = new Rig({ outbox: store });
    const sending = send(rig, 'a');
    await settle();
    rig.connection.discard('a');
    finish();
    await sending;
    await settle();
    expect(await store.open()).toEqual([]);
  });
});

describe('a store that fails', () => {
  class Denied implements OutboxStore {
    readonly durable = true;
    open(): Promise<OutboxEntry[]> {
      return Promise.reject(new Error('denied'));
    }
    put(): Promise<void> {
      return Promise.reject(new Error('denied'));
    }
    remove(): Promise<void> {
      return Promise.reject(new Error('denied'));
    }
    close(): Promise<void> {
      return Promise.reject(new Error('denied'));
    }
  }

  it('is replaced by memory, and that is said', async () => {
    const rig = new Rig({ outbox: new Denied() });
    await rig.online();
    expect(rig.connection.durable).toBe(false);
    expect(rig.of('storage')[0]).toMatchObject({ store: 'outbox' });
    const { done } = await send(rig, 'a');
    await rig.says(ack('a', 1));
    expect(await done).toMatchObject({ seq: 1 });
    await rig.connection.close();
    expect(rig.of('fault')).toEqual([]);
  });
});

describe('ephemeral messages', () => {
  const delta = { message_id: 'm', offset: 0, delta: 'x' };

  it('are dropped without a connection', async () => {
    const rig = new Rig({ self: AGENT });
    expect(rig.connection.sendNow('text.delta', delta)).toBe(false);
    await rig.online();
    expect(rig.connection.sendNow('text.delta', delta)).toBe(true);
    await rig.breaks();
    expect(rig.connection.sendNow('text.delta', delta)).toBe(false);
    await rig.accept({ resumed: true });
    expect(rig.socket.of('text.delta')).toEqual([]);
  });

  it('are dropped when they would exceed the rate', async () => {
    const rig = new Rig({ self: AGENT });
    await rig.online({ limits: { ...DEFAULT_LIMITS, rate_per_s: 10, burst: 10 } });
    const handed = Array.from({ length: 20 }, () => rig.connection.sendNow('text.delta', delta));
    expect(handed.filter(Boolean)).toHaveLength(9);
  });

  it('have limits too', async () => {
    const rig = new Rig({ self: AGENT });
    await rig.online();
    expect(() => rig.connection.sendNow('text.delta', { ...delta, delta: 'x'.repeat(300_000) })).toThrow(UnsendableError);
  });

  it('do not disturb the messages', async () => {
    const rig = new Rig();
    await rig.online();
    await rig.says({ ...text('d', 0), type: 'text.delta', seq: null });
    expect(rig.messages).toEqual(['d']);
  });
});
