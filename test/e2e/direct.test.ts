/** Direct mode for whoever speaks the whole contract, and for whoever means no good; and as a process that is started, killed and in the way. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Connection } from '../../client/core/connection.ts';
import { MemoryCursorStore } from '../../client/core/cursor-store.ts';
import { RelayHttp, type Redeemed } from '../../client/core/http.ts';
import { MemoryOutboxStore } from '../../client/core/outbox-store.ts';
import { NodeWebSocket } from '../../client/core/websocket-node.ts';
import type { Delivered, Participant } from '../../src/protocol/envelope.ts';
import { DirectProcess, lineup, printed, V1Client } from './direct-process.ts';

let folder: string;
let direct: DirectProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lineup-direct-'));
  direct = await DirectProcess.start(join(folder, 'home'));
});
afterAll(async () => {
  await direct.end();
  await rm(folder, { recursive: true });
});

/** A full client that runs, with all that it was told. */
function fullClient(
  self: Participant,
  conversationId: string,
  token: string,
): { connection: Connection; heard: Delivered[]; until(id: string): Promise<Delivered> } {
  const heard: Delivered[] = [];
  const connection = new Connection({
    relay: direct.listening.origin,
    conversationId,
    self,
    credentials: { load: () => token, save: () => undefined },
    hello: { name: 'Phone', platform: 'test' },
    outbox: new MemoryOutboxStore(),
    cursor: new MemoryCursorStore(),
    start: 'oldest',
    WebSocket: NodeWebSocket,
  });
  connection.on('message', (message) => heard.push(message));
  connection.start();
  const until = async (id: string): Promise<Delivered> =>
    await expect
      .poll(() => heard.find((message) => message.id === id), { timeout: 15_000 })
      .toBeDefined()
      .then(() => heard.find((message) => message.id === id)!);
  return { connection, heard, until };
}

async function pairedPhone(code: string, name = 'Phone'): Promise<Redeemed> {
  return await RelayHttp.redeem(direct.listening.origin, code, { name, platform: 'test' });
}

