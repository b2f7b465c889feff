/** §8, retention: how much stays, what survives, what goes along, and how a gap is told. */
import { describe, expect, it } from 'vitest';
import { sleep, useRelay, type Room } from './people.ts';
import type { Joined } from './wire.ts';

/** Messages by which trimming may lag behind the limit (§8). */
const SLACK = 64;
const APP = { id: 'com.x.y', name: 'x', version: '1.0.0', html: '<p>' };

/** Sends so many texts and waits until the last is stored. @returns their ids */
async function say(wire: Joined, count: number, content = 'x'): Promise<string[]> {
  const sent = Array.from({ length: count }, (_, i) => wire.send('text', { content: `${i} ${content}` }));
  await wire.answer(sent.at(-1)!);
  return sent;
}

describe('§8 retention by messages', () => {
  const relay = useRelay({ LINEUP_RETAIN_MESSAGES: '100' });

  it('the log keeps between 100 and 164, oldest_seq moves, and seq goes on', async () => {
    const { agent, devices, a } = await relay.room(1);
    const sent = await say(a, 1_000);
    for (const who of [agent, devices[0]!]) {
      const page = await relay.page(who, '?after=0&limit=1');
      expect(page.head_seq).toBe(1_000);
      const kept = await relay.history(who);
      expect(kept.length).toBeGreaterThanOrEqual(100);
      expect(kept.length).toBeLessThanOrEqual(100 + SLACK);
      expect(kept[0]!.seq).toBe(page.oldest_seq);
      expect(kept.map(({ id }) => id)).toEqual(sent.slice(-kept.length));
    }
    const { welcome } = await relay.join(devices[0]!);
    expect([welcome.head_seq, welcome.oldest_seq]).toEqual([1_000, (await relay.page(agent, '?after=0&limit=1')).oldest_seq]);
    expect((await a.ok('text', { content: 'next' })).seq).toBe(1_001);
  });

  it('never keeps less than the limit while it trims', async () => {
    const { agent, a } = await relay.room(0);
    for (let i = 0; i < 8; i++) {
      await say(a, 37);
      const { head_seq, oldest_seq } = await relay.page(agent, '?limit=1');
      expect(head_seq - oldest_seq + 1).toBeGreaterThanOrEqual(Math.min(head_seq, 100));
      expect(head_seq - oldest_seq + 1).toBeLessThanOrEqual(100 + SLACK);
    }
  });

  it('a resume of what was trimmed is a gap from oldest_seq; just before it is none', async () => {
    const { devices, a } = await relay.room(1);
    await say(a, 500);
    const { epoch } = a.welcome;
    const { oldest_seq, head_seq } = (await relay.join(devices[0]!)).welcome;
    for (const [seq, gap] of [
      [0, true],
      [1, true],
      [oldest_seq - 2, true],
      [oldest_seq - 1, false],
      [oldest_seq, false],
      [head_seq, false],
      [head_seq + 1, true],
    ] as const) {
      const wire = await relay.join(devices[0]!, { resume: { epoch, seq } });
      expect([seq, wire.welcome.gap, wire.welcome.resumed]).toEqual([seq, gap, !gap]);
      const from = gap ? oldest_seq : seq + 1;
      expect(wire.replay.map((frame) => frame.seq)).toEqual(Array.from({ length: head_seq - from + 1 }, (_, i) => from + i));
      expect(wire.of('system.synced')[0]!.payload.seq).toBe(head_seq);
      await wire.end();
    }
  });

  it('pending calls and open surfaces survive, outside the log, and do not hold it back', async () => {
    const room = await relay.room(1);
    const { agent, devices, a, d } = room;
    const call = await a.ok('tool.call', { name: 'choice', action: 'select', call_id: 'c', arguments: { question: '?' } });
    const opened = await a.ok('ui.open', { instance_id: 'i', app: APP, state: { n: 0 } });
    const patched = await a.ok('ui.patch', { instance_id: 'i', state: { n: 1 } });
    await a.ok('ui.open', { instance_id: 'closed', app: APP, state: {} });
    await a.ok('ui.close', { instance_id: 'closed' });
    await d[0]!.ok('client.inventory', { revision: 'r1', standard_components: [], applications: [], capabilities: [] });
    await say(a, 600);
    const survivors = [call, opened, patched].map(({ id, seq }) => [id, seq]);
    for (const hello of [{}, { resume: { epoch: a.welcome.epoch, seq: 0 } }]) {
      const wire = await relay.join(devices[0]!, hello);
      expect(wire.welcome.oldest_seq).toBeGreaterThan(400);
      expect([wire.welcome.pending_calls, wire.welcome.surfaces]).toEqual([['c'], ['i']]);
      expect(wire.replay.slice(0, 3).map(({ id, seq }) => [id, seq])).toEqual(survivors);
      expect(wire.replay.length > 3).toBe('resume' in hello);
    }
    expect((await relay.join(agent)).welcome.inventories).toMatchObject([{ revision: 'r1' }]);
    for (const frame of await relay.history(agent)) expect(survivors.map(([id]) => id)).not.toContain(frame.id);
    await relay.crash();
    const [back, phone] = [await relay.join(agent), await relay.join(devices[0]!)];
    expect(phone.replay.map(({ id, seq }) => [id, seq])).toEqual(survivors);
    // They still work like any other.
    expect(await back.ok('tool.call', { name: 'choice', action: 'select', call_id: 'c', arguments: { question: '?' } })).toMatchObject({
      duplicate: true,
      seq: call.seq,
    });
    const again = await back.ok('ui.patch', { instance_id: 'i', state: { n: 2 } });
    expect((await relay.join(devices[0]!)).replay.map(({ id }) => id)).toEqual([call.id, opened.id, again.id]);
    const result = await phone.ok('tool.result', { name: 'choice', action: 'select', call_id: 'c', result: { message: 'x' } });
    await back.message(result.id);
    await phone.ok('ui.event', { instance_id: 'i', event: 'close', data: {} });
    const fresh = await relay.join(devices[0]!);
    expect([fresh.replay, fresh.welcome.pending_calls, fresh.welcome.surfaces]).toEqual([[], [], []]);
  });

  it('a call that was settled before is kept as long as its result, and no longer', async () => {
    const { agent, a, d } = await relay.room(1);
    const call = { name: 'choice', action: 'select', call_id: 'c', arguments: {} };
    const result = { name: 'choice', action: 'select', call_id: 'c', result: { message: 'x' } };
    await a.ok('tool.call', call);
    await say(a, 300);
    // The call has left the log; it is answered all the same, and its result is in the log.
    const { id, seq } = await d[0]!.ok('tool.result', result);
    await say(a, 50);
    const from = a.frames.length;
    expect(await a.ok('tool.call', call)).toMatchObject({ duplicate: true });
    expect(await a.message(id, from)).toMatchObject({ seq });
    expect(await relay.audit(agent)).toMatchObject([{ call_id: 'c', status: 'completed' }]);
    await say(a, 300);
    expect(await relay.audit(agent)).toEqual([]);
    expect(await d[0]!.refused('tool.result', { ...result, call_id: 'c' })).toBe('unknown_call');
    // A new call may have its name.
    const second = await a.ok('tool.call', call);
    expect(second.duplicate).toBe(false);
    await d[0]!.message(second.id);
  });

  it('edits go with the log: of a text that is gone, unknown_message; an edit may outlive its text', async () => {
    const { agent, a } = await relay.room(0);
    const [first] = await say(a, 1);
    const edit = await a.ok('text.edit', { message_id: first, content: 'edited' });
    await say(a, 300);
    expect((await relay.history(agent)).some(({ id }) => id === edit.id)).toBe(false);
    expect(await a.refused('text.edit', { message_id: first, content: 'again' })).toBe('unknown_message');
    const [later] = await say(a, 1);
    for (let i = 0; i < 5; i++) await a.ok('text.edit', { message_id: later, content: `v${i}` });
    expect((await relay.history(agent)).filter(({ type }) => type === 'text.edit').map(({ payload }) => payload.content)).toEqual(['v4']);
  });

  it('ids are forgotten with their messages: the same id later is a new message', async () => {
    const { agent, a } = await relay.room(0);
    const first = await a.ok('text', { content: 'first' }, { id: 'again' });
    expect(await a.ok('text', { content: 'first' }, { id: 'again' })).toMatchObject({ duplicate: true, seq: first.seq });
    await say(a, 300);
    const second = await a.ok('text', { content: 'second' }, { id: 'again' });
    expect([second.duplicate, second.seq]).toEqual([false, 302]);
    expect(await a.refused('text', { content: 'third' }, { id: 'again' })).toBe('id_conflict');
    expect((await relay.history(agent)).filter(({ id }) => id === 'again')).toHaveLength(1);
  });

  it('files go with the last message that refers to them, unused ones when the log has moved past them', async () => {
    const { agent, devices, a } = await relay.room(1);
    const [used, unused, again] = [await relay.upload(agent, 'used'), await relay.upload(agent, 'unused'), await relay.upload(agent, 'again')];
    const refer = (file_id: string) => a.ok('file', { file_id, name: 'a', mime_type: 'text/plain', size: 1 });
    const status = async (id: string) => (await relay.call('GET', `/v1/conversations/${agent.conversation}/files/${id}`, { as: devices[0]! })).status;
    await refer(used);
    await refer(again);
    await say(a, 90);
    await a.ok('image', { url: 'https://x.example/a.png', file_id: again });
    expect([await status(used), await status(unused), await status(again)]).toEqual([200, 200, 200]);
    await say(a, 120);
    expect([await status(used), await status(unused), await status(again)]).toEqual([404, 404, 200]);
    expect(await a.refused('file', { file_id: used, name: 'a', mime_type: 'text/plain', size: 1 })).toBe('invalid_payload');
    await say(a, 200);
    expect(await status(again)).toBe(404);
  });

  it('a reader that was away for longer than the log hears of it, and misses nothing that is left', async () => {
    const { devices, a, d } = await relay.room(1);
    const before = await say(a, 10);
    await d[0]!.message(before.at(-1)!);
    await d[0]!.end();
    const sent = await say(a, 400);
    const wire = await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 10 } });
    expect(wire.welcome).toMatchObject({ gap: true, resumed: false });
    expect(wire.replay.map(({ id }) => id)).toEqual(sent.slice(-wire.replay.length));
    expect(wire.replay.length).toBe(wire.welcome.head_seq - wire.welcome.oldest_seq + 1);
  });

  it('what one device may see is trimmed alike: targeted messages count as messages', async () => {
    const { devices, a } = await relay.room(2);
    const target = { kind: 'app' as const, id: devices[0]!.id };
    const { id } = await a.ok('text', { content: 'for two' }, { target: { kind: 'app', id: devices[1]!.id } });
    for (let i = 0; i < 299; i++) a.send('text', { content: `${i}` }, { target });
    await a.sync();
    const wire = await relay.join(devices[1]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect([wire.welcome.gap, wire.replay]).toEqual([true, []]);
    expect(wire.of('system.synced')[0]!.payload.seq).toBe(300);
    expect((await relay.history(devices[1]!)).some((frame) => frame.id === id)).toBe(false);
  });
});

