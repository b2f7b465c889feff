import { expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

it('gives a burst at once and then so many a second, never more than a burst', () => {
  let now = 0;
  const bucket = new TokenBucket(20, 40, () => now);
  const taken = () => {
    let count = 0;
    while (bucket.take()) count += 1;
    return count;
  };
  expect(taken()).toBe(40);
  now = 500;
  expect(taken()).toBe(10);
  now = 60_000;
  expect(taken()).toBe(40);
});
