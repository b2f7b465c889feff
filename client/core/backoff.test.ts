import { describe, expect, it } from 'vitest';
import { MAX_RETRY_DELAY_MS, retryDelay } from './backoff.ts';
import { Pacer } from './pacer.ts';

describe('backoff', () => {
  it('tries at once the first time', () => {
    expect(retryDelay(1, 0.999)).toBe(0);
  });

  it('doubles the ceiling and spreads below it', () => {
    expect([2, 3, 4, 5].map((failures) => retryDelay(failures, 0.5))).toEqual([500, 1_000, 2_000, 4_000]);
    expect(retryDelay(5, 0)).toBe(0);
  });

  it('never waits longer than its cap', () => {
    expect(retryDelay(10_000, 0.999_999)).toBeLessThanOrEqual(MAX_RETRY_DELAY_MS);
    expect(retryDelay(10_000, 0.999_999)).toBeGreaterThan(MAX_RETRY_DELAY_MS * 0.99);
  });
});

describe('the pace', () => {
  it('stays below the rate and the burst that the relay allows', () => {
    const pacer = new Pacer(50, 200, 0);
    let sent = 0;
    for (let now = 0; now <= 10_000; now += 1) while (pacer.take(now) === 0) sent++;
    expect(sent).toBeLessThanOrEqual(200 + 50 * 10);
    expect(sent).toBeGreaterThan((200 + 50 * 10) * 0.85);
  });

  it('says how long to wait', () => {
    const pacer = new Pacer(50, 1, 0);
    expect(pacer.take(0)).toBe(0);
    const wait = pacer.take(0);
    expect(wait).toBeGreaterThan(0);
    expect(pacer.take(wait)).toBe(0);
  });

  it('has no limit where the relay has none', () => {
    const pacer = new Pacer(0, 200, 0);
    for (let i = 0; i < 1_000; i++) expect(pacer.take(0)).toBe(0);
  });

  it('survives a clock that goes back', () => {
    const pacer = new Pacer(50, 10, 1_000_000);
    pacer.take(1_000_000);
    expect(pacer.take(0)).toBe(0);
    expect(pacer.take(100)).toBe(0);
  });
});
