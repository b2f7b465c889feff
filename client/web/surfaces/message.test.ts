import { describe, expect, it } from 'vitest';
import { readSurfaceMessage } from './message.ts';

const message = (change: object) => JSON.stringify({ namespace: 'lineup.surface.v1', type: 'event', event: 'tap', data: {}, ...change });
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

describe('a message of a surface', () => {
  it('is an event with data, or a wish for a height', () => {
    expect(readSurfaceMessage(message({ data: { n: 1 } }))).toEqual({ type: 'event', event: 'tap', data: { n: 1 } });
    expect(readSurfaceMessage(message({ type: 'resize', height: 300 }))).toEqual({ type: 'resize', height: 300 });
  });

  it.each([
    ['no string', { namespace: 'lineup.surface.v1', type: 'event', event: 'tap', data: {} }],
    ['an object with a toString', { toString: () => message({}) }],
    ['no JSON', '{'],
    ['no object', '"tap"'],
    ['of another namespace', message({ namespace: 'lineup.surface.v2' })],
    ['of another type', message({ type: 'app.call' })],
    ['an event without a good name', message({ event: '1tap' })],
    ['an event whose name is too long', message({ event: 'a'.repeat(65) })],
    ['data that is a list', message({ data: [] })],
    ['without data', message({ data: undefined })],
    ['a height that is no number', message({ type: 'resize', height: '300' })],
    ['a height beyond numbers', '{"namespace":"lineup.surface.v1","type":"resize","height":1e999}'],
    ['larger than 16 KiB', message({ data: { a: 'x'.repeat(16_400) } })],
    ['larger than 16 KiB in UTF-8', message({ data: { a: '天'.repeat(6_000) } })],
    ['with a key __proto__', '{"namespace":"lineup.surface.v1","type":"event","event":"tap","data":{"__proto__":{}}}'],
    ['with half a character', message({ data: { a: '\ud800' } })],
    ['nested too deep', message({ data: nested(30) })],
  ])('is nothing when it is %s', (_, text) => {
    expect(readSurfaceMessage(text)).toBeNull();
  });

  it('may be as deep as the relay takes it', () => {
    expect(readSurfaceMessage(message({ data: nested(29) }))).not.toBeNull();
  });
});