describe('§8 retention by bytes', () => {
  const relay = useRelay({ LINEUP_RETAIN_BYTES: '1000000' });

  it('the log keeps about a megabyte, by the size of its frames', async () => {
    const { agent, a } = await relay.room(0);
    const kept = async () => (await relay.history(agent)).reduce((sum, frame) => sum + Buffer.byteLength(JSON.stringify(frame)), 0);
    await say(a, 400, 'ü'.repeat(5_000));
    expect(await kept()).toBeGreaterThanOrEqual(1_000_000);
    // 64 messages behind the limit, of about 10 kB each.
    expect(await kept()).toBeLessThanOrEqual(1_000_000 + 65 * 10_300);
    await say(a, 3_000, 'y'.repeat(500));
    expect(await kept()).toBeGreaterThanOrEqual(1_000_000);
    expect(await kept()).toBeLessThanOrEqual(1_000_000 * 1.1);
    const { oldest_seq, head_seq } = await relay.page(agent, '?limit=1');
    expect([oldest_seq > 400, head_seq]).toEqual([true, 3_400]);
  });

  it('what compaction took does not count: a surface patched for ever trims nothing', async () => {
    const room: Room = await relay.room(1);
    const { agent, a } = room;
    const { id } = await a.ok('text', { content: 'still here' });
    await a.ok('ui.open', { instance_id: 'i', app: APP, state: {} });
    for (let i = 0; i < 300; i++) a.send('ui.patch', { instance_id: 'i', state: { i, pad: 'x'.repeat(10_000) } });
    await a.sync();
    expect((await relay.history(agent)).map((frame) => frame.type)).toEqual(['text', 'lineup.v1.ui.open', 'lineup.v1.ui.patch']);
    expect((await relay.page(agent, '?limit=1')).oldest_seq).toBe(1);
    expect((await relay.history(agent))[0]!.id).toBe(id);
  });
});

