/** Writes small files so that a crash leaves either the old content or the new. Node only. */
import { open, rename } from 'node:fs/promises';

/** Replaces a file's content, durably. Only its owner may read it. Not to be called again for the same path before it resolves. */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
