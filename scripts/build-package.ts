/**
 * Builds what `npm pack` puts into the package: the `lineup` command and the libraries as JavaScript, their declarations, and the web app
 * for direct mode.
 *
 * What the package depends on stays outside; everything else (Hono and jose of direct mode, idb) is built in, so that an installation
 * is small.
 */
import { execFile } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { buildWeb, ROOT } from './local-build.ts';

const OUT = join(ROOT, 'dist/package');
const ENTRIES = {
  cli: 'client/agent/cli.ts',
  agent: 'client/agent/sdk.ts',
  client: 'client/core/client.ts',
  'client-node': 'client/core/client-node.ts',
};
/** The oldest Node that runs the package, as package.json promises. */
const TARGET = 'node20';

const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
const outside = Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`));

await rm(OUT, { recursive: true, force: true });
await Promise.all([buildCode(), buildDeclarations(), copyWebApp()]);

async function buildCode(): Promise<void> {
  await build({
    cwd: ROOT,
    input: ENTRIES,
    external: [/^node:/, ...outside],
    platform: 'node',
    transform: { target: TARGET },
    output: {
      dir: OUT,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      comments: { jsdoc: false, annotation: true, legal: true },
    },
    logLevel: 'warn',
  });
}

async function buildDeclarations(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.package.json'], { cwd: ROOT });
}

async function copyWebApp(): Promise<void> {
  const folder = join(ROOT, 'dist/web');
  const built = await buildWeb();
  await rm(folder, { recursive: true, force: true });
  await cp(built, folder, { recursive: true });
}
