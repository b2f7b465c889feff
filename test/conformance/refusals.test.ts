/** §8, refusals: every code that a message can be refused with, sizes to the byte, and how many malformed frames are too many. */
import { describe, expect, it } from 'vitest';
import { checkWords, refusedRaw, withMore } from './hostile.ts';
import { useRelay, type Room } from './people.ts';
import type { Frame } from './wire.ts';

const relay = useRelay();

describe.concurrent('§8 sizes', () => {
  /** A text whose frame has exactly so many UTF-8 bytes. */
  const sized = (bytes: number, id: string, filler = 'x'): string => {
    const empty = withMore('"pad":""', id);
    const room = bytes - Buffer.byteLength(empty);
    const width = Buffer.byteLength(filler);
    return withMore(`"pad":"${filler.repeat(Math.floor(room / width))}${'x'.repeat(room % width)}"`, id);
  };

  it.each(['x', 'ü', '漢', '😀'])('a frame of 256 KiB is taken, one byte more is frame_too_large, in %s', async (filler) => {
    const { a, d } = await relay.room(1);
    const text = sized(262_144, 'whole', filler);
    expect(Buffer.byteLength(text)).toBe(262_144);
    a.raw(text);
    await a.answer('whole');
    expect((await d[0]!.message('whole')).payload).toEqual((JSON.parse(text) as Frame).payload);
    await refusedRaw(relay, sized(262_145, 'more', filler), { code: 'frame_too_large', ref: null });
  });

  it.each([1_000_000, 5_000_000])('%i bytes are frame_too_large too', async (bytes) => {
    await refusedRaw(relay, sized(bytes, 'more'), { code: 'frame_too_large', ref: null });
    await refusedRaw(relay, 'x'.repeat(bytes), { code: 'frame_too_large', ref: null });
  });

  it('a body of 256 KiB is taken over HTTP, one byte more is 413', async () => {
    const { agent, d } = await relay.room(1);
    const post = (raw: string) =>
      relay.call('POST', `/v1/conversations/${agent.conversation}/messages`, { as: agent, raw, headers: { 'content-type': 'application/json' } });
    expect((await post(sized(262_144, 'whole'))).status).toBe(202);
    await d[0]!.message('whole');
    expect(await post(sized(262_145, 'more'))).toMatchObject({ status: 413, code: 'frame_too_large' });
  });

  it('text counts in characters: 65 536 of any kind, not one more', async () => {
    const { agent, a, d } = await relay.room(1);
    for (const character of ['x', 'ü', '漢']) {
      const { id } = await a.ok('text', { content: character.repeat(65_536) });
      expect((await d[0]!.message(id)).payload.content).toBe(character.repeat(65_536));
      expect(await a.refused('text', { content: character.repeat(65_537) })).toBe('invalid_payload');
    }
    expect(await a.refused('text', { content: '' })).toBe('invalid_payload');
    expect(await relay.history(agent)).toHaveLength(3);
  });
});

