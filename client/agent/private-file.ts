/** The folder of an agent's memory and token: for the user alone. */
import { mkdir, readFile } from 'node:fs/promises';

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
  await mkdir(path, { recursive: true, mode: 0o700 });
}
