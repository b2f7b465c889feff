/** The version of this package. */
import { readFileSync } from 'node:fs';

/** As package.json has it; `0.0.0` where there is none. Source and package lie at different depths below it. */
export const VERSION: string = readVersion(['../../package.json', '../../../package.json']);

function readVersion(paths: readonly string[]): string {
  for (const path of paths) {
    try {
      const read: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (typeof read === 'object' && read !== null && 'name' in read && read.name === 'lineup-relay' && 'version' in read)
        return String(read.version);
    } catch {
      continue;
    }
  }
  return '0.0.0';
}
