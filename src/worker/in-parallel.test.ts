import { describe, expect, it } from 'vitest';
import { inParallel } from './in-parallel.ts';

describe('running calls in parallel', () => {
  it('never runs more than the limit, and answers in order, failures included', async () => {
    let running = 0;
    let most = 0;
    const answers = await inParallel([5, 1, 4, 0, 3, 2], 2, async (ms) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, ms));
      running--;
      if (ms === 4) throw new Error('four');
      return ms;
    });
    expect(most).toBe(2);
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : String(answer.reason)))).toEqual([5, 1, 'Error: four', 0, 3, 2]);
  });

  it('has nothing to do for no items', async () => {
    expect(await inParallel([], 8, () => Promise.reject(new Error('never')))).toEqual([]);
  });
});
