import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { shownFileName, shownName } from './shown-name.ts';

describe('a name that somebody else chose', () => {
  it('hides nothing, and is cut to a line', () => {
    expect(shownName('\u202Esemreh')).toBe('[U+202E]semreh');
    expect(shownName('W'.repeat(90))).toBe(`${'W'.repeat(59)}…`);
  });

  test.prop([fc.string({ unit: 'binary' })])('is the same when it is shown twice', (name) => {
    expect(shownName(shownName(name))).toBe(shownName(name));
  });
});

describe('the name of a file', () => {
  it.each([
    ['notes.txt', 'notes.txt'],
    ['invoice\u202Efdp.exe', 'invoice[U+202E]fdp.exe'],
    [`${'a'.repeat(100)}.jpg${' '.repeat(60)}.exe`, `${'a'.repeat(39)}…${' '.repeat(16)}.exe`],
  ])('%j shows its end', (name, shown) => {
    expect(shownFileName(name)).toBe(shown);
  });

  test.prop([fc.string({ unit: 'grapheme', minLength: 61, maxLength: 200 })])('is no longer than a line, and ends as it ends', (name) => {
    const shown = shownFileName(name);
    expect(shown.length).toBeLessThanOrEqual(62);
    expect(shown.isWellFormed()).toBe(true);
    const [, end = ''] = shown.split(/…(?!.*…)/s);
    if (shown.includes('…')) expect(shown.endsWith(end)).toBe(true);
  });
});
