/** The folder of an agent's memory and token: for the user alone. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The text of a file, or null when there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes a folder, and whatever is missing above it, for the user alone. One that is there already stays as the user made it. */
export async function makePrivateFolder(path: string): Promise<void> {
  // Not all of it by one recursive mkdir: Node's never ends where no folder can be made, such as below /proc.
  if (await isMade(path)) return;
  await makePrivateFolder(dirname(path));
  if (!(await isMade(path))) throw new Error(`${path}: no folder can be made here`);
}

/** Makes one folder, unless it is there. False: the one above it is missing. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return true;
    throw error;
  }
}
