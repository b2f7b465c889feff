import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const checkout = mkdtempSync(join(tmpdir(), 'lineup-directions-'));
afterAll(() => rmSync(checkout, { recursive: true }));

/** [folder, what a file there imports, may it] */
const CASES: readonly [string, string, boolean][] = [
  ['src/protocol', 'zod', true],
  ['src/protocol', './b.ts', true],
  ['src/protocol', '../conversation/b.ts', false],
  ['src/protocol', 'node:fs', false],
  ['src/conversation', '../protocol/b.ts', true],
  ['src/conversation', 'node:crypto', true],
  ['src/conversation', 'node:fs', false],
  ['src/conversation', 'cloudflare:workers', false],
  ['src/conversation', '../worker/b.ts', false],
  ['src/conversation', '../../client/core/b.ts', false],
  ['src/worker/routes', '../../conversation/b.ts', true],
  ['src/worker/routes', '../../../client/core/b.ts', false],
  ['client/core', '../../src/protocol/b.ts', true],
  ['client/core', '../../src/conversation/b.ts', false],
  ['client/core', '../../src/worker/b.ts', false],
  ['client/core', '../web/b.ts', false],
  ['client/core', '../agent/b.ts', false],
  ['client/web/parts', '../../core/b.ts', true],
  ['client/web/parts', '../../../src/protocol/b.ts', true],
  ['client/web/parts', '../../../src/worker/b.ts', false],
  ['client/web/parts', '../../agent/b.ts', false],
  ['client/web/parts', 'node:path', false],
  ['client/agent', '../core/b.ts', true],
  ['client/agent', '../web/b.ts', false],
  ['client/agent', '../../src/worker/b.ts', false],
  ['client/agent', '../../test/b.ts', false],
  ['client/agent/direct', '../../core/b.ts', true],
  ['client/agent/direct', '../../../src/conversation/b.ts', true],
  ['client/agent/direct', '../../../src/worker/routes/b.ts', true],
  ['client/agent/direct', '../../../src/worker/conversation-object.ts', false],
  ['client/agent/direct', '../../../src/worker/routes/socket.ts', false],
  ['client/agent/direct', '../../web/b.ts', false],
  ['client/agent/direct', '../../../test/b.ts', false],
];

describe('imports go one way', () => {
  cpSync(join(ROOT, '.oxlintrc.json'), join(checkout, '.oxlintrc.json'));
  const files = CASES.map(([folder, specifier], index) =>
    [
      `import { b } from '${specifier}';\nb();`,
      `import type { b } from '${specifier}';\nexport type C = b;`,
      `export * from '${specifier}';`,
      `await import('${specifier}');`,
    ].map((statement, way) => {
      const file = `${folder}/case-${index}-${way}.ts`;
      mkdirSync(join(checkout, folder), { recursive: true });
      writeFileSync(join(checkout, file), `${statement}\n`);
      return file;
    }),
  );
  const oxlint = spawnSync(process.execPath, [join(ROOT, 'node_modules/oxlint/bin/oxlint'), '--format=unix'], { cwd: checkout, encoding: 'utf8' });
  const refused = new Set(
    oxlint.stdout.split('\n').flatMap((line) => (line.includes('no-restricted-imports') ? [line.slice(0, line.indexOf(':'))] : [])),
  );

  it.each(CASES.map((entry, index) => ({ from: entry[0], to: entry[1], allowed: entry[2], files: files[index] ?? [] })))(
    '$from importing $to: $allowed',
    ({ files: ways, allowed }) => {
      expect(ways.map((file) => refused.has(file))).toEqual(ways.map(() => !allowed));
    },
  );
});
