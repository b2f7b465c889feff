/**
 * `npm test`: everything that must hold before a change is good, in the order of its cost, stopping at the first step that fails.
 * `npm run check` is its first half, what needs nothing to run.
 *
 * Quiet when green; a step that fails prints all that it said. The last line has the totals of all test runs.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Step {
  name: string;
  /** A program of node_modules/.bin and its arguments. */
  command: readonly [string, ...string[]];
  /** A Vitest run: its tests are counted. */
  counts?: true;
}

const STATIC: readonly Step[] = [
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint and import directions', command: ['oxlint'] },
  { name: 'types of what runs in Node and browsers', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'types of what runs in Workers', command: ['tsc', '-p', 'tsconfig.worker.json'] },
  { name: 'unused code', command: ['knip'] },
];
const RUNNING: readonly Step[] = [
  { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit'], counts: true },
  { name: 'tests in workerd', command: ['vitest', 'run', '--project', 'worker'], counts: true },
  { name: 'build and deploy, dry run', command: ['npm', 'run', 'deploy', '--', '--dry-run'] },
  { name: 'end-to-end tests', command: ['vitest', 'run', '--project', 'e2e'], counts: true },
];

const ROOT = resolve(import.meta.dirname, '..');
const total = { passed: 0, failed: 0 };
const steps = process.argv.includes('--static') ? STATIC : [...STATIC, ...RUNNING];
const green = await runAll(steps);
if (steps.some(({ counts }) => counts)) say(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(green ? 0 : 1);

async function runAll(all: readonly Step[]): Promise<boolean> {
  for (const step of all) {
    const started = performance.now();
    const { green: ok, said, tests } = await run(step);
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const figures = tests === undefined ? '' : ` (${tests.passed} passed${tests.failed === 0 ? '' : `, ${tests.failed} failed`})`;
    say(`${ok ? '✓' : '✗'} ${step.name}${figures} ${seconds} s`);
    total.passed += tests?.passed ?? 0;
    total.failed += tests?.failed ?? (ok ? 0 : 1);
    if (ok) continue;
    say(`\n${step.command.join(' ')}\n${said.trimEnd()}`);
    return false;
  }
  return true;
}

interface Outcome {
  green: boolean;
  said: string;
  tests?: { passed: number; failed: number };
}

async function run({ command: [program, ...args], counts }: Step): Promise<Outcome> {
  if (!counts) return runProgram(program, args);
  const folder = await mkdtemp(join(tmpdir(), 'lineup-tests-'));
  try {
    const file = join(folder, 'report.json');
    const outcome = await runProgram(program, [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
    return { ...outcome, tests: await readReport(file) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A run that ended before its report was written counts as one failure. */
async function readReport(file: string): Promise<{ passed: number; failed: number }> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return { passed: 0, failed: 1 };
  const report = JSON.parse(text) as { success: boolean; numPassedTests: number; numFailedTests: number };
  // A file that cannot be loaded fails the run without a failed test.
  return { passed: report.numPassedTests, failed: Math.max(report.numFailedTests, report.success ? 0 : 1) };
}

function runProgram(program: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((done) => {
    const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1', FORCE_COLOR: undefined };
    const child = spawn(program, args, { cwd: ROOT, env: { ...process.env, ...colour }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.once('error', (error) => done({ green: false, said: error.message }));
    child.once('close', (code) => done({ green: code === 0, said }));
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
