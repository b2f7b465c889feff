/** The package as `npm pack` makes it, installed into an empty folder and used there with the oldest Node that it promises, against a relay that runs. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RelayHttp } from '../../client/core/http.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { FIXTURE, Phone } from './home-world.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const run = promisify(execFile);

/** The machine's own Node, where there is one beside the one that runs the tests: CI installs the oldest that is promised. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

const relay = new RelayProcess();
const folder = mkdtempSync(join(tmpdir(), 'lineup-package-'));
const env = { PATH, HOME: folder, LINEUP_HOME: join(folder, 'state'), npm_config_cache: join(folder, 'cache'), npm_config_loglevel: 'error' };
const LINEUP = join(folder, 'project/node_modules/.bin/lineup');
let tarball: string;

/** What of the package is in an empty project. */
const inProject = (command: string, ...args: string[]) => run(command, args, { cwd: join(folder, 'project'), env });

beforeAll(async () => {
  await relay.start();
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], {
    cwd: ROOT,
    maxBuffer: 16 * 1024 * 1024,
  });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
  tarball = join(folder, packed!.filename);
  await run('mkdir', ['-p', join(folder, 'project')]);
  writeFileSync(join(folder, 'project', 'package.json'), '{"name":"project","private":true,"type":"module"}');
  await inProject('npm', 'install', '--no-audit', '--no-fund', tarball);
});
afterAll(async () => {
  await relay.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe('the package', () => {
  test('is small, and brings nothing of the relay, its tools or the web app as a dependency', async () => {
    const { stdout } = await inProject('npm', 'ls', '--all', '--parseable');
    const installed = stdout.split('\n').flatMap((line) => /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(line)?.[1] ?? []);
    expect(installed.toSorted()).toEqual(['@agentclientprotocol/sdk', 'commander', 'lineup-relay', 'uqr', 'ws', 'zod']);
    expect(readFileSync(tarball).byteLength).toBeLessThan(1_500_000);
  });

  test('has no source, test or secret in it', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const files = stdout.trim().split('\n');
    const places = /^package\/(dist\/(package|web)\/|migrations\/|package\.json$|README|LICENSE)/;
    expect(files.filter((file) => !places.test(file))).toEqual([]);
    expect(files.filter((file) => /\.test\.|(?<!\.d)\.tsx?$/.test(file))).toEqual([]);
  });

  test('has nothing that publint would change', async () => {
    const pack = { tarball: new Uint8Array(readFileSync(tarball)).buffer };
    const { messages, pkg } = await publint({ pack, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  });

  test('has types that every kind of import finds', async () => {
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))), {
      excludeEntrypoints: ['./package.json'],
    });
    if (!checked.types) throw new Error('the package has no types');
    // Only modules: CommonJS reaches them by import() or, from Node 22 on, by require. And Node 10's resolution knows no exports.
    const known = new Set(['CJSResolvesToESM']);
    const problems = checked.problems.filter(
      (problem) => !known.has(problem.kind) && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    );
    expect(problems).toEqual([]);
  });

  test('its types say what its code does', async () => {
    const script = `
      import { LineUpAgent, readSetup, type Chat } from 'lineup-relay/agent';
      import { Connection, RelayHttp } from 'lineup-relay/client';
      import { nodeWebSocket } from 'lineup-relay/client/node';
      export const agent = new LineUpAgent({ ...(await readSetup()), name: 'Echo' });
      agent.onText(async (chat: Chat, { payload }) => {
        const answer = await chat.choice({ question: payload.content, options: ['a'] });
        if (answer.status === 'completed') await chat.say(answer.result.selected.join());
        // @ts-expect-error
        await chat.choice({ question: 1 });
      });
      export const uses = [Connection, RelayHttp, nodeWebSocket];
    `;
    writeFileSync(join(folder, 'project', 'agent.ts'), script);
    for (const resolution of ['nodenext', 'bundler']) {
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2024,dom', '--module', module, '--moduleResolution', resolution];
      await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, '--types', '', 'agent.ts'], { cwd: join(folder, 'project') }).catch(
        (error: { stdout?: string }) => {
          throw new Error(`${resolution}: ${error.stdout}`);
        },
      );
    }
  });
});