describe('a full client', () => {
  it('pairs with the printed code, which works once, and talks with a bare v1 agent', async () => {
    const code = new URL(direct.listening.url).hash.slice('#pair='.length);
    const { device_id, conversation_id, token } = await pairedPhone(code);
    await expect(pairedPhone(code)).rejects.toMatchObject({ code: 'pairing_not_found' });
    const hermes = await V1Client.agent(direct.listening.v1, direct.listening.token);
    const phone = fullClient({ kind: 'app', id: device_id }, conversation_id, token);
    await phone.connection.send('text', { content: 'from the phone' }, { id: 'full_1' });
    await hermes.next('text', ({ id }) => id === 'full_1');
    hermes.send('full_2', 'text', { content: 'from the agent' });
    expect((await phone.until('full_2')).payload).toEqual({ content: 'from the agent' });
    await phone.connection.close();
    await hermes.close();

    const http = new RelayHttp({ origin: direct.listening.origin, token: () => token });
    expect((await http.history(conversation_id)).messages.map(({ id }) => id)).toEqual(['full_1', 'full_2']);
    expect((await http.devices()).map((device) => device.device_id)).toEqual([device_id]);
    expect((await http.conversations()).map((conversation) => conversation.conversation_id)).toEqual([conversation_id]);
    expect((await http.refreshToken()).token).not.toBe(token);
    const { file_id } = await http.upload(conversation_id, new TextEncoder().encode('bytes'), 'text/plain');
    expect(await (await http.download(conversation_id, file_id)).text()).toBe('bytes');
    await http.unpair(device_id);
    await expect(http.history(conversation_id)).rejects.toMatchObject({ status: 401 });
  });

  it('pairs with the pre-shared token, as often as it likes; a wrong one is like a wrong code', async () => {
    const [one, two] = [await pairedPhone(direct.listening.token, 'One'), await pairedPhone(direct.listening.token, 'Two')];
    expect(one.device_id).not.toBe(two.device_id);
    await expect(pairedPhone(`${direct.listening.token.slice(0, -1)}_`)).rejects.toMatchObject({ code: 'pairing_not_found' });
  });

  it('finds the relay as anywhere: health, keys, refusals, CORS', async () => {
    const { origin } = direct.listening;
    expect(await RelayHttp.health(origin)).toMatchObject({ ok: true, name: 'lineup-relay', protocol: 1 });
    expect(await (await fetch(`${origin}/.well-known/jwks.json`)).json()).toMatchObject({ keys: [{ crv: 'Ed25519' }] });
    for (const path of ['/v1/conversations', '/v1/devices', '/v1/conversations/cv_aaaaaaaaaaaaaaaa/messages']) {
      const answer = await fetch(origin + path);
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 401, '*']);
    }
    expect((await fetch(`${origin}/v1/agents`, { headers: { authorization: `Bearer ${direct.listening.token}` } })).status).toBe(401);
    expect((await fetch(`${origin}/v1/nothing`)).status).toBe(404);
  });

  it('gets the page, or is told that there is none, and no other file of this machine', async () => {
    const { origin } = direct.listening;
    const page = await fetch(origin);
    expect([200, 503]).toContain(page.status);
    expect([page.headers.get('content-type'), page.headers.get('content-security-policy')]).toEqual([
      'text/html; charset=utf-8',
      expect.stringContaining("default-src 'none'"),
    ]);
    const text = await page.text();
    for (const path of ['/..%2f..%2fpackage.json', '/%2e%2e/%2e%2e/package.json', '/%00', '/%'])
      expect(await (await fetch(origin + path)).text()).toBe(text);
  });

  it.each([
    ['a token that is none', 'cv_aaaaaaaaaaaaaaaa', 'lineup.token.abc', 4401],
    ['the pre-shared token, which is no token of the relay', 'cv_aaaaaaaaaaaaaaaa', 'preshared', 4401],
  ])('is closed with a code that it can read: %s', async (_what, id, protocol, code) => {
    const offered = protocol === 'preshared' ? `lineup.token.${direct.listening.token}` : protocol;
    const socket = new WebSocket(`${direct.listening.origin.replace('http', 'ws')}/v1/conversations/${id}/socket`, ['lineup.v1', offered]);
    expect(await new Promise((done) => socket.once('close', done))).toBe(code);
  });

  it('learns from no socket which conversations exist', async () => {
    const { conversationId } = await direct.agent();
    for (const id of [conversationId, 'cv_aaaaaaaaaaaaaaaaaaaaaaaa', 'nonsense']) {
      const socket = new WebSocket(`${direct.listening.origin.replace('http', 'ws')}/v1/conversations/${id}/socket`, ['lineup.v1']);
      await new Promise((done) => socket.once('open', done));
      socket.send('ping');
      expect(String(await new Promise((done) => socket.once('message', done)))).toBe('pong');
      socket.send(JSON.stringify({ v: 1, id: 'h', type: 'system.hello', payload: { name: 'x', token: 'a.b.c' } }));
      expect(await new Promise((done) => socket.once('close', done))).toBe(4401);
    }
  });
});

