/** §2 and §8, frames that are no good: refused in words, once, with nothing stored and the socket still up. */
import { describe, expect, it } from 'vitest';
import { useRelay, type Room } from './people.ts';
import { freshId, type Frame } from './wire.ts';

const relay = useRelay();

/** A text whose payload has `more` (JSON text) in it, as it goes over the wire. */
const withMore = (more: string, id = freshId()): string => `{"v":1,"id":"${id}","type":"text","payload":{"content":"x",${more}}}`;
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Sends raw data and expects one refusal, that nothing was stored or delivered, and that both sockets stay up. */
async function refusedRaw(
  data: string | Buffer,
  { code, ref, place }: { code: string; ref?: string | null; place?: string },
  binary = false,
): Promise<void> {
  const { agent, a, d } = await relay.room(1);
  for (const wire of [a, d[0]!]) {
    const from = wire.frames.length;
    wire.raw(data, binary);
    await wire.sync();
    const came = wire.frames.slice(from).filter(({ type }) => type !== 'system.pong' && type !== 'system.presence');
    expect(came.map(({ type, payload }) => [type, payload.code])).toEqual([['system.error', code]]);
    checkWords(came[0]!, place);
    if (ref !== undefined) expect(came[0]!.payload.ref).toBe(ref);
    expect(came[0]!.payload.retryable).toBe(false);
  }
  const { id } = await d[0]!.ok('text', { content: 'still up' });
  await a.message(id);
  expect((await relay.history(agent)).map((frame) => frame.id)).toEqual([id]);
}

/** One English sentence that says where. */
function checkWords({ payload }: Frame, place?: string): void {
  const message = String(payload.message);
  expect(message).toMatch(/^[^\n]{3,300}$/);
  expect(message).not.toMatch(/\n\s+at |eyJ[\w-]{10,}/);
  if (place !== undefined) expect(message.startsWith(place), message).toBe(true);
}

describe('§8 malformed JSON is invalid_json', () => {
  it.each([
    '',
    ' ',
    '{',
    '}',
    '{not json',
    '{"v":1,',
    "{'v':1}",
    '{"v":1,}',
    '{"v":1}{"v":1}',
    'undefined',
    'NaN',
    '{"v":NaN}',
    '\ufeff{"v":1}',
    '{"v":01}',
    '"\u0001"',
    'PING',
    'ping ',
  ])('%j', async (text) => await refusedRaw(text, { code: 'invalid_json', ref: null }));
});

describe('§2 what is no envelope is invalid_envelope', () => {
  it.each(['null', '[]', '5', '"x"', 'true', '[{"v":1}]'])('%s', async (text) => await refusedRaw(text, { code: 'invalid_envelope', ref: null }));

  it.each([
    ['no v', { v: undefined }, 'v'],
    ['v as text', { v: '1' }, 'v'],
    ['no id', { id: undefined }, 'id'],
    ['an empty id', { id: '' }, 'id'],
    ['an id of 129 characters', { id: 'a'.repeat(129) }, 'id'],
    ['an id that is a number', { id: 5 }, 'id'],
    ['an id with a space', { id: 'a b' }, 'id'],
    ['an id with a line end', { id: 'a\n' }, 'id'],
    ['an id with a slash', { id: 'a/b' }, 'id'],
    ['a Cyrillic look-alike', { id: 'msg_а' }, 'id'],
    ['a full-width look-alike', { id: 'ｍsg' }, 'id'],
    ['a zero-width joiner', { id: 'a\u200d' }, 'id'],
    ['a combining accent', { id: 'a\u0301' }, 'id'],
    ['an emoji', { id: '👋' }, 'id'],
    ['a null character', { id: 'a\u0000' }, 'id'],
    ['no type', { type: undefined }, 'type'],
    ['a type that is a number', { type: 5 }, 'type'],
    ['no payload', { payload: undefined }, 'payload'],
    ['a payload that is a list', { payload: [] }, 'payload'],
    ['a payload that is null', { payload: null }, 'payload'],
    ['a payload that is text', { payload: '{}' }, 'payload'],
    ['a target that is text', { target: 'all' }, 'target'],
    ['a target that is null', { target: null }, 'target'],
    ['a conversation that is a number', { conversation_id: 5 }, 'conversation_id'],
    ['an integer too large beside the payload', { seq: 2 ** 60 }, 'seq'],
  ])('%s', async (_what, change, place) => {
    await refusedRaw(JSON.stringify({ v: 1, id: freshId(), type: 'text', payload: { content: 'x' }, ...change }), {
      code: 'invalid_envelope',
      place,
    });
  });

  it.each(['a', 'A'.repeat(128), '0', '.', '-', '_', ':', 'a.b:c-d_e'])('while %s is a fine id', async (id) => {
    const { a, d } = await relay.room(1);
    await a.ok('text', { content: 'x' }, { id });
    await d[0]!.message(id);
  });
});

