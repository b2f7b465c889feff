/** The web app as the package ships it: its files, and its one page for every path that is none. */
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize, resolve, sep } from 'node:path';
import { packageFolder } from './package-folder.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const ABSENT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>LineUp</title>
<p>LineUp serves here, but this installation has no web app: it is made by <code>npm run build</code>. Other apps can connect.`;

/** Answers requests for the web app's files from a folder, or says that there is no web app. */
export function webApp(given = join(packageFolder(), 'dist', 'web')): { fetch(request: Request): Promise<Response> } {
  const folder = resolve(given);
  return {
    async fetch(request) {
      const path = filePath(folder, new URL(request.url).pathname);
      const file = path !== null && (await isFile(path)) ? path : join(folder, 'index.html');
      if (!(await isFile(file))) return new Response(ABSENT, { status: 503, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
      const headers = { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' };
      return new Response(await readFile(file), { headers });
    },
  };
}

/** The file that a path names, or null when it names none inside the folder. */
function filePath(folder: string, pathname: string): string | null {
  let name: string;
  try {
    name = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  if (name.includes('\0')) return null;
  const path = normalize(join(folder, name));
  return path.startsWith(folder + sep) ? path : null;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
