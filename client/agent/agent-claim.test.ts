import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentBusyError, claimAgent, readRunner } from './agent-claim.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineup-claim-'));
  path = join(folder, 'running.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A claim as another process left it. */
function left(pid: number, secondsAgo = 0): void {
  writeFileSync(path, JSON.stringify({ pid, since: '2026-11-29T12:00:00.000Z' }));
  const at = Date.now() / 1_000 - secondsAgo;
  utimesSync(path, at, at);
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid!;
}

describe('a claim', () => {
  test('is there while it is held, and gone afterwards', async () => {
    const claim = await claimAgent(folder);
    expect(existsSync(path)).toBe(true);
    await claim.release();
    expect(existsSync(path)).toBe(false);
    await expect(readRunner(folder)).resolves.toBeNull();
  });

  test('of a process that lives is respected, and its process named', async () => {
    left(process.ppid);
    await expect(claimAgent(folder)).rejects.toThrow(AgentBusyError);
    await expect(claimAgent(folder)).rejects.toThrow(`process ${process.ppid}, since 2026-11-29`);
    await expect(readRunner(folder)).resolves.toMatchObject({ pid: process.ppid });
  });

  test.each<[string, () => Promise<void> | void]>([
    ['of a process that died', async () => left(await deadPid())],
    ['of a process that died long ago, whose pid another has now', () => left(process.ppid, 60)],
    ['of this very pid, as in a container that was started anew', () => left(process.pid)],
    ['that was being written when the power went', () => writeFileSync(path, '{"pi')],
  ])('%s is taken over', async (_what, leave) => {
    await leave();
    await expect(readRunner(folder)).resolves.toBeNull();
    await (await claimAgent(folder)).release();
  });

  test('that somebody else took over is not removed', async () => {
    const claim = await claimAgent(folder);
    left(process.ppid);
    await claim.release();
    expect(existsSync(path)).toBe(true);
  });
});