describe('bad input', () => {
  /** Bytes on a raw connection. @returns once the other side has ended it, or after half a second */
  async function raw(...parts: (string | Buffer)[]): Promise<string> {
    const socket = connect(direct.port, '127.0.0.1');
    let said = '';
    socket.on('data', (data) => (said += data.toString('latin1'))).on('error', () => undefined);
    for (const part of parts) socket.write(part);
    await new Promise<void>((done) => {
      socket.once('close', () => done());
      setTimeout(done, 500);
    });
    socket.destroy();
    return said;
  }
  const upgrade =
    'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

  it('on the line: half a request, half an upgrade, half a frame, no HTTP at all', async () => {
    await raw('GET / HTT');
    await raw('POST /v1/pairings/redeem HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{');
    expect(await raw('\u0000\u0001\u0002garbage\r\n\r\n')).toContain('400');
    expect(await raw(upgrade, Buffer.from([0x81, 0xfe, 0x7f]))).toContain('101');
    expect(await raw(upgrade.replace('GET / ', 'GET /elsewhere '))).toContain('404');
    await raw(upgrade.replace('13\r\n', '99\r\n'));
    await raw('GET //[ HTTP/1.1\r\nHost: ][\r\n\r\n');
    expect(await RelayHttp.health(direct.listening.origin)).toMatchObject({ ok: true });
  });

  it('in frames: what is no frame is refused or ends its own socket, and nothing else', async () => {
    const bystander = await V1Client.app(direct.listening.v1, direct.listening.token, 'Bystander');
    const cases: [string | Buffer, boolean, number | null][] = [
      ['{"v":1,"id":"half', false, null],
      [`{"v":1,"id":"big","type":"text","payload":{"content":"${'x'.repeat(300_000)}"}}`, false, null],
      [`{"v":1,"id":"deep","type":"text","payload":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`, false, null],
      ['{"v":1,"id":"__proto__","type":"text","payload":{"content":"x","__proto__":{}}}', false, null],
      ['{"v":2,"id":"v2","type":"text","payload":{"content":"x"}}', false, null],
      [Buffer.from([1, 2, 3]), true, null],
      [Buffer.from([0xff, 0xfe, 0xfd]), false, null],
      // Beyond what is read at all.
      ['x'.repeat(34_000_000), false, 1009],
    ];
    for (const [frame, binary, code] of cases) {
      const client = await V1Client.app(direct.listening.v1, direct.listening.token, 'Bad');
      client.socket.send(frame, { binary });
      if (code !== null) {
        expect(await client.closed).toBe(code);
        continue;
      }
      client.send('ping', 'system.ping', {});
      await client.next('system.pong');
      await client.close();
    }
    bystander.send('still', 'system.ping', {});
    await bystander.next('system.pong');
    expect(bystander.texts()).toEqual([]);
    await bystander.close();
    expect(direct.output).toMatch(/a v1 client was refused: frame: larger than \d+ bytes/);
  });

  it('twenty malformed frames in a minute are enough', async () => {
    const client = await V1Client.app(direct.listening.v1, direct.listening.token, 'Bad');
    for (let n = 0; n < 25; n++) client.socket.send('{');
    expect(await client.closed).toBe(4400);
  });
});

