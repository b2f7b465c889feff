import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { parsePath, pathData, type Segment } from './path.ts';

const read = (text: string): string => {
  const parsed = parsePath(text);
  return parsed.ok ? pathData(parsed.segments) : parsed.problem;
};

describe('path data', () => {
  it.each([
    ['M0 0L10 10', 'M0 0L10 10'],
    [' m 1,2 3,4\n5 6 z ', 'm1 2l3 4l5 6z'],
    ['M.5.5-1e2+3', 'M0.5 0.5L-100 3'],
    ['M0 0H1 2V3C1 2 3 4 5 6S1 2 3 4Q1 2 3 4T5 6', 'M0 0H1H2V3C1 2 3 4 5 6S1 2 3 4Q1 2 3 4T5 6'],
    ['M0 0a5 5 0 0110 10', 'M0 0a5 5 0 0 1 10 10'],
    ['M1 2ZM3 4', 'M1 2ZM3 4'],
  ])('%j is read as %j', (text, data) => {
    expect(read(text)).toBe(data);
  });

  it.each([
    ['', 'expected a command of SVG path data at 0'],
    ['L1 2', 'expected M or m, with which a path begins, at 0'],
    ['M1', 'expected a number at 2'],
    ['M1 2,', 'expected a command of SVG path data at 4'],
    ['M0 0A1 1 0 2 0 1 1', 'expected 0 or 1 at 11'],
    ['M1e999 0', 'expected a number at 6'],
    ['M0 0"/><script>', 'expected a command of SVG path data at 4'],
    ['M0 0 url(#a)', 'expected a command of SVG path data at 5'],
  ])('%j is refused: %s', (text, problem) => {
    expect(read(text)).toBe(problem);
  });

  const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  const counts = { L: 2, l: 2, H: 1, v: 1, C: 6, s: 4, Q: 4, t: 2, M: 2, z: 0 } as const;
  const segment = fc
    .constantFrom(...(Object.keys(counts) as (keyof typeof counts)[]))
    .chain((command) => fc.array(finite, { minLength: counts[command], maxLength: counts[command] }).map((values): Segment => ({ command, values })));

  property.prop([fc.tuple(finite, finite), fc.array(segment, { maxLength: 12 })])('written from numbers reads as the same numbers', (start, rest) => {
    const segments = [{ command: 'M', values: start }, ...rest];
    const parsed = parsePath(pathData(segments));
    expect(parsed.ok && parsed.segments.map(({ command, values }) => ({ command, values: values.map((value) => value + 0) }))).toEqual(segments);
  });

  property.prop([fc.string({ unit: fc.constantFrom(...'MmLzAaC0123.,-+eE "<>&\n') })])('whatever is read is plain, and reads as itself', (text) => {
    const parsed = parsePath(text);
    if (!parsed.ok) return;
    const data = pathData(parsed.segments);
    expect(data).toMatch(/^[MmLlHhVvCcSsQqTtAaZz\d.+ e-]*$/);
    expect(read(data)).toBe(data);
  });
});