describe('in an empty folder', () => {
  test('the command runs', async () => {
    const { stdout } = await inProject('npx', 'lineup', '--help');
    expect(stdout).toContain('Usage: lineup');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect((await inProject('npx', 'lineup', '--version')).stdout.trim()).toBe(version);
  });

  test('every command explains itself, with an example', async () => {
    const { stdout } = await inProject('npx', 'lineup', '--help');
    const commands = [...stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('Environment:')).matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name!);
    expect(commands.length).toBeGreaterThan(11);
    const helps = await Promise.all(commands.map(async (name) => [name, (await inProject('npx', 'lineup', name, '--help')).stdout] as const));
    for (const [name, help] of helps) if (name !== 'service') expect(help, name).toMatch(/Examples?:\n +\$ /);
  });

  test('setup, an agent in ten lines, a question and its answer', async () => {
    await run('npx', ['lineup', 'setup', relay.origin, '--name', 'Echo'], {
      cwd: join(folder, 'project'),
      env: { ...env, LINEUP_OWNER_KEY: OWNER_KEY },
    });
    const { stdout } = await inProject('npx', 'lineup', 'pair', '--no-wait', '--json');
    const { code } = JSON.parse(stdout) as { code: string };
    writeFileSync(
      join(folder, 'project', 'agent.js'),
      `import { LineUpAgent, readSetup } from 'lineup-relay/agent';
      const agent = new LineUpAgent({ ...(await readSetup(process.env.LINEUP_HOME + '/default')), name: 'Echo' });
      agent.onText(async (chat, { payload }) => chat.say('You said: ' + payload.content));
      await agent.start();
      console.log(process.versions.node);
      process.on('SIGTERM', () => agent.close());`,
    );
    writeFileSync(
      join(folder, 'project', 'phone.js'),
      `import { Connection, isMessage, MemoryCursorStore, MemoryOutboxStore, RelayHttp } from 'lineup-relay/client';
      import { nodeWebSocket } from 'lineup-relay/client/node';
      const [relay, code] = process.argv.slice(2);
      const me = await RelayHttp.redeem(relay, code, { name: 'Phone', platform: 'node' });
      const connection = new Connection({
        relay, conversationId: me.conversation_id, self: { kind: 'app', id: me.device_id },
        credentials: { load: () => me.token, save: () => undefined }, hello: { name: 'Phone', platform: 'node' },
        outbox: new MemoryOutboxStore(), cursor: new MemoryCursorStore(), WebSocket: nodeWebSocket,
      });
      connection.on('message', (frame) => {
        if (isMessage(frame, 'text')) console.log(frame.payload.content);
        if (isMessage(frame, 'tool.call'))
          void connection.send('tool.result', { name: frame.payload.name, call_id: frame.payload.call_id, result: { message: 'b', selected: ['b'] } });
      });
      connection.start();
      await (await connection.send('text', { content: 'hello' })).done;
      process.on('SIGTERM', () => connection.close().then(() => process.exit()));`,
    );
    const agent = start('node', 'agent.js');
    await expect.poll(() => agent.said, { timeout: 30_000 }).toMatch(/^\d+\./);
    const phone = start('node', 'phone.js', relay.origin, code);
    await expect.poll(() => phone.said, { timeout: 30_000 }).toContain('You said: hello');
    expect((await inProject('npx', 'lineup', 'ask', 'Which?', 'a', 'b')).stdout).toBe('b\n');
    await Promise.all([agent.end(), phone.end()]);
    expect(existsSync(join(folder, 'state', 'default', 'agent.json'))).toBe(true);
  });

  test('devices of the relay are there', async () => {
    const { token } = stored();
    const http = new RelayHttp({ origin: relay.origin, token: () => token });
    expect((await http.devices()).map(({ name }) => name)).toEqual(['Phone']);
  });

  test('connect: an agent that speaks the Agent Client Protocol, and a script that asks beside it', async () => {
    const phone = await Phone.pair(relay.origin, stored());
    const agent = start(LINEUP, 'connect', '--', process.execPath, FIXTURE);
    await phone.say('hello from the package');
    await phone.untilText('| hello from the package');
    const asking = start('sh', '-c', `"${LINEUP}" ask --confirm 'Deploy it?' && echo deployed; echo "exit $?"`);
    await phone.answer(await phone.untilAsked('confirm', 'Deploy it?'), { message: 'declined', confirmed: false });
    await expect.poll(() => asking.said, { timeout: 30_000 }).toContain('exit');
    expect(asking.said).toBe('declined\nexit 10\n');
    expect(await agent.end()).toEqual([0, null]);
    await phone.connection.close();
  });
});

/** What setup left of the agent. */
function stored(): { agent_id: string; conversation_id: string; token: string } {
  const state = join(folder, 'state', 'default');
  const { agent_id, conversation_id } = JSON.parse(readFileSync(join(state, 'agent.json'), 'utf8')) as { agent_id: string; conversation_id: string };
  return { agent_id, conversation_id, token: readFileSync(join(state, agent_id, 'token'), 'utf8') };
}

/** A program in the project, on the Node of the project. */
function start(program: string, ...args: string[]): { said: string; end: () => Promise<unknown> } {
  const child = spawn(program, args, { cwd: join(folder, 'project'), env });
  const process = { said: '', end: () => (child.kill('SIGTERM'), once(child, 'exit')) };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (process.said += text));
  return process;
}
