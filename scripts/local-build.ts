/**
 * Builds what a relay on this machine runs: the Worker's bundle, exactly as `wrangler deploy` uploads it, and the web app.
 *
 * Each build lands under the hash of its sources and is renamed into place, so that an unchanged checkout starts at once,
 * a running relay keeps the files it started with, and relays that start together cannot disturb each other.
 */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The checkout's root folder. */
export const ROOT = resolve(import.meta.dirname, '..');

/** Name of the file beside the bundle that holds wrangler.toml as Miniflare understands it. */
export const WORKER_OPTIONS_FILE = 'worker-options.json';

const BUILDS = join(ROOT, 'dist/local');
const SOURCES = {
  worker: ['src', 'migrations', 'wrangler.toml', 'package-lock.json', 'scripts/local-build.ts'],
  web: ['client/web', 'client/surface', 'client/core', 'src/protocol', 'tsconfig.json', 'package-lock.json', 'scripts/local-build.ts'],
} as const;
/** Builds of other sources are kept this long, in ms: a relay that started from one may still be reading it. */
const KEEP_OLD_BUILDS_MS = 24 * 3_600_000;

/** A build tool said no. `message` is for people: what failed, and the tool's own words. */
export class BuildError extends Error {}

/**
 * The folder of the Worker's bundle: `index.js`, its text modules, and {@link WORKER_OPTIONS_FILE}.
 * @throws BuildError when wrangler cannot bundle the Worker.
 */
export function buildWorker(): Promise<string> {
  return buildOnce('worker', async (folder) => {
    const noAssets = join(folder, 'no-assets');
    await mkdir(noAssets);
    const [options] = await Promise.all([
      run('scripts/worker-options.ts'),
      run('node_modules/wrangler/bin/wrangler.js', 'deploy', '--dry-run', '--outdir', folder, '--assets', noAssets),
    ]);
    await rm(noAssets, { recursive: true });
    await writeFile(join(folder, WORKER_OPTIONS_FILE), options);
  });
}

/**
 * The folder of the built web app.
 * @throws BuildError when Vite cannot build it.
 */
export function buildWeb(): Promise<string> {
  return buildOnce('web', (folder) =>
    run('node_modules/vite/bin/vite.js', 'build', 'client/web', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'),
  );
}

async function buildOnce(name: keyof typeof SOURCES, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(BUILDS, `${name}-${await hashSources(SOURCES[name])}`);
  if (existsSync(folder)) return folder;
  const draft = join(BUILDS, `draft-${name}-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await make(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another start may have finished the same build first.
    if (!existsSync(folder)) throw error;
  }
  await removeOldBuilds(folder);
  return folder;
}

async function hashSources(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) {
    for (const file of await filesBelow(join(ROOT, path))) hash.update(`\0${relative(ROOT, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesBelow(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}

async function removeOldBuilds(current: string): Promise<void> {
  for (const name of await readdir(BUILDS)) {
    const folder = join(BUILDS, name);
    // Another start may be removing the same folder: what is gone needs no removal.
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (folder !== current && age > KEEP_OLD_BUILDS_MS) await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a program of the checkout to its end and answers what it said on stdout. */
async function run(program: string, ...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_LOG_PATH: join(ROOT, '.wrangler/logs'),
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, program), ...args], { cwd: ROOT, env });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new BuildError(`${program} failed:\n${`${stdout}${stderr}`.trim() || String(error)}`);
  }
}
