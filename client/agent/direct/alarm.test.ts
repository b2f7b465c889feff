import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Alarm } from './alarm.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

it('rings once at its time, however far that is; the last time that was asked for counts', () => {
  const rings: number[] = [];
  const alarm = new Alarm(() => rings.push(Date.now()));
  const inDays = 1_000_000 + 40 * 86_400_000;
  alarm.set(1_000_500);
  alarm.set(inDays);
  vi.advanceTimersByTime(40 * 86_400_000 - 1);
  expect(rings).toEqual([]);
  vi.advanceTimersByTime(2 * 86_400_000);
  expect(rings).toEqual([inDays]);
});

it('rings at once for what has passed, and never for null', () => {
  const rings: number[] = [];
  const alarm = new Alarm(() => rings.push(Date.now()));
  alarm.set(5);
  vi.advanceTimersByTime(0);
  alarm.set(2_000_000);
  alarm.set(null);
  vi.advanceTimersByTime(3_000_000);
  expect(rings).toEqual([1_000_000]);
});