describe('the process', () => {
  it('keeps its secrets for its user alone, and prints no owner key', async () => {
    const { ownerKey } = await direct.agent();
    for (const file of ['token', 'owner-key', 'agent.json', 'relay/directory.sqlite']) {
      expect([file, (await stat(join(direct.home, 'direct', file))).mode & 0o077]).toEqual([file, 0]);
    }
    expect(direct.output).not.toContain(ownerKey);
    expect((await readFile(join(direct.home, 'direct/token'), 'utf8')).trim()).toBe(direct.listening.token);
  });

  it.each([
    { named: 'nothing', options: () => [], agent: () => '--profile direct' },
    { named: 'a profile', options: () => ['--profile', 'garden'], agent: () => '--profile garden' },
    { named: 'a folder', options: () => ['--state', join(folder, 'shed')], agent: () => `--state ${join(folder, 'shed')}` },
  ])('advises commands for its own agent when $named was named', async ({ options, agent }) => {
    const words = await printed(join(folder, 'named'), [...options(), 'direct', '--host', '127.0.0.1', '--port', '0'], /at home here: .*\n/);
    expect(words).toContain(`("lineup ${agent()} pair" makes another)`);
    expect(words).toContain(`  lineup ${agent()} demo\n`);
  });

  it('says in one line that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => other.once('listening', done));
    const { port } = other.address() as { port: number };
    expect(await lineup(join(folder, 'other'), ['direct', '--host', '127.0.0.1', '--port', String(port)])).toEqual({
      code: 1,
      text: `lineup: port ${port} is taken: another program listens there (--port names another)\n`,
    });
    other.close();
  });

  it('says in one line that another one serves the folder', async () => {
    const { code, text } = await lineup(direct.home, ['direct', '--host', '127.0.0.1', '--port', '0']);
    expect([code, text]).toEqual([4, `lineup: another "lineup direct" serves ${join(direct.home, 'direct')}\n`]);
  });

  it('leaves an agent of another relay alone that has the folder', async () => {
    const home = join(folder, 'taken');
    const { ownerKey } = await direct.agent();
    const env = { LINEUP_OWNER_KEY: ownerKey };
    expect(await lineup(home, ['setup', direct.listening.origin, '--name', 'Hermes'], env)).toMatchObject({ code: 0 });
    const before = await readFile(join(home, 'default/agent.json'), 'utf8');
    const { code, text } = await lineup(home, ['--profile', 'default', 'direct', '--host', '127.0.0.1', '--port', '0']);
    expect([code, text]).toEqual([2, expect.stringMatching(/^lineup: "Hermes" is set up here already, at http:[^\n]+\n$/)]);
    expect(await readFile(join(home, 'default/agent.json'), 'utf8')).toBe(before);
    expect((await readdir(join(home, 'default'))).toSorted()).toEqual(['agent.json', expect.stringMatching(/^ag_/)].toSorted());
  });

  it('enrols its agent anew when it was revoked', async () => {
    const home = join(folder, 'revoked');
    const first = await DirectProcess.start(home);
    const { ownerKey } = await first.agent();
    const { agentId, origin } = first.listening;
    const revoked = await fetch(`${origin}/v1/agents/${agentId}`, { method: 'DELETE', headers: { authorization: `Bearer ${ownerKey}` } });
    expect(revoked.status).toBe(204);
    await first.end();
    const second = await DirectProcess.start(home);
    expect(second.listening.agentId).not.toBe(agentId);
    await second.end();
  });

  it.each([
    [['--port', '99999'], 2],
    [['--port', 'x'], 2],
    [['--host', '203.0.113.7', '--port', '0'], 2],
  ])('takes no %s', async (args, code) => {
    const ended = await lineup(join(folder, 'third'), ['direct', ...args]);
    expect([ended.code, ended.text.split('\n').length]).toEqual([code, 2]);
  });

  it('killed and started again it has the log, the pairings, the token and its address’s agent', async () => {
    const before = direct.listening;
    const { device_id, conversation_id, token } = await pairedPhone(before.token, 'Survivor');
    const http = new RelayHttp({ origin: before.origin, token: () => token });
    const { seq } = await http.postMessage(conversation_id, { id: 'kept_1', type: 'text', payload: { content: 'kept' } });
    const { port } = direct;
    await direct.end('SIGKILL');
    direct = await DirectProcess.start(direct.home, port);
    expect(direct.listening).toMatchObject({ token: before.token, agentId: before.agentId, origin: before.origin });
    expect((await http.history(conversation_id)).messages.at(-1)).toMatchObject({ id: 'kept_1', seq });
    const phone = fullClient({ kind: 'app', id: device_id }, conversation_id, token);
    await phone.until('kept_1');
    await phone.connection.close();
  });

  it('a bare v1 agent hears after a crash what was said while nobody was there', async () => {
    const { conversation_id, token } = await pairedPhone(direct.listening.token, 'Early');
    const http = new RelayHttp({ origin: direct.listening.origin, token: () => token });
    await http.postMessage(conversation_id, { id: 'early_1', type: 'text', payload: { content: 'is anybody there?' } });
    const { port } = direct;
    await direct.end('SIGKILL');
    direct = await DirectProcess.start(direct.home, port);
    const hermes = await V1Client.agent(direct.listening.v1, direct.listening.token);
    await hermes.next('text', ({ id }) => id === 'early_1');
    await hermes.close();
  });

  it('ends when it is told to, sockets and all', async () => {
    const phone = await V1Client.app(direct.listening.v1, direct.listening.token);
    expect(await direct.end()).toBe(0);
    expect(await phone.closed).toBe(1001);
    direct = await DirectProcess.start(direct.home, direct.port);
  });
});
