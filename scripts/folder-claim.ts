/** One relay at a time in a folder: two would serve the same conversations from two memories. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How long a relay that is just ending may still hold the folder, in ms. */
const PATIENCE_MS = 2_000;
const SQLITE_BUSY = 5;

/** A claim on a folder. It ends with the process too, however that ends: the lock is the system's. */
export interface FolderClaim {
  /** Leaves word of where the relay serves, for whoever comes while it runs. */
  tell(origin: string): void;
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
  const path = addressPath(folder);
  // Left over from a relay that was killed.
  rmSync(path, { force: true });
  return {
    tell: (origin) => writeFileSync(path, origin),
    release() {
      rmSync(path, { force: true });
      lock.close();
    },
  };
}

/** Where the relay that has the folder serves; undefined while it does not say. */
export function holderOf(folder: string): string | undefined {
  try {
    return readFileSync(addressPath(folder), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function addressPath(folder: string): string {
  return join(folder, 'relay.address');
}
