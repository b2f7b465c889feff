/** Properties of readFrame under anything that can arrive on a socket; what each frame means is pinned by fixtures.test.ts. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { readFrame, type ReadContext, type RefusedFrame } from './envelope.ts';
import { ERROR_STATUS } from './errors.ts';
import { findFlaw, jsonText, type Json, type JsonObject } from './json.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { MESSAGE_TYPES, type ParticipantKind } from './messages.ts';

const context = (from: ParticipantKind): ReadContext => ({ conversationId: 'cv_1', from, limits: DEFAULT_LIMITS });
const kind = fc.constantFrom<ParticipantKind>('agent', 'app');
const TOKEN =
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJpc3MiOiJybF8xIiwic3ViIjoiYWdfMSJ9.c2lnbmF0dXJlLW9mLWEtdG9rZW4tdGhhdC1tdXN0LW5vdC1iZS1yZXBlYXRlZA';

const hostile = fc.oneof(
  fc.constantFrom<Json>(TOKEN, '__proto__', 'constructor', '\ud800', 1e300, -0, 2 ** 53, '', 'x'.repeat(70_000), null, [], {}),
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }) as fc.Arbitrary<Json>,
);
const key = fc.oneof(
  fc.constantFrom('content', 'call_id', 'instance_id', 'state', 'app', 'sealed', 'result', 'error', 'capabilities', 'constructor', TOKEN, 'a b\nc'),
  fc.string({ unit: 'binary', maxLength: 50 }),
);
const hostilePayload = fc.dictionary(key, hostile, { maxKeys: 6 });
const type = fc.oneof(fc.constantFrom(...MESSAGE_TYPES.keys()), fc.string({ maxLength: 80 }), fc.constant(TOKEN));
const almostFrame = fc.record(
  {
    v: fc.oneof({ weight: 8, arbitrary: fc.constant<Json>(1) }, hostile),
    id: fc.oneof({ weight: 8, arbitrary: fc.constant<Json>('m') }, hostile),
    type: fc.oneof({ weight: 8, arbitrary: type }, hostile),
    payload: fc.oneof({ weight: 8, arbitrary: hostilePayload as fc.Arbitrary<Json> }, hostile),
    target: hostile,
    conversation_id: hostile,
    sender: hostile,
    seq: hostile,
  },
  { requiredKeys: ['v', 'id', 'type'] },
);

function expectPlainRefusal({ ref, error }: RefusedFrame) {
  expect(ERROR_STATUS).toHaveProperty(error.code);
  expect(error.message.length).toBeLessThan(300);
  expect(error.message).toMatch(/^\S.*: .+[^.\s]$/u);
  expect(error.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
  expect(error.message).not.toContain(TOKEN.slice(0, 41));
  expect(error.message).not.toMatch(/\n|\bat .*:\d+:\d+/);
  if (ref !== null) expect(ref.isWellFormed()).toBe(true);
}

describe('readFrame never throws, and every refusal is one short sentence without a token', () => {
  test.prop([fc.string({ unit: 'binary' }), kind])('on any text', (text, from) => {
    const result = readFrame(text, context(from));
    if (!result.ok) expectPlainRefusal(result.error);
  });

  test.prop([fc.json({ stringUnit: 'binary' }), kind])('on any JSON', (text, from) => {
    const result = readFrame(text, context(from));
    if (!result.ok) expectPlainRefusal(result.error);
  });

  test('on a type that ends like a sentence', () => {
    const result = readFrame(JSON.stringify({ v: 1, id: 'm', type: '.', payload: {} }), context('agent'));
    if (result.ok) throw new Error('It was taken.');
    expectPlainRefusal(result.error);
    expect(result.error.error.message).toBe('type: unknown type "."');
  });

  test.prop([almostFrame, kind], { numRuns: 2000 })('on anything that is almost a frame', (frame, from) => {
    const result = readFrame(JSON.stringify(frame), context(from));
    if (!result.ok) expectPlainRefusal(result.error);
  });

  test.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['arrays without an end', '['.repeat(200_000)],
    ['arrays in the payload', `{"v":1,"id":"m","type":"text","payload":{"content":"x","d":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
    ['objects in the payload', `{"v":1,"id":"m","type":"text","payload":{"content":"x","d":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}}`],
    ['objects in the target', `{"v":1,"id":"m","type":"text","payload":{"content":"x"},"target":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`],
  ])('on 100 000 levels of %s', (_name, text) => {
    const result = readFrame(text, context('app'));
    expect(result.ok).toBe(false);
    if (!result.ok) expectPlainRefusal(result.error);
  });
});

describe('what readFrame takes', () => {
  test.prop([fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }) as fc.Arbitrary<Json>), kind])(
    'is what was sent, unknown fields included',
    (extra, from) => {
      const payload: JsonObject = { ...extra, content: 'x', format: 'plain', reply_to: 'm0', sealed: 's' };
      fc.pre(findFlaw(payload, 2) === null);
      const result = readFrame(`{"v":1,"id":"m","type":"text","payload":${jsonText(payload)}}`, context(from));
      expect(result).toMatchObject({ ok: true });
      expect(result.ok && jsonText(result.value.envelope.payload)).toBe(jsonText(payload));
    },
  );

  test('keeps −0, numbers as long as JavaScript, and fields that the schema does not know', () => {
    const payload = '{"content":"x","n":[-0,0.1,9007199254740991,-9007199254740991,5e-324],"toString":{"constructor":null}}';
    const result = readFrame(`{"v":1,"id":"m","type":"text","payload":${payload}}`, context('app'));
    expect(result.ok && jsonText(result.value.envelope.payload)).toBe(payload);
  });

  test('leaves Object.prototype alone', () => {
    readFrame('{"v":1,"id":"m","type":"text","payload":{"content":"x","__proto__":{"polluted":1}}}', context('app'));
    expect('polluted' in {}).toBe(false);
  });
});

describe('both spellings', () => {
  test.each([...MESSAGE_TYPES.keys()])('of %s mean the same', (canonical) => {
    const other = canonical.startsWith('lineup.v1.') ? canonical.slice('lineup.v1.'.length) : `lineup.v1.${canonical}`;
    for (const from of ['agent', 'app'] as const) {
      const read = (spelled: string) => readFrame(JSON.stringify({ v: 1, id: 'm', type: spelled, payload: {} }), context(from));
      expect(read(other)).toEqual(read(canonical));
    }
  });
});

describe('limits', () => {
  const patch = (state: JsonObject) =>
    JSON.stringify({ v: 1, id: 'm', type: 'lineup.v1.ui.event', payload: { instance_id: 'i', event: 'e', data: state } });
  const dataOf = (bytes: number) => ({ x: 'x'.repeat(bytes - '{"x":""}'.length) });

  test('event data must be smaller than its limit', () => {
    expect(readFrame(patch(dataOf(16_383)), context('app'))).toMatchObject({ ok: true });
    expect(readFrame(patch(dataOf(16_384)), context('app'))).toMatchObject({ ok: false, error: { error: { code: 'event_too_large' } } });
  });

  test('a frame may be as large as its limit', () => {
    const frame = (bytes: number) => {
      const empty = JSON.stringify({ v: 1, id: 'm', type: 'text', payload: { content: 'x', pad: '' } });
      return empty.replace('"pad":""', `"pad":"${'x'.repeat(bytes - empty.length)}"`);
    };
    expect(readFrame(frame(262_144), context('app'))).toMatchObject({ ok: true });
    expect(readFrame(frame(262_145), context('app'))).toMatchObject({ ok: false, error: { ref: null, error: { code: 'frame_too_large' } } });
  });

  test('a bundle counts in bytes, its parts together', () => {
    const open = (html: string, css: string) =>
      readFrame(
        JSON.stringify({
          v: 1,
          id: 'm',
          type: 'ui.open',
          payload: { instance_id: 'i', app: { id: 'a.b', name: 'n', version: '1.0.0', html, css }, state: {} },
        }),
        context('agent'),
      );
    expect(open('é'.repeat(81_919), 'xx')).toMatchObject({ ok: true });
    expect(open('é'.repeat(81_919), 'xxx')).toMatchObject({ ok: false, error: { error: { code: 'bundle_too_large' } } });
  });
});
