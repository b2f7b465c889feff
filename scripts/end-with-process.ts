/** Ends child processes when this process is killed outright, so that no orphan keeps a port or a folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { basename } from 'node:path';

let watching = false;

/**
 * Lets a child that was spawned end with this process, even after a SIGKILL.
 *
 * A shell waits on a pipe that the kernel closes with this process. Windows has no such shell; there an orphan must be
 * ended by hand.
 */
export function endWithProcess(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') return;
  const script = 'trap "" HUP INT TERM; read -r _ || kill -KILL "$0"';
  const shell = spawn('/bin/sh', ['-c', script, String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  // Once the child is gone its pid may become another process's: the shell is told to leave without killing.
  child.once('exit', () => shell.stdin?.end('\n'));
}

/** Does that for every `workerd` that Miniflare starts from now on, restarts after a crash included; it tells nobody their pids. */
export function endRuntimesWithProcess(): void {
  if (watching) return;
  watching = true;
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess };
    child.once('spawn', () => {
      if (basename(child.spawnfile) === 'workerd') endWithProcess(child);
    });
  });
}
