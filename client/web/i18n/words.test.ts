import { describe, expect, it } from 'vitest';
import { en } from './en.ts';
import { dayName, fileSize, moment } from './format.ts';
import { browserLanguage } from './i18n.ts';
import { zh } from './zh.ts';

const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g))].sort();

describe('the words', () => {
  it('fill in the same things in every language', () => {
    for (const [key, words] of Object.entries(zh)) {
      const english = en[key as keyof typeof en];
      expect([key, placeholders(words)]).toEqual([key, placeholders(english)]);
    }
  });

  it('are plain: no exclamation marks, no "oops"', () => {
    for (const words of [...Object.values(en), ...Object.values(zh)]) expect(words).not.toMatch(/!|！|oops/i);
  });

  it('are in the language that the browser prefers among those there are', () => {
    expect(browserLanguage(['zh-TW', 'en'])).toBe('zh-CN');
    expect(browserLanguage(['fr', 'en-GB', 'zh'])).toBe('en');
    expect(browserLanguage(['fr'])).toBe('en');
  });
});

describe('dates and sizes', () => {
  const now = new Date(2026, 10, 29, 12);
  const at = new Date(2026, 10, 28, 9, 41).toISOString();

  it('are written as each language writes them', () => {
    expect(dayName(at, 'en', now)).toBe('Sat Nov 28');
    expect(dayName(at, 'zh-CN', now)).toBe('11月28日 周六');
    expect(moment(at, 'en', new Date(at))).toBe('09:41');
    expect(moment(at, 'zh-CN', now)).toBe('11月28日 周六 09:41');
  });

  it('name the year when it is another one', () => {
    expect(dayName(new Date(2025, 0, 2).toISOString(), 'en', now)).toContain('2025');
  });

  it('count in units that people read', () => {
    expect(fileSize(8_388_608, 'en')).toBe('8 MB');
    expect(fileSize(1_536, 'en')).toBe('1.5 kB');
    expect(fileSize(12, 'en')).toBe('12 bytes');
  });
});
