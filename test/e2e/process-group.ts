/** Processes that start others: what they print, and how all of them end. */
import type { ChildProcess } from 'node:child_process';

/** What a process prints, from now on. */
export function outputOf(child: ChildProcess): { text(): string; waitFor(pattern: RegExp, withinMs: number): Promise<void> } {
  let printed = '';
  const heard = new Set<() => void>();
  const listen = (data: Buffer) => {
    printed = (printed + data.toString()).slice(-100_000);
    for (const hear of heard) hear();
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  return {
    text: () => printed,
    waitFor: (pattern, withinMs) =>
      new Promise((resolve, reject) => {
        const end = (why: string | null) => {
          clearTimeout(timer);
          heard.delete(look);
          child.off('exit', onExit);
          if (why === null) resolve();
          else reject(new Error(`${why}: ${child.spawnargs.join(' ')}\n${printed.slice(-2_000)}`));
        };
        const look = () => {
          if (pattern.test(printed)) end(null);
        };
        const onExit = () => end('ended too early');
        const timer = setTimeout(() => end(`did not print ${String(pattern)} in time`), withinMs);
        heard.add(look);
        child.once('exit', onExit);
        look();
      }),
  };
}

/** Sends a signal to a process that was started `detached`, and to all that it started; the last resort is SIGKILL after 5 s. */
export async function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const gone =
    child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise<void>((resolve) => child.once('exit', () => resolve()));
  signalGroup(pid, signal);
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), 5_000);
  await gone;
  clearTimeout(timer);
  // The first process may be gone before the ones that it started.
  while (signalGroup(pid, signal)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
