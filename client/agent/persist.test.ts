import { expect, test } from 'vitest';
import { NetworkError, RelayError } from '../core/errors.ts';
import { persist } from './persist.ts';

/** Fails some times, then gives the number of tries. */
function failing(failure: unknown, times: number): { attempt: () => Promise<number>; tries: () => number } {
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    await Promise.resolve();
    if (tries <= times) throw failure;
    return tries;
  };
  return { attempt, tries: () => tries };
}
const later = () => Date.now() + 10_000;

test('what passes is tried again, and told', async () => {
  const told: unknown[] = [];
  const error = new NetworkError('offline');
  await expect(persist(failing(error, 2).attempt, later(), (each) => told.push(each))).resolves.toBe(3);
  expect(told).toEqual([error, error]);
});

test.each([
  new RelayError({ code: 'unauthorized', message: '', status: 401, retryable: false }),
  new RelayError({ code: 'not_configured', message: '', status: 503, retryable: true }),
  new Error('a bug'),
])('what does not pass is thrown at once: %s', async (error) => {
  const { attempt, tries } = failing(error, 1);
  await expect(persist(attempt, later())).rejects.toBe(error);
  expect(tries()).toBe(1);
});

test('nothing is tried behind the deadline, also when the relay says how long to wait', async () => {
  const busy = new RelayError({ code: 'rate_limited', message: '', status: 429, retryable: true, retryAfter: 60 });
  const { attempt, tries } = failing(busy, 1);
  await expect(persist(attempt, later())).rejects.toBe(busy);
  expect(tries()).toBe(1);
});

test('a signal ends the waiting for the next try, and lets a try that is under way succeed', async () => {
  const stop = new AbortController();
  const { attempt, tries } = failing(new NetworkError('offline'), 5);
  await expect(persist(attempt, later(), () => stop.abort(new Error('stopped')), stop.signal)).rejects.toThrow('stopped');
  expect(tries()).toBe(1);
  const late = new AbortController();
  const succeeding = async () => {
    late.abort(new Error('stopped'));
    return Promise.resolve('done');
  };
  await expect(persist(succeeding, later(), undefined, late.signal)).resolves.toBe('done');
});
