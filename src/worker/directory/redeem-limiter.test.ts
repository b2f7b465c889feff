import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { NodeSql } from '../../../test/support/node-sql.ts';
import { IN_TOTAL, PER_ADDRESS, RedeemLimiter } from './redeem-limiter.ts';

/** The rule of §3 in its plainest form, over all failures there have been. */
function mustWait(failures: { at: number; address: string }[], address: string, now: number): boolean {
  const lately = (ms: number) => failures.filter(({ at }) => now < at + ms);
  return (
    lately(IN_TOTAL.ms).length >= IN_TOTAL.failures || lately(PER_ADDRESS.ms).filter((f) => f.address === address).length >= PER_ADDRESS.failures
  );
}

const tries = fc.array(
  fc.record({
    address: fc.constantFrom('a', 'b', 'c'),
    pause: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 3_000 }) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_200_000 }) }),
    right: fc.boolean(),
  }),
  { minLength: 50, maxLength: 250 },
);

describe('limiting redemptions', () => {
  test.prop([tries], { numRuns: 30 })('lets through exactly what the rule lets through, and says exactly how long to wait', (steps) => {
    const clock = { at: 1_000_000, now: () => clock.at };
    const sql = new NodeSql('directory');
    const failures: { at: number; address: string }[] = [];
    for (const { address, pause, right } of steps) {
      clock.at += pause;
      // A new one each time: nothing depends on memory.
      const limiter = new RedeemLimiter(sql, clock);
      const wait = limiter.waitMs(address);
      expect(wait > 0).toBe(mustWait(failures, address, clock.at));
      if (wait > 0) {
        expect(mustWait(failures, address, clock.at + wait - 1)).toBe(true);
        expect(mustWait(failures, address, clock.at + wait)).toBe(false);
      } else if (!right) {
        limiter.fail(address);
        failures.push({ at: clock.at, address });
      }
    }
    expect(sql.exec('SELECT COUNT(*) AS n FROM redeem_failures')).toEqual([{ n: expect.toSatisfy((n: number) => n <= IN_TOTAL.failures) }]);
  });

  it('stops everybody after a hundred failures in an hour, from however many addresses', () => {
    const clock = { at: 0, now: () => clock.at };
    const limiter = new RedeemLimiter(new NodeSql('directory'), clock);
    for (let i = 0; i < 100; i++) {
      expect(limiter.waitMs(`address ${i}`)).toBe(0);
      limiter.fail(`address ${i}`);
      clock.at += 1_000;
    }
    expect(limiter.waitMs('a new one')).toBe(3_500_000);
  });
});
