import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { canonicalJson, exceedsBytes, findFlaw, jsonText, pathText, utf8Bytes, type Json } from './json.ts';

const json = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<Json>;

/** The same value with the keys of every object in another order. */
function reordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, child]) => [key, reordered(child)]));
}

describe('canonicalJson', () => {
  test.prop([json])('does not depend on the order of keys', (value) => {
    expect(canonicalJson(reordered(value))).toBe(canonicalJson(value));
  });

  test.prop([json])('is JSON that reads back as the same value', (value) => {
    expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(jsonText(value)));
  });

  test.prop([json, json])('tells different values apart', (a, b) => {
    fc.pre(!isSame(a, b));
    expect(canonicalJson(a)).not.toBe(canonicalJson(b));
  });

  test('tells apart what looks alike', () => {
    const alike: Json[] = ['1', 1, [1], { '0': 1 }, '[1]', [[1]], null, 'null', [], {}, '', [null], { a: null }, 0, -0, false];
    expect(new Set(alike.map(canonicalJson)).size).toBe(alike.length);
  });

  test('sees no difference in spelling', () => {
    const parse = (text: string) => canonicalJson(JSON.parse(text) as Json);
    expect(parse('{"b":1.0,"a":"\\u00e9"}')).toBe(parse('{ "a": "é", "b": 1e0 }'));
  });
});

function isSame(a: Json, b: Json): boolean {
  try {
    expect(a).toStrictEqual(b);
    return true;
  } catch {
    return false;
  }
}

describe('jsonText', () => {
  test.prop([json])('loses nothing, −0 included', (value) => {
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });

  test.each([
    [[-0, 0], '[-0,0]'],
    [{ a: { b: -0 }, c: '-0' }, '{"a":{"b":-0},"c":"-0"}'],
    [-0, '-0'],
    [{ toJSON: -0 }, '{"toJSON":-0}'],
  ])('keeps −0 in %j', (value, text) => {
    expect(jsonText(value)).toBe(text);
  });
});

describe('findFlaw', () => {
  test.prop([fc.jsonValue({ maxDepth: 8, stringUnit: 'grapheme' })])('finds nothing in sound JSON', (value) => {
    fc.pre(!/"__proto__"/.test(JSON.stringify(value)) && soundNumbers(value as Json));
    expect(findFlaw(value as Json)).toBeNull();
  });

  test.each([
    ['{"a":[{"b":1e400}]}', ['a', 0, 'b'], 'expected a finite number'],
    ['[0,9007199254740993]', [1], 'integer beyond 2^53 - 1'],
    ['{"a":{"\\u005f_proto__":1}}', ['a'], 'key __proto__ is not allowed'],
    ['{"a":"\\ud800"}', ['a'], 'lone surrogate in a string'],
    ['{"a":{"\\udfff":1}}', ['a'], 'lone surrogate in a key'],
    ['"\\udfff"', [], 'lone surrogate in a string'],
  ])('%s', (text, path, problem) => {
    expect(findFlaw(JSON.parse(text) as Json)).toEqual({ path, problem });
  });

  test('counts levels from the given one', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;
    expect(findFlaw(nested(32))).toBeNull();
    expect(findFlaw(nested(33))?.problem).toBe('nested deeper than 32 levels');
    expect(findFlaw(nested(31), 2)).toBeNull();
    expect(findFlaw(nested(32), 2)?.path).toHaveLength(31);
  });

  test('stops at the limit, however deep the rest is', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Json;
    expect(findFlaw(deep)?.problem).toBe('nested deeper than 32 levels');
  });
});

function soundNumbers(value: Json): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(soundNumbers);
}

describe('pathText', () => {
  test.each([
    [['payload', 'items', 2, 'name'], 'payload.items[2].name'],
    [['payload', 'a b'], 'payload["a b"]'],
    [['payload', 'a.b'], 'payload["a.b"]'],
    [['payload', '城市'], 'payload.城市'],
    [['payload', 'two\nlines'], 'payload[…]'],
    [['payload', 'k'.repeat(41), 'x'], 'payload[…].x'],
    [[], ''],
  ])('%j is %s', (path, text) => {
    expect(pathText(path)).toBe(text);
  });

  test.prop([fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat()), { maxLength: 32 })])(
    'is short, of one line and well-formed',
    (path) => {
      const text = pathText(path);
      expect(text.length).toBeLessThanOrEqual(201);
      expect(text).not.toMatch(/\p{C}/u);
      expect(text.isWellFormed()).toBe(true);
    },
  );
});

describe('exceedsBytes', () => {
  test.prop([fc.string({ unit: 'binary', maxLength: 64 }), fc.nat(200)])('agrees with the encoded size', (text, limit) => {
    expect(exceedsBytes(text, limit)).toBe(utf8Bytes(text) > limit);
  });
});