describe.concurrent('§8 every code that a message can be refused with', () => {
  const APP = { id: 'com.x.y', name: 'x', version: '1.0.0' };
  const call = (call_id: string, more: object = {}) => ({ name: 'choice', action: 'select', call_id, arguments: {}, ...more });
  const result = (call_id: string) => ({ name: 'choice', action: 'select', call_id, result: { message: 'x' } });
  const inventory = (revision: string, applications: object[] = [], capabilities: object[] = []) => ({
    revision,
    standard_components: [],
    applications,
    capabilities,
  });
  interface Case {
    code: string;
    status: number;
    by: 'a' | 'd';
    before?: (room: Room) => Promise<unknown>;
    type: string;
    payload: object;
    extra?: object;
  }
  const CASES: readonly Case[] = [
    { code: 'invalid_envelope', status: 400, by: 'a', type: 'text', payload: { content: 'x' }, extra: { target: 5 } },
    { code: 'invalid_payload', status: 400, by: 'a', type: 'text', payload: { content: 5 } },
    { code: 'unsupported_version', status: 400, by: 'a', type: 'text', payload: { content: 'x' }, extra: { v: 2 } },
    { code: 'unsupported_type', status: 400, by: 'd', type: 'lineup.v1.app.exec', payload: {} },
    { code: 'wrong_conversation', status: 400, by: 'd', type: 'text', payload: { content: 'x' }, extra: { conversation_id: `cv_${'a'.repeat(24)}` } },
    { code: 'wrong_direction', status: 403, by: 'd', type: 'tool.call', payload: call('c') },
    {
      code: 'wrong_target',
      status: 400,
      by: 'a',
      type: 'text',
      payload: { content: 'x' },
      extra: { target: { kind: 'app', id: `dv_${'a'.repeat(24)}` } },
    },
    {
      code: 'id_conflict',
      status: 409,
      by: 'a',
      before: ({ a }) => a.ok('text', { content: 'one' }, { id: 'taken' }),
      type: 'text',
      payload: { content: 'two' },
      extra: { id: 'taken' },
    },
    {
      code: 'call_id_conflict',
      status: 409,
      by: 'a',
      before: ({ a }) => a.ok('tool.call', call('c')),
      type: 'tool.call',
      payload: call('c', { arguments: { n: 1 } }),
    },
    {
      code: 'already_settled',
      status: 409,
      by: 'd',
      before: async ({ a }) => {
        await a.ok('tool.call', call('c'));
        await a.ok('tool.cancel', { call_id: 'c' });
      },
      type: 'tool.result',
      payload: result('c'),
    },
    { code: 'unknown_call', status: 404, by: 'd', type: 'tool.result', payload: result('none') },
    { code: 'unknown_message', status: 404, by: 'a', type: 'text.edit', payload: { message_id: 'none', content: 'x' } },
    { code: 'unknown_instance', status: 404, by: 'd', type: 'ui.event', payload: { instance_id: 'none', event: 'go', data: {} } },
    {
      code: 'undeclared',
      status: 409,
      by: 'a',
      before: ({ d }) => d[0]!.ok('client.inventory', inventory('r1')),
      type: 'ui.open',
      payload: { instance_id: 'i', app: APP, state: {} },
    },
    {
      code: 'revoked',
      status: 409,
      by: 'a',
      before: async ({ d }) => {
        await d[0]!.ok('client.inventory', inventory('r1', [{ id: APP.id, version: '1.0.0' }]));
        await d[0]!.ok('client.inventory', inventory('r2'));
      },
      type: 'ui.open',
      payload: { instance_id: 'i', app: APP, state: {} },
    },
    {
      code: 'revision_conflict',
      status: 409,
      by: 'd',
      before: ({ d }) => d[0]!.ok('client.inventory', inventory('r1')),
      type: 'client.inventory',
      payload: inventory('r1', [], [{ name: 'a.b', version: '1', risk: 'restricted' }]),
    },
    {
      code: 'bundle_too_large',
      status: 413,
      by: 'a',
      type: 'ui.open',
      payload: { instance_id: 'i', app: { ...APP, html: 'x'.repeat(163_841) }, state: {} },
    },
    {
      code: 'event_too_large',
      status: 413,
      by: 'd',
      before: ({ a }) => a.ok('ui.open', { instance_id: 'i', app: { ...APP, html: '' }, state: {} }),
      type: 'ui.event',
      payload: { instance_id: 'i', event: 'go', data: { s: 'x'.repeat(16_384) } },
    },
  ];

  it.each(CASES)(
    '$code: one answer with its ref, nothing stored, nobody told, the socket up; over HTTP $status',
    async ({ code, status, by, before, type, payload, extra }) => {
      const room = await relay.room(2);
      await before?.(room);
      const stored = await relay.history(room.agent);
      await Promise.all([room.a, ...room.d].map((wire) => wire.sync()));
      const marks = [room.a, ...room.d].map((wire) => wire.messages().length);
      const [person, wire] = by === 'a' ? [room.agent, room.a] : [room.devices[0]!, room.d[0]!];
      const from = wire.frames.length;
      const id = wire.send(type, payload, { ...extra });
      await wire.sync();
      const answers = wire.frames.slice(from).filter((frame) => frame.payload.ref === id);
      expect(answers).toMatchObject([{ type: 'system.error', payload: { ref: id, code, retryable: false } }]);
      checkWords(answers[0]!);
      const overHttp = await relay.post(person, type, payload, { ...extra });
      expect([overHttp.status, overHttp.code]).toEqual([status, code]);
      expect(Object.keys(overHttp.json)).toEqual(['error']);
      await Promise.all([room.a, ...room.d].map((each) => each.sync()));
      expect([room.a, ...room.d].map((each) => each.messages().length)).toEqual(marks);
      expect(await relay.history(room.agent)).toEqual(stored);
      expect(await wire.ok('text', { content: 'still up' })).toMatchObject({ duplicate: false });
    },
  );

  it('the message names the place', async () => {
    const { a, d } = await relay.room(1);
    for (const [wire, type, payload, place] of [
      [a, 'ui.open', { instance_id: 'i', app: { ...APP, html: '' }, state: [] }, 'payload.state: expected object'],
      [a, 'text', { content: 5 }, 'payload.content:'],
      [a, 'text', {}, 'payload.content:'],
      [a, 'progress', { run_id: 'r', percent: 'x' }, 'payload.percent:'],
      [a, 'tool.call', call('a b'), 'payload.call_id:'],
      [d[0]!, 'client.inventory', inventory('r', [], [{ name: 'a.b', version: '1', risk: 'x' }]), 'payload.capabilities[0].risk:'],
      [d[0]!, 'app.result', { call_id: 'c', status: 'fine' }, 'payload.status:'],
    ] as const) {
      const answer = await wire.ask(type, payload);
      expect(answer).toMatchObject({ type: 'system.error' });
      if (answer.type === 'system.error') expect(answer.message.startsWith(place), answer.message).toBe(true);
    }
  });
});

