import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Redeemed, RelayHttp } from '../../client/core/http.ts';
import { endGroup, outputOf } from './process-group.ts';
import { freePort } from '../support/free-port.ts';

const LINK = /^ {2}(http:\/\/127\.0\.0\.1:\d+)\/#pair=([0-9A-Z]{8})$/gm;
const READY_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'lineup-start-'));
let running: ChildProcess | undefined;
afterEach(async () => {
  if (running) await endGroup(running, 'SIGTERM');
  running = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Started {
  output: ReturnType<typeof outputOf>;
  /** The newest link in the terminal. */
  link(): { origin: string; code: string };
}

async function start(...args: string[]): Promise<Started> {
  const child = spawn('npm', ['start', '--', '--folder', folder, ...args], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running = child;
  const output = outputOf(child);
  await output.waitFor(/#pair=\w{8}\n/, READY_MS);
  const link = () => {
    const [, origin = '', code = ''] = [...output.text().matchAll(LINK)].at(-1) ?? [];
    return { origin, code };
  };
  return { output, link };
}

function redeem({ origin, code }: { origin: string; code: string }): Promise<Redeemed> {
  return RelayHttp.redeem(origin, code, { name: 'My phone', platform: 'web' });
}

/** What the demo agent says to a new device, once it said something. */
async function greeting(origin: string, device: Redeemed): Promise<unknown> {
  const http = new RelayHttp({ origin, token: () => device.token });
  const texts = async () =>
    (await http.history(device.conversation_id)).messages.filter(({ type, sender }) => type === 'text' && sender.kind === 'agent');
  await expect.poll(async () => (await texts()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  return (await texts())[0]?.payload['content'];
}

describe('npm start (§12)', () => {
  it('prints a link that pairs a device with the demo agent, and another one when it was used', async () => {
    const { output, link } = await start('--port', String(await freePort()));
    const first = link();
    const device = await redeem(first);
    expect(device.agent.name).toBe('Demo');
    expect(await greeting(first.origin, device)).toBeTypeOf('string');

    await output.waitFor(/Paired: My phone\./, 20_000);
    await expect.poll(() => link().code, { timeout: 20_000 }).not.toBe(first.code);
    expect((await redeem(link())).agent.id).toBe(device.agent.id);
    expect(output.text()).toMatch(/[▀▄█]{5}/);
  });

  it('keeps its secrets for the user alone, and prints none', async () => {
    const { output } = await start('--port', String(await freePort()));
    for (const [name, mode] of [
      ['owner-key', 0o600],
      ['relay', 0o700],
      ['demo', 0o700],
    ] as const)
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(mode);
    expect(output.text()).not.toMatch(/eyJ|[\w-]{43}/);
  });

  it('a second one says in one line where the first runs, and leaves it alone', async () => {
    const { link } = await start('--port', String(await freePort()));
    const second = spawnSync('npm', ['start', '--silent', '--', '--folder', folder], { encoding: 'utf8' });
    expect(second.stderr).toMatch(/^LineUp Relay cannot start: another relay runs on the folder [^\n]+, at http:[^\n]+\n$/);
    expect(second.stderr).toContain(`at ${link().origin}`);
    expect(second.status).toBe(1);
    expect((await redeem(link())).agent.name).toBe('Demo');
  });

  it('is the same agent after a restart, on the next free port when its own is taken', async () => {
    const port = await freePort();
    const first = await start('--port', String(port));
    const before = await redeem(first.link());
    if (running) await endGroup(running, 'SIGTERM');

    const squatter = createServer();
    await new Promise<void>((listening) => squatter.listen(port, '127.0.0.1', listening));
    const second = await start('--port', String(port));
    squatter.close();
    expect(Number(new URL(second.link().origin).port)).toBeGreaterThan(port);
    const after = await redeem(second.link());
    expect([after.agent.id, after.conversation_id]).toEqual([before.agent.id, before.conversation_id]);
  });

  it('enrols the demo agent again when the relay forgot it', async () => {
    const port = await freePort();
    const before = await redeem((await start('--port', String(port))).link());
    if (running) await endGroup(running, 'SIGTERM');
    rmSync(join(folder, 'relay'), { recursive: true });
    const { link } = await start('--port', String(port));
    const after = await redeem(link());
    expect(after.agent.id).not.toBe(before.agent.id);
    expect(await greeting(link().origin, after)).toBeTypeOf('string');
  });
});
