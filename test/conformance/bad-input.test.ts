/** §2 and §8, frames that are no good: refused in words, once, with nothing stored and the socket still up. */
import { describe, expect, it } from 'vitest';
import { useRelay } from './people.ts';
import { deep, refusedRaw, withMore } from './hostile.ts';
import { freshId } from './wire.ts';

const relay = useRelay();

const refused = (data: string | Buffer, expected: { code: string; ref?: string | null; place?: string }, binary = false) =>
  refusedRaw(relay, data, expected, binary);

describe.concurrent('§8 malformed JSON is invalid_json', () => {
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
  ])('%j', async (text) => await refused(text, { code: 'invalid_json', ref: null }));
});

describe.concurrent('§2 what is no envelope is invalid_envelope', () => {
  it.each(['null', '[]', '5', '"x"', 'true', '[{"v":1}]'])('%s', async (text) => await refused(text, { code: 'invalid_envelope', ref: null }));

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
    await refused(JSON.stringify({ v: 1, id: freshId(), type: 'text', payload: { content: 'x' }, ...change }), {
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

describe.concurrent('§8 binary and bytes', () => {
  it.each([Buffer.alloc(0), Buffer.from([0]), Buffer.from('ping'), Buffer.from(withMore('"a":1'))])(
    'binary %o is unsupported_data',
    async (bytes) => {
      await refused(bytes, { code: 'unsupported_data', ref: null }, true);
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

describe.concurrent('§2 depth', () => {
  it('100 000 levels overflow no stack', async () => {
    await refused(withMore(`"a":${deep(100_000)}`), { code: 'invalid_payload', place: 'payload.a' });
    await refused(deep(100_000), { code: 'invalid_envelope' });
    await refused('['.repeat(100_000), { code: 'invalid_json' });
    await refused(`{"v":1,"id":"x","type":"text","target":${deep(100_000)},"payload":{}}`, { code: 'invalid_envelope', place: 'target' });
    await refused('{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000), { code: 'invalid_envelope' });
  });

  it('32 levels are fine, 33 are not: the envelope is the first', async () => {
    const { a, d } = await relay.room(1);
    a.raw(withMore(`"a":${deep(30)}`, 'fine'));
    await a.answer('fine');
    expect(JSON.stringify((await d[0]!.message('fine')).payload.a)).toBe(deep(30));
    await refused(withMore(`"a":${deep(31)}`, 'deep'), { code: 'invalid_payload', ref: 'deep', place: 'payload.a' });
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

describe.concurrent('§2 __proto__', () => {
  it.each([
    ['in the payload', withMore('"__proto__":{"admin":true}', 'p'), 'invalid_payload'],
    ['escaped', withMore(String.raw`"\u005f\u005fproto__":1`, 'p'), 'invalid_payload'],
    ['escaped another way', withMore(String.raw`"__\u0070roto__":1`, 'p'), 'invalid_payload'],
    ['deep inside', withMore('"a":[{"b":{"__proto__":null}}]', 'p'), 'invalid_payload'],
    ['in the envelope', '{"v":1,"id":"p","type":"text","__proto__":{"type":"status"},"payload":{"content":"x"}}', 'invalid_envelope'],
    ['in the target', '{"v":1,"id":"p","type":"text","target":{"kind":"app","__proto__":{}},"payload":{"content":"x"}}', 'invalid_envelope'],
  ])('as a key %s is refused', async (_what, text, code) => await refused(text, { code, ref: 'p' }));

  it('other names of objects are names like any other, and values may say what they like', async () => {
    const { a, d } = await relay.room(1);
    const payload = { content: '__proto__', constructor: { prototype: 1 }, toString: 'x', hasOwnProperty: null, valueOf: [] };
    const { id } = await a.ok('text', payload);
    expect((await d[0]!.message(id)).payload).toEqual(payload);
  });
});

describe.concurrent('§2 surrogates', () => {
  it.each([
    ['a high one', String.raw`"a":"\ud83d"`],
    ['a low one', String.raw`"a":"\ude00"`],
    ['the wrong way round', String.raw`"a":"\ude00\ud83d"`],
    ['between characters', String.raw`"a":"x\ud800y"`],
    ['in a key', String.raw`"\ud83d":1`],
    ['deep inside', String.raw`"a":[{"b":["\udfff"]}]`],
  ])('alone (%s) is invalid_payload', async (_what, more) => await refused(withMore(more, 's'), { code: 'invalid_payload', ref: 's' }));

  it('alone in the id is invalid_envelope, with no ref that could not be said', async () => {
    await refused(String.raw`{"v":1,"id":"\ud83d","type":"text","payload":{"content":"x"}}`, { code: 'invalid_envelope', ref: null });
    await refused(String.raw`{"v":1,"id":"s","type":"\ud83d","payload":{"content":"x"}}`, { code: 'invalid_envelope', ref: 's' });
  });

  it('in pairs are characters', async () => {
    const { a, d } = await relay.room(1);
    a.raw(String.raw`{"v":1,"id":"pair","type":"text","payload":{"content":"\ud83d\ude00 😀"}}`);
    expect((await d[0]!.message('pair')).payload.content).toBe('😀 😀');
  });
});

describe.concurrent('§5 numbers', () => {
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
    await refused(withMore(`"a":${number}`, 'n'), { code: 'invalid_payload', ref: 'n', place: 'payload.a' });
    await refused(withMore(`"a":[1,{"b":${number}}]`, 'n'), { code: 'invalid_payload', ref: 'n', place: 'payload.a[1].b' });
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