describe.concurrent('§8 malformed frames', () => {
  const MALFORMED: [string | Buffer, boolean][] = [
    ['{', false],
    ['[]', false],
    [Buffer.from([1]), true],
    ['x'.repeat(262_145), false],
  ];

  it('nineteen in a minute leave the socket open; the twentieth is answered and closes it with 4400', async () => {
    const { a, d } = await relay.room(1);
    for (let i = 0; i < 19; i++) d[0]!.raw(...MALFORMED[i % 4]!);
    await d[0]!.sync();
    expect(d[0]!.of('system.error')).toHaveLength(19);
    await d[0]!.ok('text', { content: 'still up' });
    d[0]!.raw('{');
    expect(await d[0]!.closed).toBe(4400);
    expect(d[0]!.of('system.error')).toHaveLength(20);
    await a.sync();
  });

  it('are counted for each socket by itself, and other refusals are not', async () => {
    const { devices, d } = await relay.room(1);
    const tab = await relay.join(devices[0]!);
    for (let i = 0; i < 15; i++) {
      d[0]!.raw('{');
      tab.raw('{');
    }
    for (let i = 0; i < 30; i++) {
      expect(await tab.refused('text', { content: 5 })).toBe('invalid_payload');
      expect(await tab.refused('nonsense')).toBe('unsupported_type');
    }
    await Promise.all([d[0]!.sync(), tab.sync()]);
  });
});

describe.concurrent('§3 bodies of messages over HTTP', () => {
  it('are JSON objects in UTF-8 with a type that says so', async () => {
    const { agent } = await relay.room(0);
    const post = (raw: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
      relay.call('POST', `/v1/conversations/${agent.conversation}/messages`, { as: agent, raw, headers: { 'content-type': type } });
    for (const [raw, code] of [
      ['', 'invalid_json'],
      ['{', 'invalid_json'],
      ['null', 'invalid_envelope'],
      ['[]', 'invalid_envelope'],
      ['{}', 'invalid_envelope'],
      [withMore('"a":1e400'), 'invalid_payload'],
      [withMore('"__proto__":1'), 'invalid_payload'],
      [withMore(String.raw`"a":"\ud800"`), 'invalid_payload'],
    ] as const) {
      const answer = await post(raw);
      expect([answer.status, answer.code], raw).toEqual([400, code]);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await post(withMore('"a":1'), type);
      expect([answer.status, answer.code], type).toEqual([415, 'unsupported_media_type']);
    }
    expect((await post(withMore('"a":1'), 'application/json; charset=utf-8')).status).toBe(202);
    expect(await relay.history(agent)).toHaveLength(1);
  });
});
