/** What stands between a machine and its relay, as far as one machine can have it all: each finding with what to do and its exit code. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { examine, machineChecks, relayChecks, type Finding } from './doctor-checks.ts';

const HEALTH = { ok: true, name: 'lineup-relay', relay: 'rl_test', version: '1.0.0', protocol: 1 };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function listen(answer: RequestListener): Promise<number> {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

async function last(relay: string): Promise<Finding | undefined> {
  return (await findings(relay)).at(-1);
}

const findings = (relay: string): Promise<Finding[]> =>
  examine(relayChecks({ relay, token: 'none', agentId: 'ag_none', name: 'Agent', state: tmpdir() }), () => undefined);

describe('what doctor finds', () => {
  test('a name that no host has', async () => {
    expect(await last('https://relay.invalid')).toMatchObject({
      check: 'DNS',
      state: 'failed',
      exitCode: 6,
      advice: expect.stringContaining('spelled'),
    });
  });

  test('a port where nobody listens', async () => {
    const port = await listen(() => undefined);
    server?.close();
    const finding = { check: 'TCP', state: 'failed', exitCode: 6, advice: expect.stringContaining('is the relay running') };
    expect(await last(`http://127.0.0.1:${port}`)).toMatchObject(finding);
  });

  test('https where nothing speaks TLS: one line, without the sources of OpenSSL', async () => {
    const port = await listen((_request, response) => response.end());
    const finding = await last(`https://127.0.0.1:${port}`);
    expect(finding).toMatchObject({ check: 'TLS', state: 'failed', exitCode: 6, advice: expect.stringContaining('http://') });
    expect(finding?.detail).not.toMatch(/\n|\.c:|openssl/);
  });

  test.each<[string, RequestListener, number, RegExp]>([
    ['a server that is no relay', (_request, response) => response.writeHead(404).end('<html>'), 7, /address of a LineUp relay/],
    ['a page of another program', (_request, response) => response.end('<html>Welcome</html>'), 7, /check the address/],
    ['another program with JSON', (_request, response) => response.end('{"name":"other"}'), 7, /check the address/],
    ['a relay of another version', (_request, response) => response.end(JSON.stringify({ ...HEALTH, protocol: 2 })), 5, /update/],
    ['a server that hangs up', (request) => request.socket.destroy(), 6, /try again later/],
  ])('%s', async (_what, answer, exitCode, advice) => {
    const port = await listen(answer);
    expect(await last(`http://127.0.0.1:${port}`)).toMatchObject({
      check: 'relay',
      state: 'failed',
      exitCode,
      advice: expect.stringMatching(advice),
      detail: expect.stringMatching(/^.+$/),
    });
  });

  test('a clock that goes wrong, a token that is not taken, and WebSockets that do not come through; a clock that goes right is no warning', async () => {
    for (const [ahead, state] of [
      [0, 'ok'],
      [-3_600_000, 'warning'],
      [3_600_000, 'warning'],
    ] as const) {
      const port = await listen((request, response) => {
        response.setHeader('date', new Date(Date.now() - ahead).toUTCString());
        if (request.url === '/healthz') response.end(JSON.stringify(HEALTH));
        else response.writeHead(401).end('{"error":{"code":"unauthorized","message":"no"}}');
      });
      const found = new Map((await findings(`http://127.0.0.1:${port}`)).map((each) => [each.check, each]));
      expect(found.get('clock')).toMatchObject({ state, ...(ahead !== 0 && { detail: expect.stringContaining(ahead > 0 ? 'ahead' : 'behind') }) });
      expect(found.get('token')).toMatchObject({ state: 'failed', exitCode: 3, advice: expect.stringContaining('setup --renew') });
      expect(found.get('WebSocket')).toMatchObject({ state: 'failed', exitCode: 6, advice: expect.stringContaining('WebSockets') });
      server?.close();
    }
  });

  test('a proxy that lineup does not use is a warning', async () => {
    const found = await examine(machineChecks('1.0.0', { HTTPS_PROXY: 'http://proxy:3128' }), () => undefined);
    expect(found.find(({ check }) => check === 'proxy')).toMatchObject({ state: 'warning', advice: expect.stringContaining('without a proxy') });
  });
});
