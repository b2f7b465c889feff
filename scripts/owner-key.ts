/** The owner key of the relay that `npm start` runs: made once, for the user alone. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makePrivateFolder, readIfThere } from '../client/agent/private-file.ts';
import { writeFileAtomically } from '../client/core/atomic-file.ts';

/** Reads the key from the folder; the first time it makes one. */
export async function ownerKey(folder: string): Promise<string> {
  const path = join(folder, 'owner-key');
  const kept = (await readIfThere(path))?.trim();
  if (kept) return kept;
  const key = randomBytes(32).toString('base64url');
  await makePrivateFolder(folder);
  await writeFileAtomically(path, `${key}\n`);
  return key;
}
