/** One relay at a time in a folder: two would serve the same conversations from two memories. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How long a relay that is just ending may still hold the folder, in ms. */
const PATIENCE_MS = 2_000;
const SQLITE_BUSY = 5;

/** A claim on a folder. It ends with the process too, however that ends: the lock is the system's. */
export interface FolderClaim {
  release(): void;
}

/** Claims the folder for this process; null when another process has it. */
export function claimFolder(folder: string): FolderClaim | null {
  const lock = new DatabaseSync(join(folder, 'relay.lock'), { timeout: PATIENCE_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return { release: () => lock.close() };
}
