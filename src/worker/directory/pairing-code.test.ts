import { describe, expect, it } from 'vitest';
import { makeCode, normaliseCode } from './pairing-code.ts';

describe('a pairing code', () => {
  it('is 8 characters of Crockford base32, each of them as likely as another', () => {
    const codes = Array.from({ length: 4_000 }, makeCode);
    expect(codes.every((code) => /^[0-9A-HJKMNP-TV-Z]{8}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBe(codes.length);
    const counts = Map.groupBy(codes.join(''), (character) => character);
    expect(counts.size).toBe(32);
    for (const [character, { length }] of counts) expect(length, character).toBeGreaterThan(800);
  });

  it('is understood however it is typed', () => {
    for (const typed of ['01AB1CD0', '01ab1cd0', '01AB-1CD0', ' 01 ab–1c—d0 ', 'OIabLCDo', 'oi\tAB\u00a0l\u2011cdO']) {
      expect(normaliseCode(typed), typed).toBe('01AB1CD0');
    }
  });
});
