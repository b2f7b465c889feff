import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tokenOf } from './testing/fake-relay.ts';

const CLI = new URL('cli.ts', import.meta.url).pathname;
/** A port that nobody listens on. */
const NOWHERE = 'http://127.0.0.1:9';

const TO_NOWHERE = { LINEUP_RELAY_URL: NOWHERE, LINEUP_AGENT_TOKEN: tokenOf(), LINEUP_CONVERSATION_ID: `cv_${'h'.repeat(20)}` };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineup-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the command; `signal` is sent when it has said that it runs. */
async function lineup(args: string[], env: Record<string, string> = {}, signal?: NodeJS.Signals): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...env } });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ended.out += text;
    if (signal && !child.killed && ended.out.includes('the demo agent is')) child.kill(signal);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.err += text));
  [ended.code] = (await once(child, 'close')) as [number | null];
  return ended;
}

/** Runs a line of shell in which `lineup` is the command. */
async function shell(script: string, env: Record<string, string>): Promise<Ended> {
  const child = spawn('sh', ['-c', `lineup() { "${process.execPath}" "${CLI}" "$@"; }; ${script}`], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...env },
  });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.err += text));
  [ended.code] = (await once(child, 'close')) as [number | null];
  return ended;
}

describe('lineup', () => {
  test('explains itself', async () => {
    const { code, out, err } = await lineup(['--help']);
    expect([code, err]).toEqual([0, '']);
    for (const part of ['Usage: lineup', '  demo  ', 'LINEUP_RELAY_URL', 'LINEUP_AGENT_TOKEN', 'Examples', 'Exit codes']) expect(out).toContain(part);
  });

  test.each<[string, string[], Record<string, string>, string]>([
    ['no command', [], {}, 'which command?'],
    ['an unknown command', ['dance'], {}, 'no command "dance"'],
    ['a word too many', ['demo', 'more'], {}, 'too many arguments'],
    ['an unknown option', ['demo', '--fast'], {}, "'--fast'"],
    ['an option without its value', ['demo', '--state'], {}, '--state'],
    ['an empty folder name', ['demo', '--state='], {}, '--state must name a folder'],
    ['no relay', ['demo'], { LINEUP_AGENT_TOKEN: tokenOf() }, 'LINEUP_RELAY_URL'],
    ['a relay that is no address', ['demo'], { LINEUP_RELAY_URL: 'relay', LINEUP_AGENT_TOKEN: tokenOf() }, 'LINEUP_RELAY_URL'],
    ['a relay of another protocol', ['demo'], { LINEUP_RELAY_URL: 'ftp://relay.example', LINEUP_AGENT_TOKEN: tokenOf() }, 'LINEUP_RELAY_URL'],
    ['no setup', ['demo'], { LINEUP_HOME: '/nowhere' }, 'run "lineup setup"'],
    ['something that is no token', ['demo'], { LINEUP_RELAY_URL: NOWHERE, LINEUP_AGENT_TOKEN: 'abc' }, 'not an agent token of'],
    [
      'a conversation that is no id',
      ['demo'],
      { LINEUP_RELAY_URL: NOWHERE, LINEUP_AGENT_TOKEN: tokenOf(), LINEUP_CONVERSATION_ID: 'cv_' },
      'LINEUP_CONVERSATION_ID',
    ],
    ['a folder to work in that is none', ['connect', '--cwd', '/nowhere', '--', 'cat'], TO_NOWHERE, 'there is none at /nowhere'],
    ['a file to work in', ['connect', '--cwd', CLI, '--', 'cat'], TO_NOWHERE, `there is none at ${CLI}`],
    ['a service that would end at once', ['service', 'install', '--dry-run', '--', 'send', 'hi'], {}, '"send" is no command that runs on'],
    ['a service of an unknown command', ['service', 'install', '--dry-run', '--', 'bogus'], {}, '"bogus" is no command that runs on'],
    ['a socket in no folder', ['acp-serve', '--listen', 'unix:///nope/x.sock'], TO_NOWHERE, 'there is no folder /nope'],
    ['a web app that is not there', ['direct', '--web', '/nope'], { LINEUP_HOME: '/nowhere' }, '--web /nope'],
    ['a file that is not there', ['send', '--file', '/nope'], TO_NOWHERE, '--file /nope: there is no such file'],
    ['a folder in place of a file', ['send', '--file', '/'], TO_NOWHERE, 'a folder'],
    ['a device in place of a file', ['send', '--file', '/dev/null'], TO_NOWHERE, 'a device'],
    ['an empty text', ['send', ''], TO_NOWHERE, 'nothing to send'],
    ['a text of spaces', ['send', '   '], TO_NOWHERE, 'nothing to send'],
    ['an empty option', ['ask', 'q', 'a', ' '], TO_NOWHERE, 'option 2 is empty'],
    ['an option that is there twice', ['ask', 'q', 'a', 'b', 'a'], TO_NOWHERE, '"a" is there twice'],
    ['a profile that is not set up', ['status', '--profile', 'nosuch'], { LINEUP_HOME: '/nowhere' }, 'profile "nosuch"'],
    ['more than an address', ['doctor', 'https://me:pw@relay.example/a?b'], {}, 'address alone, https://relay.example:'],
    ['two folders', ['status', '--profile', 'a', '--state', 'b'], {}, '--profile and --state'],
  ])('refuses %s in one line', async (_what, args, env, said) => {
    const { code, out, err } = await lineup(args, env);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^lineup: .+\n$/);
    expect(err).toContain(said);
  });

  test.each<[string, string[], Record<string, string>, string]>([
    ['a profile', ['--profile', 'hermes', 'demo'], {}, '"lineup --profile hermes setup"'],
    ['a folder', ['demo', '--state', "/no where/it's"], {}, `"lineup --state '/no where/it'\\''s' setup"`],
    ['the environment, which the next command has too,', ['demo'], { LINEUP_PROFILE: 'hermes' }, '"lineup setup"'],
  ])('advises a command for the same agent: %s names it', async (_what, args, named, said) => {
    const { err } = await lineup(args, { LINEUP_HOME: '/nowhere', ...named });
    expect(err).toContain(said);
    const { out } = await lineup(['--json', ...args], { LINEUP_HOME: '/nowhere', ...named });
    expect((JSON.parse(out) as { error: { message: string } }).error.message).toContain(said);
  });

  const env = TO_NOWHERE;

  test.each<[string, string[], Record<string, string>, number, string]>([
    ['names', ['doctor', NOWHERE], {}, 6, '✗ TCP'],
    ['is in the environment', ['doctor'], { LINEUP_RELAY_URL: NOWHERE }, 6, '✗ TCP'],
    ['says nothing of', ['doctor'], {}, 2, 'lineup doctor https://'],
  ])('doctor before setup looks at the relay that somebody %s', async (_what, args, more, expected, said) => {
    const { code, out } = await lineup(args, { LINEUP_HOME: '/nowhere', ...more });
    expect([code, out]).toEqual([expected, expect.stringContaining(said)]);
  });

  test('says in one line that its folder cannot be used', async () => {
    writeFileSync(join(folder, 'taken'), '');
    const { code, err } = await lineup(['demo', '--state', 'taken'], env);
    expect(code).toBe(1);
    expect(err).toMatch(/^lineup: .*taken.*\n$/);
  });

  test.each([
    ['says nothing of how the relay sees the agent, where the relay is too old to tell', '/v1/agents/self', 0],
    ['says that the token is not taken, where it is not', '/v1/', 3],
  ])('status %s', async (_what, unauthorized, expected) => {
    const relay = createServer(({ url = '' }, response) => {
      if (url.startsWith(unauthorized)) response.writeHead(401).end('{"error":{"code":"unauthorized","message":"authorization: x"}}');
      else response.end('{"version":"1.0.0","devices":[],"conversations":[]}');
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    const args = { ...env, LINEUP_RELAY_URL: `http://127.0.0.1:${port}` };
    const [shown, json] = [await lineup(['status'], args), await lineup(['--json', 'status'], args)];
    relay.close();
    expect([shown.code, json.code]).toEqual([expected, expected]);
    if (expected === 0) expect([shown.out.includes('heard'), JSON.parse(json.out).relay_view]).toEqual([false, null]);
    else expect(shown.err).toContain('does not take this token');
  });

  /** A relay whose one conversation has a hundred messages, of 3 kB each. */
  async function talkative(frame: (seq: number) => object): Promise<{ url: string; close: () => void }> {
    const messages = Array.from({ length: 100 }, (_, i) => ({ v: 1, id: `m${i}`, seq: i + 1, ts: 0, sender: { kind: 'agent' }, ...frame(i + 1) }));
    const relay = createServer(({ url = '' }, response) => {
      const isMore = url.includes('after=');
      response.end(JSON.stringify({ messages: isMore ? [] : messages, head_seq: 100, has_more: false }));
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    return { url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, close: () => relay.close() };
  }

  test.each<[string, string, string]>([
    ['a reader that takes its time gets everything', '| (sleep 1; wc -l)', '100\n'],
    ['a reader that has enough is no failure', '| head -n 1 | wc -l', '1\n'],
  ])('%s', async (_what, behind, expected) => {
    const relay = await talkative(() => ({ type: 'text', payload: { content: 'x'.repeat(3_000) } }));
    const { out, err } = await shell(`lineup tail -n 100 --no-follow --json ${behind}`, { ...env, LINEUP_RELAY_URL: relay.url });
    relay.close();
    expect([out, err]).toEqual([expected, '']);
  });

  test.runIf(process.platform === 'linux').each([['tail -n 100 --no-follow --json'], ['--version'], ['nonsense --json']])(
    '%s: a result that cannot be written is a failure',
    async (args) => {
      const relay = await talkative(() => ({ type: 'text', payload: { content: 'x' } }));
      const { code, err } = await shell(`lineup ${args} > /dev/full`, { ...env, LINEUP_RELAY_URL: relay.url });
      relay.close();
      expect([code, err]).toEqual([args.startsWith('nonsense') ? 2 : 1, expect.stringMatching(/^lineup: [^\n]+\n$/)]);
      if (code === 1) expect(err).toContain('the disk is full');
    },
  );

  test('tail shows no answer to a secret question, nor one whose question it has not seen', async () => {
    const relay = await talkative((seq) => {
      const call_id = `call_${seq - (seq % 2)}`;
      if (seq % 2 === 0) return { type: 'tool.call', payload: { name: 'input', call_id, arguments: { question: 'Q?', secret: seq % 4 === 0 } } };
      const value = seq === 1 ? 'unseen' : seq % 4 === 1 ? 'hunter2' : 'Ada';
      return { type: 'tool.result', sender: { kind: 'app' }, payload: { name: 'input', call_id, result: { message: value, value } } };
    });
    const { code, out, err } = await lineup(['tail', '-n', '100', '--no-follow'], { ...env, LINEUP_RELAY_URL: relay.url });
    relay.close();
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('(input) Ada');
    expect(out).toContain('(input) •••');
    expect(out).not.toMatch(/hunter2|unseen/);
  });

  test('a relay that hangs up at once ends a command with a reason', async () => {
    const rude = createTcpServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(rude, 'listening');
    const { code, err } = await lineup(['devices'], { ...env, LINEUP_RELAY_URL: `http://127.0.0.1:${(rude.address() as AddressInfo).port}` });
    rude.close();
    expect([code, err]).toEqual([6, expect.stringMatching(/^lineup: the relay cannot be reached[^\n]+\n$/)]);
  });

  test.runIf(process.platform === 'linux')('a folder that can never be made ends a command with a reason', async () => {
    const { code, err } = await lineup(['demo', '--state', '/proc/nowhere/deep'], env);
    expect([code, err]).toEqual([1, expect.stringMatching(/^lineup: \/proc\/nowhere: [^\n]+\n$/)]);
  });

  test.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])('waits for a relay that cannot be reached, and ends cleanly by %s', async (signal) => {
    const { code, out, err } = await lineup(['demo', '--state', 'state'], env, signal);
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain(env.LINEUP_AGENT_TOKEN.slice(0, 20));
  });
});
