import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, limitVariable, readLimits } from './limits.ts';

describe('readLimits', () => {
  test('keeps the defaults of the contract where nothing is set', () => {
    expect(readLimits({ LINEUP_BURST: '', LINEUP_OWNER_KEY: 'secret' })).toEqual(DEFAULT_LIMITS);
  });

  test('reads every limit from its variable', () => {
    const env = Object.fromEntries(
      (Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[]).map((name, i) => [limitVariable(name), String(i + 1)]),
    );
    expect(Object.values(readLimits(env))).toEqual(Object.keys(DEFAULT_LIMITS).map((_, i) => i + 1));
  });

  test('takes 0 for the rate alone', () => {
    expect(readLimits({ LINEUP_RATE_PER_S: '0' }).rate_per_s).toBe(0);
    expect(() => readLimits({ LINEUP_BURST: '0' })).toThrow(/^LINEUP_BURST must be a whole number above 0$/);
  });

  test('takes a part of a day, and of nothing else', () => {
    expect(readLimits({ LINEUP_RETAIN_DAYS: '0.5' }).retain_days).toBe(0.5);
    expect(() => readLimits({ LINEUP_RETAIN_DAYS: '0' })).toThrow(/^LINEUP_RETAIN_DAYS must be a number above 0$/);
  });

  test.each(['-1', '1.5', 'many', '1e400', '9007199254740992'])('refuses %s by the name of the variable', (value) => {
    expect(() => readLimits({ LINEUP_RETAIN_BYTES: value })).toThrow(/^LINEUP_RETAIN_BYTES /);
  });
});
