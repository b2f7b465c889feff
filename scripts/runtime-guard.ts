/** Ends the Workers runtime when this process is killed outright, so that no orphan keeps the port and the folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { basename } from 'node:path';

let guarding = false;

/**
 * From now on, every `workerd` that this process starts ends with it, even after a SIGKILL.
 *
 * Miniflare ends its runtime on every exit that runs JavaScript. For the others a shell waits on a pipe that the kernel
 * closes with this process. Windows has no such shell; there an orphan must be ended by hand.
 */
export function endRuntimesWithProcess(): void {
  if (guarding || process.platform === 'win32') return;
  guarding = true;
  subscribe('child_process', (message) => {
    const child = (message as { process: ChildProcess }).process;
    child.once('spawn', () => {
      if (child.pid !== undefined && basename(child.spawnfile) === 'workerd') guard(child, child.pid);
    });
  });
}

function guard(runtime: ChildProcess, pid: number): void {
  const shell = spawn('/bin/sh', ['-c', 'trap "" HUP INT TERM; read -r _ || kill -KILL "$0"', String(pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  // Once the runtime is gone its pid may become another process's: the shell is told to leave without killing.
  runtime.once('exit', () => shell.stdin?.end('\n'));
}
