/** The service worker's kept files, without a browser: what is told to it, and what is there afterwards. */
import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

interface LifeEvent {
  data?: unknown;
  waitUntil(work: Promise<unknown>): void;
}

const ORIGIN = 'https://relay.example';
const source = await readFile(new URL('../public/sw.js', import.meta.url), 'utf8');

/** A service worker over one cache, whose files come in the order in which they were kept. */
function worker() {
  const files = new Set<string>();
  const listeners = new Map<string, (event: LifeEvent) => void>();
  const cache = {
    keys: async () => [...files].map((path) => ({ url: ORIGIN + path })),
    add: async (path: string) => void files.add(path),
    delete: async ({ url }: { url: string }) => files.delete(new URL(url).pathname),
  };
  const self = {
    location: { origin: ORIGIN },
    clients: {},
    skipWaiting: () => Promise.resolve(),
    addEventListener: (name: string, listener: (event: LifeEvent) => void) => void listeners.set(name, listener),
  };
  runInNewContext(source, { self, URL, caches: { open: async () => cache } });
  const happen = async (name: string, data?: unknown) => {
    let work: Promise<unknown> = Promise.resolve();
    listeners.get(name)?.({ data, waitUntil: (promise) => (work = promise) });
    await work;
  };
  return { files, install: () => happen('install'), tell: (keep: string[]) => happen('message', { keep }) };
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, i) => `/assets/${name}-${i}.js`);

describe('the kept files of the page', () => {
  it('are all of the running version’s, however many versions there were', async () => {
    const { files, tell } = worker();
    const unchanged = named('vendor', 40);
    for (let version = 0; version < 8; version++) {
      const parts = [...unchanged, ...named(`v${version}`, 33)];
      await tell(parts);
      expect(parts.filter((path) => !files.has(path))).toEqual([]);
    }
    expect(files.size).toBeLessThan(300);
    expect(files).not.toContain('/assets/v0-0.js');
  });

  it('stay while a new worker comes, which does not know yet what the page is made of', async () => {
    const { files, install, tell } = worker();
    const unchanged = named('vendor', 150);
    await tell(unchanged);
    await tell([...unchanged, ...named('v1', 80)]);
    await install();
    expect(unchanged.filter((path) => !files.has(path))).toEqual([]);
    expect(files).toContain('/');
  });
});
