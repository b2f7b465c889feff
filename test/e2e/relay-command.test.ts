import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { RelayHttp } from '../../client/core/http.ts';
import { endGroup, outputOf } from './process-group.ts';
import { freePort } from '../support/free-port.ts';

const OWNER_KEY = 'owner-key-of-the-command-tests-0123456789';
const SCRIPT = join(import.meta.dirname, '../../scripts/relay.ts');
const READY_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'lineup-command-'));
const running = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of running) await endGroup(child, 'SIGKILL');
  running.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts `scripts/relay.ts` as npm does, or a shell between as npm does, and waits until it serves. */
async function start(port: number, persist: string, how: 'node' | 'npm' = 'node'): Promise<{ child: ChildProcess; stdout: () => string }> {
  const args = ['--port', String(port), '--persist', join(folder, persist)];
  const [program, before] = how === 'npm' ? ['npm', ['run', '--silent', 'relay', '--']] : [process.execPath, [SCRIPT]];
  const env = { ...process.env, LINEUP_OWNER_KEY: OWNER_KEY };
  const child = spawn(program, [...before, ...args], { detached: true, env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const output = outputOf(child);
  await output.waitFor(/^ready /m, READY_MS);
  return { child, stdout: output.text };
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  const ended = once(child, 'exit');
  child.kill(signal);
  const [code, by] = (await ended) as [number | null, NodeJS.Signals | null];
  return code ?? by;
}

function failure(...args: string[]): { status: number | null; stderr: string; stdout: string } {
  return spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8', env: { ...process.env, LINEUP_OWNER_KEY: OWNER_KEY } });
}

describe('npm run relay (§12)', () => {
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('prints one line when it serves, and ends cleanly on %s, open sockets or not', async (signal) => {
    const { child, stdout } = await start(port, 'clean');
    expect(stdout()).toBe(`ready http://127.0.0.1:${port}\n`);
    const { agent_id, conversation_id, token } = await RelayHttp.enrol(`http://127.0.0.1:${port}`, OWNER_KEY, { name: 'A' });
    expect(agent_id).toMatch(/^ag_/);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/conversations/${conversation_id}/socket`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    expect(await endOf(child, signal)).toBe(0);
    await closed;
    expect(stdout()).toBe(`ready http://127.0.0.1:${port}\n`);
  });

  it('ends when npm is told to end', async () => {
    const { child } = await start(port, 'npm', 'npm');
    await endOf(child, 'SIGTERM');
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            () => 'serves',
            () => 'gone',
          ),
        { timeout: 10_000 },
      )
      .toBe('gone');
  });

  it('killed alone, it leaves no runtime behind, and started again on the same folder it has everything', async () => {
    const { child } = await start(port, 'killed');
    const origin = `http://127.0.0.1:${port}`;
    const before = await RelayHttp.health(origin);
    const { token, conversation_id } = await RelayHttp.enrol(origin, OWNER_KEY, { name: 'A' });
    const http = new RelayHttp({ origin, token: () => token });
    const { seq } = await http.postMessage(conversation_id, { id: 'm1', type: 'text', payload: { content: 'kept' } });
    expect(await endOf(child, 'SIGKILL')).toBe('SIGKILL');

    await start(port, 'killed');
    expect(await RelayHttp.health(origin)).toEqual(before);
    const { messages } = await http.history(conversation_id);
    expect(messages).toMatchObject([{ id: 'm1', seq, payload: { content: 'kept' } }]);
  });

  it('runs several at once, each on its own port and folder', async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    await Promise.all(ports.map((each, index) => start(each, `several-${index}`)));
    const relays = await Promise.all(ports.map((each) => RelayHttp.health(`http://127.0.0.1:${each}`)));
    expect(new Set(relays.map(({ relay }) => relay)).size).toBe(3);
  });

  it('keeps its folder, with the key that signs tokens, for the user alone', async () => {
    await start(port, 'private');
    expect(statSync(join(folder, 'private')).mode & 0o777).toBe(0o700);
  });

  it('serves the web app and its deep links, and no stack in an error', async () => {
    await start(port, 'page');
    for (const path of ['/', '/deep/link']) {
      const page = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } });
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(await page.text()).toContain('<div id="root">');
    }
    const refused = await fetch(`http://127.0.0.1:${port}/v1/agents`, { method: 'POST', body: '{' });
    expect(await refused.text()).not.toMatch(/ at .*:\d+/);
  });

  it('says in one line why it does not start', async () => {
    await start(port, 'taken');
    const cases: [string[], RegExp, number][] = [
      [['--port', String(port), '--persist', join(folder, 'other')], /address already in use/, 1],
      [['--port', '0', '--persist', join(folder, 'taken')], /another relay runs on the folder/, 1],
      [['--port', '70000'], /--port/, 2],
      [['--prot', '1'], /--prot/, 2],
    ];
    for (const [args, why, code] of cases) {
      const { status, stdout, stderr } = failure(...args);
      expect(stderr).toMatch(why);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect({ status, stdout }).toEqual({ status: code, stdout: '' });
    }
  });

  it('refuses a limit that is none, and never prints a secret', () => {
    const env = { ...process.env, LINEUP_OWNER_KEY: OWNER_KEY, LINEUP_BURST: 'many' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8', env });
    expect(status).toBe(2);
    expect(stderr).toContain('LINEUP_BURST');
    expect(stdout + stderr).not.toContain(OWNER_KEY);
  });
});
