/**
 * The conversation under everything at once: clients that send, resend, forge, disconnect, go deaf and come back with and without their
 * memory, an object that sleeps, crashes and runs out of storage, time that passes, and a device that is revoked. Whatever happens, what
 * §4 and §6 promise has to hold. A failing run prints its seed and the shortest story that fails.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { limits, step, type Step } from './steps.ts';
import { World } from './world.ts';

const RUNS = Number(process.env.MODEL_RUNS ?? 1_000);

it(`keeps its promises, whatever happens (${RUNS} runs)`, { timeout: 60_000 + RUNS * 200 }, async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array<Step>(step, { maxLength: 50, size: 'max' }), async (small, steps) => {
      expect(await new World(small).run(steps)).toEqual([]);
    }),
    { numRuns: RUNS, ...(process.env.MODEL_SEED !== undefined && { seed: Number(process.env.MODEL_SEED) }) },
  );
});
