/** `lineup` on a disk that is full: a file system of 64 KiB, where this machine lets the tests mount one. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RelayHttp } from '../../client/core/http.ts';
import { FIXTURE, Phone } from '../e2e/home-world.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';

const CLI = new URL('../../client/agent/cli.ts', import.meta.url).pathname;
const WAIT_MS = 30_000;

const disk = mkdtempSync(join(tmpdir(), 'lineup-disk-'));
const isMounted = mount();
const relay = new RelayProcess();
const children: ChildProcess[] = [];
beforeAll(() => (isMounted ? relay.start() : undefined));
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  if (isMounted) {
    await relay.dispose();
    execFileSync('umount', ['-l', disk]);
  }
  rmSync(disk, { recursive: true });
});

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function fill(): void {
  try {
    writeFileSync(join(disk, 'fill'), Buffer.alloc(128 * 1024));
  } catch {
    // As it should be: it is full.
  }
}
const free = () => rmSync(join(disk, 'fill'), { force: true });

const env = { PATH: process.env.PATH ?? '', HOME: disk, LINEUP_HOME: join(disk, 'home'), LINEUP_OWNER_KEY: OWNER_KEY };
interface Running {
  child: ChildProcess;
  said: { out: string; err: string };
  ended: Promise<number | null>;
}
const begin = (...args: string[]): Running => beginWith({}, ...args);

function beginWith(more: Record<string, string>, ...args: string[]): Running {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  return { child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

describe.skipIf(!isMounted)('on a full disk', () => {
  test('setup says so in one line, and leaves no agent at the relay that nobody knows', async () => {
    fill();
    const { ended, said } = begin('setup', relay.origin);
    expect([await ended, said]).toEqual([1, { out: '', err: 'lineup: the disk is full\n' }]);
    const response = await fetch(`${relay.origin}/v1/agents`, { headers: { authorization: `Bearer ${OWNER_KEY}` } });
    await expect(response.json()).resolves.toEqual({ agents: [] });
  });

  test('an agent that runs answers and asks on, says once what is the matter, and stores again when it can', async () => {
    free();
    expect(await begin('setup', relay.origin, '--name', 'Demo').ended).toBe(0);
    const agent = begin('demo');
    await expect.poll(() => agent.said.out, { timeout: WAIT_MS }).toContain('online');
    const pairing = begin('pair', '--no-wait', '--json');
    await pairing.ended;
    const { code } = JSON.parse(pairing.said.out) as { code: string };
    const me = await RelayHttp.redeem(relay.origin, code, { name: 'Phone', platform: 'test' });
    const phone = new RelayHttp({ origin: relay.origin, token: () => me.token });
    const log = async () => (await phone.history(me.conversation_id)).messages;
    const untilText = (part: string) =>
      expect
        .poll(async () => (await log()).map(({ payload }) => payload.content), { timeout: WAIT_MS })
        .toContainEqual(expect.stringContaining(part));

    fill();
    await phone.postMessage(me.conversation_id, { id: 'm1', type: 'text', payload: { content: 'nice weather' } });
    await untilText('> nice weather');
    await phone.postMessage(me.conversation_id, { id: 'm2', type: 'text', payload: { content: 'choice' } });
    await expect.poll(async () => (await log()).some(({ type }) => type === 'tool.call'), { timeout: WAIT_MS }).toBe(true);
    const call_id = (await log()).find(({ type }) => type === 'tool.call')!.payload.call_id!;
    const result = { message: 'Red', selected: ['Red'] };
    await phone.postMessage(me.conversation_id, { id: 'm3', type: 'tool.result', payload: { name: 'choice', call_id, result } });
    await untilText('You chose **Red**');
    const told = agent.said.out.match(/[^\n]+cannot be stored[^\n]+/g) ?? [];
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual([...new Set(told)]);
    expect(agent.said.err).toBe('');

    free();
    await phone.postMessage(me.conversation_id, { id: 'm4', type: 'text', payload: { content: 'better' } });
    await untilText('> better');
    await delay(500);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    const next = begin('demo');
    await expect.poll(() => next.said.out, { timeout: WAIT_MS }).toContain('online');
    await phone.postMessage(me.conversation_id, { id: 'm5', type: 'text', payload: { content: 'and now' } });
    await untilText('> and now');
    for (const said of ['> nice weather', 'You chose', '> better', '> and now']) {
      expect((await log()).filter(({ payload }) => String(payload.content).includes(said))).toHaveLength(1);
    }
    next.child.kill('SIGTERM');
    await next.ended;
  });

  test('an agent behind connect is given each message once, and the person at the machine hears that nothing can be stored', async () => {
    free();
    const { conversation_id, token } = await RelayHttp.enrol(relay.origin, OWNER_KEY, { name: 'Full' });
    const agentEnv = { LINEUP_RELAY_URL: relay.origin, LINEUP_AGENT_TOKEN: token };
    const agent = beginWith(agentEnv, 'connect', '--profile', 'full', '--', process.execPath, FIXTURE);
    await expect.poll(() => agent.said.err, { timeout: WAIT_MS }).toContain('is ready');
    const phone = await Phone.pair(relay.origin, { token, conversation_id });
    fill();
    await phone.say('one');
    await phone.untilText('| one');
    await phone.say('two');
    await phone.untilText('| one | two');
    expect(agent.said.err.match(/cannot be stored: [^\n]*the disk is full/g)).toHaveLength(1);
    expect(phone.of('error')).toEqual([]);
    free();
    await phone.say('three');
    await phone.untilText('| two | three');
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    await phone.connection.close();
  });
});