describe('§8 sizes', () => {
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
    await refusedRaw(sized(262_145, 'more', filler), { code: 'frame_too_large', ref: null });
  });

  it.each([1_000_000, 5_000_000])('%i bytes are frame_too_large too', async (bytes) => {
    await refusedRaw(sized(bytes, 'more'), { code: 'frame_too_large', ref: null });
    await refusedRaw('x'.repeat(bytes), { code: 'frame_too_large', ref: null });
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

describe('§8 binary and bytes', () => {
  it.each([Buffer.alloc(0), Buffer.from([0]), Buffer.from('ping'), Buffer.from(withMore('"a":1'))])(
    'binary %o is unsupported_data',
    async (bytes) => {
      await refusedRaw(bytes, { code: 'unsupported_data', ref: null }, true);
    },
  );

  // Workers decode text frames themselves, so the relay sees U+FFFD where the bytes were none; refusing that character would refuse
  // honest texts with it. Over HTTP the relay decodes, and refuses.
  it.each([
    ['a lone byte', [0xff]],
    ['half a character', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
  ])('invalid UTF-8 (%s) hurts nobody: replaced on a socket, refused over HTTP and in an id', async (_what, bytes) => {
    const { agent, a, d } = await relay.room(1);
    const frame = (text: string) => {
      const [before, after] = text.split('|') as [string, string];
      return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    };
    d[0]!.raw(frame(withMore('"a":"x|y"', 'broken')));
    expect((await a.message('broken')).payload.a).toMatch(/^x\ufffd+y$/);
    d[0]!.raw(frame('{"v":1,"id":"id|","type":"text","payload":{"content":"x"}}'));
    expect((await d[0]!.wait('system.error')).payload.code).toBe('invalid_envelope');
    const overHttp = await relay.call('POST', `/v1/conversations/${agent.conversation}/messages`, {
      as: agent,
      raw: new Uint8Array(frame(withMore('"a":"|"'))),
      headers: { 'content-type': 'application/json' },
    });
    expect([overHttp.status, overHttp.code]).toEqual([400, 'invalid_json']);
    expect(await relay.history(agent)).toHaveLength(1);
  });
});

describe('§2 depth', () => {
  it('100 000 levels overflow no stack', async () => {
    await refusedRaw(withMore(`"a":${deep(100_000)}`), { code: 'invalid_payload', place: 'payload.a' });
    await refusedRaw(deep(100_000), { code: 'invalid_envelope' });
    await refusedRaw('['.repeat(100_000), { code: 'invalid_json' });
    await refusedRaw(`{"v":1,"id":"x","type":"text","target":${deep(100_000)},"payload":{}}`, { code: 'invalid_envelope', place: 'target' });
    await refusedRaw('{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000), { code: 'invalid_envelope' });
  });

  it('32 levels are fine, 33 are not: the envelope is the first', async () => {
    const { a, d } = await relay.room(1);
    a.raw(withMore(`"a":${deep(30)}`, 'fine'));
    await a.answer('fine');
    expect(JSON.stringify((await d[0]!.message('fine')).payload.a)).toBe(deep(30));
    await refusedRaw(withMore(`"a":${deep(31)}`, 'deep'), { code: 'invalid_payload', ref: 'deep', place: 'payload.a' });
  });

  it('100 000 levels are refused over HTTP too, wherever a body is taken', async () => {
    const { agent } = await relay.room(0);
    const headers = { 'content-type': 'application/json' };
    const text = withMore(`"a":${deep(100_000)}`);
    expect(await relay.call('POST', `/v1/conversations/${agent.conversation}/messages`, { as: agent, raw: text, headers })).toMatchObject({
      status: 400,
      code: 'invalid_payload',
    });
    for (const [method, path] of [
      ['POST', '/v1/conversations'],
      ['POST', '/v1/pairings'],
      ['PATCH', `/v1/conversations/${agent.conversation}`],
    ] as const) {
      const answer = await relay.call(method, path, { as: agent, raw: `{"title":${deep(20_000)}}`, headers });
      expect([answer.status, answer.code], path).toEqual([400, 'invalid_payload']);
    }
  });
});

describe('§2 __proto__', () => {
  it.each([
    ['in the payload', withMore('"__proto__":{"admin":true}', 'p'), 'invalid_payload'],
    ['escaped', withMore(String.raw`"\u005f\u005fproto__":1`, 'p'), 'invalid_payload'],
    ['escaped another way', withMore(String.raw`"__\u0070roto__":1`, 'p'), 'invalid_payload'],
    ['deep inside', withMore('"a":[{"b":{"__proto__":null}}]', 'p'), 'invalid_payload'],
    ['in the envelope', '{"v":1,"id":"p","type":"text","__proto__":{"type":"status"},"payload":{"content":"x"}}', 'invalid_envelope'],
    ['in the target', '{"v":1,"id":"p","type":"text","target":{"kind":"app","__proto__":{}},"payload":{"content":"x"}}', 'invalid_envelope'],
  ])('as a key %s is refused', async (_what, text, code) => await refusedRaw(text, { code, ref: 'p' }));

  it('other names of objects are names like any other, and values may say what they like', async () => {
    const { a, d } = await relay.room(1);
    const payload = { content: '__proto__', constructor: { prototype: 1 }, toString: 'x', hasOwnProperty: null, valueOf: [] };
    const { id } = await a.ok('text', payload);
    expect((await d[0]!.message(id)).payload).toEqual(payload);
  });
});

describe('§2 surrogates', () => {
  it.each([
    ['a high one', String.raw`"a":"\ud83d"`],
    ['a low one', String.raw`"a":"\ude00"`],
    ['the wrong way round', String.raw`"a":"\ude00\ud83d"`],
    ['between characters', String.raw`"a":"x\ud800y"`],
    ['in a key', String.raw`"\ud83d":1`],
    ['deep inside', String.raw`"a":[{"b":["\udfff"]}]`],
  ])('alone (%s) is invalid_payload', async (_what, more) => await refusedRaw(withMore(more, 's'), { code: 'invalid_payload', ref: 's' }));

  it('alone in the id is invalid_envelope, with no ref that could not be said', async () => {
    await refusedRaw(String.raw`{"v":1,"id":"\ud83d","type":"text","payload":{"content":"x"}}`, { code: 'invalid_envelope', ref: null });
    await refusedRaw(String.raw`{"v":1,"id":"s","type":"\ud83d","payload":{"content":"x"}}`, { code: 'invalid_envelope', ref: 's' });
  });

  it('in pairs are characters', async () => {
    const { a, d } = await relay.room(1);
    a.raw(String.raw`{"v":1,"id":"pair","type":"text","payload":{"content":"\ud83d\ude00 😀"}}`);
    expect((await d[0]!.message('pair')).payload.content).toBe('😀 😀');
  });
});

describe('§5 numbers', () => {
  it.each([
    '1e400',
    '-1e400',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '1e300',
    '123456789012345678901234567890',
    '1E+309',
    '9007199254740992.0',
  ])('%s is invalid_payload', async (number) => {
    await refusedRaw(withMore(`"a":${number}`, 'n'), { code: 'invalid_payload', ref: 'n', place: 'payload.a' });
    await refusedRaw(withMore(`"a":[1,{"b":${number}}]`, 'n'), { code: 'invalid_payload', ref: 'n', place: 'payload.a[1].b' });
  });

  it.each(['0', '-0', '-0.0', '1.5', '9007199254740991', '-9007199254740991', '1e15', '1.7976931348623157e-308', '0.1', '5e-324'])(
    '%s is kept as it is',
    async (number) => {
      const { agent, devices, a, d } = await relay.room(1);
      a.raw(withMore(`"a":${number}`, 'n'));
      const live = (await d[0]!.message('n')).payload.a;
      const replayed = (await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 0 } })).replay[0]!.payload.a;
      const stored = (await relay.history(agent))[0]!.payload.a;
      for (const value of [live, replayed, stored]) expect(Object.is(value, Number(number))).toBe(true);
    },
  );

  it('of duplicate keys the last counts', async () => {
    const { agent, a, d } = await relay.room(1);
    a.raw('{"v":2,"v":1,"id":"first","id":"last","type":"status","type":"text","payload":{"x":1},"payload":{"content":"a","content":"b"}}');
    expect(await a.answer('last')).toMatchObject({ type: 'system.ack' });
    expect((await d[0]!.message('last')).payload).toEqual({ content: 'b' });
    expect(await relay.history(agent)).toMatchObject([{ id: 'last', type: 'text', payload: { content: 'b' } }]);
    a.raw('{"v":1,"id":"dup","type":"text","payload":{"content":"a","content":5}}');
    expect(await a.answer('dup')).toMatchObject({ code: 'invalid_payload' });
  });
});

describe('§8 every code that a message can be refused with', () => {
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

describe('§8 malformed frames', () => {
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

describe('§3 bodies of messages over HTTP', () => {
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
