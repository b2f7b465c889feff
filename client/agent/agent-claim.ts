/** One process for one agent on this machine: two would write the same files, and take the connection from each other for ever. */
import { open, readFile, rm, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from './private-file.ts';

/** The file is touched this often, in ms. */
const TOUCH_EVERY_MS = 5_000;
/** A claim that was not touched for this long, in ms, is left over from a crash, whoever has its pid now. */
const STALE_AFTER_MS = 20_000;
const TRIES = 3;

/** Who runs an agent. */
export interface Runner {
  pid: number;
  /** ISO 8601. */
  since: string;
}

/** Another process of this machine runs the agent. */
export class AgentBusyError extends Error {
  override readonly name = 'AgentBusyError';

  constructor(runner: Runner | null) {
    const who = runner ? `process ${runner.pid}, since ${runner.since}` : 'another process';
    super(`this agent runs already (${who}): end it first, or give this one a profile of its own`);
  }
}

/** A claim that this process holds. */
export interface AgentClaim {
  release(): Promise<void>;
}

/**
 * Claims an agent for this process.
 * @param folder the agent's own, below the state folder
 * @throws AgentBusyError when another process has it
 */
export async function claimAgent(folder: string): Promise<AgentClaim> {
  await makePrivateFolder(folder);
  const path = claimPath(folder);
  for (let tries = 1; ; tries++) {
    const file = await create(path);
    if (file) return hold(file, path);
    const runner = await readRunner(folder);
    if (runner || tries === TRIES) throw new AgentBusyError(runner);
    await rm(path, { force: true });
  }
}

/** The process that runs an agent on this machine; null: none. */
export async function readRunner(folder: string): Promise<Runner | null> {
  let file: FileHandle | undefined;
  try {
    file = await open(claimPath(folder), 'r');
    const { mtimeMs } = await file.stat();
    const runner = JSON.parse(await file.readFile('utf8')) as Runner;
    return isAlive(runner.pid) && Date.now() - mtimeMs < STALE_AFTER_MS ? runner : null;
  } catch (error) {
    const isGone = error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT');
    if (isGone) return null;
    throw error;
  } finally {
    await file?.close();
  }
}

function claimPath(folder: string): string {
  return join(folder, 'running.json');
}

async function create(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return null;
    throw error;
  }
}

async function hold(file: FileHandle, path: string): Promise<AgentClaim> {
  const text = JSON.stringify({ pid: process.pid, since: new Date().toISOString() } satisfies Runner);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  // A claim that cannot be touched was removed by hand; the relay still lets only one process connect.
  const touch = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), TOUCH_EVERY_MS).unref();
  return {
    async release() {
      clearInterval(touch);
      if ((await readFile(path, 'utf8').catch(() => '')) === text) await rm(path, { force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  // In a container every process may have been this very one before.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
