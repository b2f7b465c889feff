/** The folder of this package: what it ships beside its code (the web app, the schemas) is found from there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Migration } from '../../../src/worker/migrate.ts';

/** The folder. Source and package lie at different depths below it. */
export function packageFolder(from = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'migrations')) && existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) throw new Error('this installation of lineup is incomplete: its folder "migrations" is missing');
  }
}

/** The numbered SQL of a Durable Object, which direct mode keeps its files by too. */
export function readMigrations(of: 'conversation' | 'directory'): Migration[] {
  const folder = join(packageFolder(), 'migrations', of);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => ({ name: file.slice(0, -'.sql'.length), sql: readFileSync(join(folder, file), 'utf8') }));
}
