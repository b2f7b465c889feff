import { describe, expect, it } from 'vitest';
import { fc, test } from '@fast-check/vitest';
import { capped, plainVisible, visibleText } from './visible-text.ts';

describe('a text of a stranger', () => {
  it.each([
    ['\u202Egpj.exe', '[U+202E]gpj.exe'],
    ['pay\u200Bpal', 'pay[U+200B]pal'],
    ['a\u2066b\u2069', 'a[U+2066]b[U+2069]'],
    ['a\u00ADb\uFEFFc', 'a[U+00AD]b[U+FEFF]c'],
    ['ㅤ', '[U+3164]'],
    ['a\u{E0041}', 'a[U+E0041]'],
    ['a\u2028b', 'a[U+2028]b'],
    ['a\u0000b', 'a[U+0000]b'],
    ['a\uFE0Fb', 'a[U+FE0F]b'],
  ])('shows what hides in %j', (text, shown) => {
    expect(plainVisible(text)).toBe(shown);
  });

  it.each(['Plain words', '中文，没问题。', 'עברית', '👩‍💻 ❤️ 1️⃣ 👍🏽', 'naïve café'])('leaves %s as it is', (text) => {
    expect(visibleText(text)).toEqual([{ text }]);
  });

  it('keeps its lines', () => {
    expect(visibleText('a\n\tb')).toEqual([{ text: 'a\n\tb' }]);
    expect(plainVisible('a\n\tb')).toBe('a b');
  });

  test.prop([fc.string({ unit: 'binary' })])('loses nothing', (text) => {
    const said = visibleText(text).map((piece) => ('text' in piece ? piece.text : String.fromCodePoint(Number.parseInt(piece.hidden.slice(2), 16))));
    expect(said.join('')).toBe(text);
  });

  test.prop([fc.string({ unit: 'binary' })])('shows no character that turns or hides', (text) => {
    const shown = visibleText(text).flatMap((piece) => ('text' in piece ? [piece.text] : []));
    expect(shown.join('')).not.toMatch(/[\u061C\u200B\u200C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/);
  });

  it('is cut between characters', () => {
    expect(capped('abc', 3)).toBe('abc');
    expect(capped('abcdef', 3)).toBe('ab…');
    expect(capped('a👩‍💻b', 4)).toBe('a…');
    expect(capped('👩‍💻👩‍💻', 3).isWellFormed()).toBe(true);
  });
});
