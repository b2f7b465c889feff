import { describe, expect, test } from 'vitest';
import { APP_ID_PATTERN, EVENT_PATTERN, hasIdShape, ID_PATTERN, makeId, SEMVER_PATTERN, type IdPrefix } from './ids.ts';

const prefixes: IdPrefix[] = ['ag', 'dv', 'cv', 'pr', 'fl', 'rl'];

describe('ids that the relay makes', () => {
  test.each(prefixes)('%s has its shape, and that of no other', (prefix) => {
    const id = makeId(prefix);
    expect(id).toMatch(/^[a-z]{2}_[a-z0-9]{24}$/);
    expect(prefixes.filter((each) => hasIdShape(each, id))).toEqual([prefix]);
  });

  test('never repeat', () => {
    expect(new Set(Array.from({ length: 1000 }, () => makeId('cv'))).size).toBe(1000);
  });

  test.each([
    '',
    'cv_',
    'cv_short',
    'cv_AAAAAAAAAAAAAAAAAAAA',
    `cv_${'a'.repeat(65)}`,
    `cv_${'a'.repeat(20)}\n`,
    `cv_../${'a'.repeat(20)}`,
    `CV_${'a'.repeat(20)}`,
  ])('%j has no shape at all', (text) => {
    expect(prefixes.some((prefix) => hasIdShape(prefix, text))).toBe(false);
  });
});

describe('patterns of §2 and §5', () => {
  test.each([
    [ID_PATTERN, ['a', 'A.b_c:d-9', 'a'.repeat(128)], ['', 'a b', 'é', 'a\n', 'a'.repeat(129), 'а']],
    [APP_ID_PATTERN, ['com.example', 'com.lineup.svg-canvas', 'io.x1.2go'], ['', 'com', '.com', 'com.', 'com..x', '1com.x', 'com/x', 'com.x y']],
    [EVENT_PATTERN, ['close', 'a:b.c_d-9', 'e'.repeat(64)], ['', '1st', '_x', 'a b', 'e'.repeat(65)]],
    [SEMVER_PATTERN, ['0.0.0', '1.2.3', '1.0.0-rc.1+build.5', '1.0.0-0a'], ['1', '1.0', '01.0.0', '1.0.0-01', '1.0.0-', 'v1.0.0', '1.0.0 ']],
  ])('%s', (pattern, good, bad) => {
    expect(good.filter((text) => !pattern.test(text))).toEqual([]);
    expect(bad.filter((text) => pattern.test(text))).toEqual([]);
  });
});