describe('§8 retention by age', () => {
  // Two seconds.
  const relay = useRelay({ LINEUP_RETAIN_DAYS: String(2 / 86_400) });

  it('messages, files and settled calls go by themselves when they are old; what is open stays', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    const file = await relay.upload(agent, 'bytes');
    await a.ok('file', { file_id: file, name: 'a', mime_type: 'text/plain', size: 5 });
    await a.ok('tool.call', { name: 'choice', call_id: 'done', arguments: {} });
    await d[0]!.ok('tool.result', { name: 'choice', call_id: 'done', result: { message: 'x' } });
    const open = await a.ok('tool.call', { name: 'choice', call_id: 'open', arguments: {} });
    for (let i = 0; (await relay.history(agent)).length > 0; i++) {
      expect(i, 'still there').toBeLessThan(100);
      await sleep(100);
    }
    expect(await relay.audit(agent)).toMatchObject([{ call_id: 'open', status: 'pending' }]);
    expect((await relay.call('GET', `/v1/conversations/${agent.conversation}/files/${file}`, { as: agent })).status).toBe(404);
    const wire = await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect(wire.welcome).toMatchObject({ gap: true, head_seq: 4, oldest_seq: 5, pending_calls: ['open'] });
    expect(wire.replay.map(({ id }) => id)).toEqual([open.id]);
    const at = await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 4 } });
    expect(at.welcome).toMatchObject({ gap: false, resumed: true });
    expect((await a.ok('text', { content: 'next' })).seq).toBe(5);
    await at.ok('tool.result', { name: 'choice', call_id: 'open', result: { message: 'x' } });
  });
});
