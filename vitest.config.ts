/** The ways tests run: in Node, inside workerd, in Node against relays that really run, and against direct mode in a relay's place. */
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

/** `.sql` files are text, as wrangler.toml has it. */
const sqlAsText = {
  name: 'sql-as-text',
  transform: (code: string, id: string) => (id.endsWith('.sql') ? { code: `export default ${JSON.stringify(code)};`, map: null } : null),
};

/** The owner key of the Worker under test; no secret. */
const OWNER_KEY = 'owner-key-of-the-worker-tests';

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [sqlAsText],
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/model/**/*.test.ts', 'client/**/*.test.{ts,tsx}', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [
          sqlAsText,
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { LINEUP_OWNER_KEY: OWNER_KEY },
              // A page of its own, so that these tests need no built web app.
              assets: { directory: './test/fixtures/assets', binding: 'ASSETS', assetConfig: { not_found_handling: 'single-page-application' } },
            },
          }),
        ],
        test: { name: 'worker', include: ['test/worker/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, retry: 1 },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.{ts,tsx}', 'test/faults/**/*.test.ts', 'test/conformance/**/*.test.ts'],
          // Real relays and browsers, each on ports and folders of its own: they wait more than they work.
          maxWorkers: 3,
          // On a busy machine a browser may come too late for a step; a fault fails twice.
          retry: 1,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'direct',
          include: ['test/conformance/**/*.test.ts'],
          env: { LINEUP_TEST_RELAY: 'direct' },
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
