/** Prints wrangler.toml as Miniflare understands it. A program of its own, because wrangler takes over the signals of whoever imports it. */
import { join, resolve } from 'node:path';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';

const { workerOptions } = unstable_getMiniflareWorkerOptions(join(resolve(import.meta.dirname, '..'), 'wrangler.toml'));
process.stdout.write(JSON.stringify(workerOptions));
