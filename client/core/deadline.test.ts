import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { within } from './deadline.ts';

const DEADLINE = new URL('./deadline.ts', import.meta.url).href;

test('gives what came in time', async () => {
  await expect(within(1_000, async () => 'here')).resolves.toBe('here');
});

test('a process that waits for nothing else lives until the time is over, and hears of it', async () => {
  const script = `
    import { within } from ${JSON.stringify(DEADLINE)};
    const never = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await within(50, never).catch((error) => console.log(error.name));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('TimeoutError\n');
});
