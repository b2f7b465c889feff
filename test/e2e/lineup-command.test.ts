/** The `lineup` command as a person and a shell script use it, each command a process, against a relay as a process and a scripted phone. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMessage, type Message } from '../../client/core/frames.ts';
import type { Delivered } from '../../src/protocol/envelope.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { Phone, WAIT_MS } from './home-world.ts';

const CLI = new URL('../../client/agent/cli.ts', import.meta.url).pathname;

const relay = new RelayProcess();
const home = mkdtempSync(join(tmpdir(), 'lineup-home-'));
beforeAll(() => relay.start());
afterAll(async () => {
  await relay.dispose();
  rmSync(home, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** What is on stdout so far. */
  said: Ended;
}

function begin(args: string[], { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {}): Running {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home, LINEUP_HOME: home, ...env } });
  const said: Ended = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code]) => Object.assign(said, { code: code as number | null }));
  return { child, ended, said };
}

const lineup = (args: string[], options?: { env?: Record<string, string>; input?: string }): Promise<Ended> => begin(args, options).ended;

/** Runs a command that has to succeed, and reads its JSON. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, out, err } = await lineup([...args, '--json']);
  expect([code, err], out).toEqual([0, '']);
  return JSON.parse(out) as T;
}

let phone: Phone;

const question = (words: string): Promise<Message<'tool.call'>> => phone.until('tool.call', (call) => call.arguments.question === words);

async function answer(
  words: string,
  ending: { result: JsonObject & { message: string } } | { error: { code: string; message: string } },
): Promise<void> {
  await phone.end(await question(words), ending);
}

describe('from nothing to a paired phone', () => {
  test('a command before setup says what to do', async () => {
    const { code, out, err } = await lineup(['devices']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('run "lineup setup"');
  });

  test.each<[string, string[], Record<string, string>, number, string]>([
    ['a wrong owner key', [], { LINEUP_OWNER_KEY: 'wrong' }, 3, 'does not take this owner key'],
    ['no owner key', [], {}, 2, 'owner key is missing'],
    ['no address', [''], { LINEUP_OWNER_KEY: OWNER_KEY }, 2, 'address'],
    ['an address where nobody listens', ['http://127.0.0.1:9'], { LINEUP_OWNER_KEY: OWNER_KEY }, 6, 'cannot be reached'],
    ['a name that no host has', ['http://relay.invalid'], { LINEUP_OWNER_KEY: OWNER_KEY }, 6, 'cannot be reached'],
  ])('setup refuses %s in one line, and leaves nothing', async (_what, args, env, exit, said) => {
    const { code, out, err } = await lineup(['setup', ...(args.length > 0 ? args : [relay.origin])], { env });
    expect([code, out]).toEqual([exit, '']);
    expect(err).toMatch(/^lineup: [^\n]+\n$/);
    expect(err).toContain(said);
    expect((await lineup(['devices'])).err).toContain('not set up');
  });

  test('setup says when something else listens there', async () => {
    const stranger = createServer((_request, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const address = stranger.address();
    const { code, err } = await lineup(['setup', `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`], {
      env: { LINEUP_OWNER_KEY: 'k' },
    });
    stranger.close();
    expect(code).toBe(7);
    expect(err).toMatch(/^lineup: there is no LineUp relay at [^\n]+\n$/);
  });

  test('setup takes the key from stdin and keeps everything to its owner', async () => {
    const { code, out, err } = await lineup(['setup', relay.origin, '--name', 'Hermes', '--json'], { input: `${OWNER_KEY}\n` });
    expect([code, err]).toEqual([0, '']);
    const { agent_id, state } = JSON.parse(out) as { agent_id: string; state: string };
    expect(state).toBe(join(home, 'default'));
    const files = [join(state, 'agent.json'), join(state, agent_id, 'token')];
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(readFileSync(files[0]!, 'utf8')).not.toContain(OWNER_KEY);
    const again = await lineup(['setup', relay.origin], { env: { LINEUP_OWNER_KEY: OWNER_KEY } });
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('is set up here already')]);
  });

  test('pair shows a code, waits, and says who has paired', async () => {
    const pairing = begin(['pair']);
    await expect.poll(() => pairing.said.out, { timeout: WAIT_MS }).toContain('Waiting for the phone');
    expect(pairing.said.out).toContain(`${relay.origin}/#pair=`);
    expect(pairing.said.out).toMatch(/[▀▄█]/);
    phone = await Phone.redeem(relay.origin, /#pair=(\w+)/.exec(pairing.said.out)![1]!, { name: 'My\u001b[31m phone' });
    const { code, out, err } = await pairing.ended;
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('✓ Paired with My [31m phone (test)');
    expect(out).not.toContain('\u001b');
  });

  test('pair for scripts: one line of JSON, no waiting', async () => {
    const { code, url } = await json<{ code: string; url: string }>('pair', '--no-wait', '--ttl', '60');
    expect(url).toBe(`${relay.origin}/#pair=${code}`);
    expect((await lineup(['pair', '--ttl', '5'])).code).toBe(2);
  });
});

describe('what the relay knows', () => {
  test('devices, and one that is revoked', async () => {
    const { code } = await json<{ code: string }>('pair', '--no-wait');
    const other = await Phone.redeem(relay.origin, code);
    const { devices } = await json<{ devices: { device_id: string }[] }>('devices');
    expect(devices.map(({ device_id }) => device_id).toSorted()).toEqual([phone.id, other.id].toSorted());
    await json('devices', 'revoke', other.id);
    await expect.poll(() => other.connection.state, { timeout: WAIT_MS }).toEqual({ name: 'stopped', reason: 'pair-again' });
    const table = await lineup(['devices']);
    expect(table.out).toContain(phone.id);
    expect(table.out).not.toContain('\u001b');
    expect((await lineup(['devices', 'revoke', 'dv_nobody'])).code).toBe(2);
    expect((await lineup(['devices', 'revoke', `dv_${'0'.repeat(24)}`])).code).toBe(7);
  });

  test('conversations: made, renamed, deleted', async () => {
    const { out } = await lineup(['conversations', 'new', 'Garden']);
    const id = out.trim();
    await json('conversations', 'rename', id, 'Balcony');
    expect((await lineup(['conversations'])).out).toMatch(new RegExp(`${id} +Balcony`));
    expect((await lineup(['conversations', 'delete', id])).code).toBe(2);
    await json('conversations', 'delete', id, '--yes');
    expect((await lineup(['conversations'])).out).not.toContain(id);
  });

  test('status: what the relay says of the agent, and what is on this machine', async () => {
    const status = await json<JsonObject>('status');
    const relay_view = { online: false, last_seen: null };
    expect(status).toMatchObject({ relay: relay.origin, name: 'Hermes', running: null, relay_view, devices: [{ device_id: phone.id }] });
    const { code, out } = await lineup(['status']);
    expect(code).toBe(0);
    for (const part of [relay.origin, 'none on this machine', 'never heard', 'CONVERSATION']) expect(out).toContain(part);
  });

  test('doctor finds everything in order, and what is not', async () => {
    const { code, out, err } = await lineup(['doctor']);
    expect([code, err], out).toEqual([0, '']);
    for (const check of ['version', 'proxy', 'files', 'DNS', 'TCP', 'relay', 'clock', 'token', 'WebSocket']) expect(out).toContain(`✓ ${check}`);
    const env = { LINEUP_RELAY_URL: 'http://127.0.0.1:9', LINEUP_AGENT_TOKEN: readToken() };
    const broken = await lineup(['doctor', '--json'], { env });
    expect(broken.code).toBe(6);
    const { findings } = JSON.parse(broken.out) as { findings: { check: string; state: string; advice?: string }[] };
    expect(findings.at(-1)).toMatchObject({ check: 'TCP', state: 'failed', advice: expect.stringContaining('is the relay running') as string });
    expect((await lineup(['doctor', '--profile', 'nobody'])).code).toBe(2);
  });
});

describe('talking', () => {
  test('send: words, a pipe, a file, and the same id twice', async () => {
    expect(await lineup(['send', 'The', 'backup', 'is', '**done**.'])).toEqual({ code: 0, out: '✓ sent\n', err: '' });
    await phone.until('text', ({ content, format }) => content === 'The backup is **done**.' && format === 'markdown');
    await lineup(['send', '--plain'], { input: 'a\nb\n' });
    await phone.until('text', ({ content, format }) => content === 'a\nb' && format === 'plain');
    writeFileSync(join(home, 'list.csv'), 'a,b\n');
    expect((await lineup(['send', '--file', 'list.csv', 'As', 'asked'])).code).toBe(0);
    await phone.until('file', ({ name, size, mime_type }) => name === 'list.csv' && size === 4 && mime_type === 'text/csv');
    const first = await json<JsonObject>('send', '--id', 'once', 'Hello');
    expect(await json<JsonObject>('send', '--id', 'once', 'Hello')).toEqual({ ...first, duplicate: true });
    const other = await lineup(['send', '--id', 'once', 'Another']);
    expect([other.code, other.err]).toEqual([7, expect.stringContaining('id_conflict')]);
    expect((await lineup(['send'])).code).toBe(2);
    expect((await lineup(['send', '--file', 'nothing.txt'])).code).toBe(2);
  });

  test('ask: the answer on stdout', async () => {
    const asking = begin(['ask', 'Deploy?', 'test', 'staging', 'production']);
    await answer('Deploy?', { result: { message: 'staging', selected: ['staging'] } });
    expect(await asking.ended).toEqual({ code: 0, out: 'staging\n', err: '' });
  });

  test.each<[string, string[], JsonObject & { message: string }, number, string]>([
    ['several', ['--multiple', 'Which?', 'a', 'b', 'c'], { message: 'a, c', selected: ['a', 'c'] }, 0, 'a\nc\n'],
    ['a yes', ['--confirm', 'Sure?'], { message: 'confirmed', confirmed: true }, 0, 'confirmed\n'],
    ['a no', ['--confirm', '--danger', 'Really?'], { message: 'declined', confirmed: false }, 10, 'declined\n'],
    ['a text', ['Name?'], { message: 'Ada L.', value: 'Ada L.' }, 0, 'Ada L.\n'],
  ])('ask: %s', async (_what, args, result, code, out) => {
    const asking = begin(['ask', ...args]);
    await answer(
      args.find((word) => word.endsWith('?'))!,
      { result },
    );
    expect(await asking.ended).toEqual({ code, out, err: '' });
  });

  test.each<[string, string, number]>([
    ['closed', 'rejected', 10],
    ['not known to the device', 'unknown_tool', 13],
    ['something that breaks the device', 'execution_error', 13],
  ])('ask: a question that is %s', async (what, code, exit) => {
    const asking = begin(['ask', `Is it ${what}?`, 'yes']);
    await answer(`Is it ${what}?`, { error: { code, message: 'it was' } });
    const ended = await asking.ended;
    expect([ended.code, ended.out]).toEqual([exit, '']);
    expect(ended.err).toMatch(/^lineup: [^\n]+\n$/);
  });

  test('ask: nobody answers in time', async () => {
    const { code, out, err } = await lineup(['ask', 'In time?', 'yes', '--timeout', '1', '--json']);
    expect([code, JSON.parse(out), err]).toEqual([11, expect.objectContaining({ status: 'expired' }), 'lineup: nobody answered in time\n']);
  });

  test('ask: Ctrl-C takes the question back', async () => {
    const asking = begin(['ask', 'Stopped?', 'yes']);
    const { call_id } = (await question('Stopped?')).payload;
    const settled = new Promise((resolve) => phone.connection.on('settled', (each) => each.call_id === call_id && resolve(each.status)));
    asking.child.kill('SIGINT');
    expect((await asking.ended).code).toBe(12);
    await expect(settled).resolves.toBe('cancelled');
  });

  test('ask: Ctrl-C while the relay is away ends it at once, and says what may be left', async () => {
    const asking = begin(['ask', 'Anybody there?', 'yes']);
    await question('Anybody there?');
    await relay.end('SIGKILL');
    await expect.poll(() => asking.said.err, { timeout: WAIT_MS }).toContain('trying again');
    asking.child.kill('SIGINT');
    const { code, err } = await asking.ended;
    expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([6, expect.stringContaining('it stays open on the phone')]);
    await relay.start();
    await expect.poll(() => phone.connection.state.name, { timeout: WAIT_MS }).toBe('online');
  });

  test('ask: with a name the question outlives the process that asked it', async () => {
    const words = ['ask', '--id', 'release-1.4', '--timeout', '600', 'Release?', 'yes', 'no'];
    const first = begin(words);
    await question('Release?');
    first.child.kill('SIGKILL');
    await first.ended;
    const second = begin(words);
    await answer('Release?', { result: { message: 'yes', selected: ['yes'] } });
    expect(await second.ended).toEqual({ code: 0, out: 'yes\n', err: '' });
    expect(await lineup(words)).toEqual({ code: 0, out: 'yes\n', err: '' });
    expect(phone.frames.filter((frame) => isMessage(frame, 'tool.call') && frame.payload.call_id === 'release-1.4')).toHaveLength(1);
    expect((await lineup(['ask', '--id', 'release-1.4', 'Something else?', 'yes'])).code).toBe(2);
  });

  test.each([
    ['an empty question', [' ']],
    ['options with --confirm', ['--confirm', 'Q?', 'yes']],
    ['--danger alone', ['--danger', 'Q?']],
    ['--secret with options', ['--secret', 'Q?', 'a']],
    ['an empty option', ['Q?', '']],
    ['two kinds at once', ['--confirm', '--secret', 'Q?']],
    ['a time that is none', ['Q?', '--timeout', 'soon']],
  ])('ask: refuses %s', async (_what, args) => {
    const { code, err } = await lineup(['ask', ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(/^lineup: [^\n]+\n$/);
  });

  test('tail: what was said and what follows, a line each', async () => {
    const following = begin(['tail', '-n', '100']);
    await expect.poll(() => following.said.out, { timeout: WAIT_MS }).toContain('The backup is **done**.');
    await (
      await phone.connection.send('text', { content: 'from\nthe \u001b[31mphone' })
    ).done;
    await expect.poll(() => following.said.out, { timeout: WAIT_MS }).toMatch(/you +from the +\[31mphone\n/);
    following.child.kill('SIGINT');
    await following.ended;
    const { out } = await lineup(['tail', '--json', '--after', '0', '--no-follow']);
    const seqs = out
      .trim()
      .split('\n')
      .map((each) => (JSON.parse(each) as Delivered).seq);
    expect(seqs.length).toBeGreaterThan(20);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a! - b!));
  });
});

describe('what can go wrong', () => {
  test('two processes of one agent: the second says so and leaves the first alone', async () => {
    const first = begin(['demo']);
    await expect.poll(() => first.said.out, { timeout: WAIT_MS }).toContain('online');
    const second = await lineup(['demo']);
    expect([second.code, second.err]).toEqual([4, expect.stringMatching(/^lineup: this agent runs already \(process \d+, since [^\n]+\n$/)]);
    const status = await json<{ running: { pid: number }; relay_view: JsonObject }>('status');
    expect([status.running.pid, status.relay_view.online]).toEqual([first.child.pid, true]);
    expect((await lineup(['logout'])).code).toBe(4);
    // Commands do not take the agent's connection.
    await lineup(['send', 'meanwhile']);
    await (
      await phone.connection.send('text', { content: 'edit' })
    ).done;
    await phone.until('text.edit');
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    expect(await json<JsonObject>('status')).toMatchObject({ running: null, relay_view: { online: false, last_seen: expect.any(String) } });
  });

  test('an agent that runs elsewhere took over: one line, code 4', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'lineup-elsewhere-'));
    const env = { LINEUP_RELAY_URL: relay.origin, LINEUP_AGENT_TOKEN: readToken() };
    const first = begin(['demo']);
    await expect.poll(() => first.said.out, { timeout: WAIT_MS }).toContain('online');
    const second = begin(['demo', '--state', elsewhere], { env });
    const { code, err } = await first.ended;
    expect([code, err]).toEqual([4, expect.stringMatching(/^lineup: another process of this agent took over \(close code 4409\)[^\n]+\n$/)]);
    second.child.kill('SIGTERM');
    await second.ended;
    rmSync(elsewhere, { recursive: true });
  });

  test('a relay that is away: send keeps trying, then says that nothing was sent; a running agent comes back by itself', async () => {
    const agent = begin(['demo', '--json']);
    await expect.poll(() => agent.said.out, { timeout: WAIT_MS }).toContain('"online"');
    await relay.end('SIGKILL');
    const given = await lineup(['send', '--wait', '1', 'Too late']);
    expect(given.code).toBe(6);
    expect(given.err.trim().split('\n').at(-1)).toMatch(/^lineup: the relay cannot be reached/);
    const patient = begin(['send', 'Patience']);
    await expect.poll(() => patient.said.err, { timeout: WAIT_MS }).toContain('trying again');
    await relay.start();
    expect((await patient.ended).code).toBe(0);
    await phone.until('text', ({ content }) => content === 'Patience');
    expect(phone.frames.filter((frame) => isMessage(frame, 'text') && frame.payload.content === 'Patience')).toHaveLength(1);
    await (
      await phone.connection.send('text', { content: 'still there?' })
    ).done;
    await phone.until('text', ({ content }) => content.includes('still there?') && content.startsWith('You wrote'));
    agent.child.kill('SIGTERM');
    expect((await agent.ended).code).toBe(0);
    for (const line of agent.said.out.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
  });

  test('a token that was replaced: code 3 and what to do, and setup --renew does it', async () => {
    const stale = readToken();
    const renewed = await lineup(['setup', '--renew'], { env: { LINEUP_OWNER_KEY: OWNER_KEY } });
    expect([renewed.code, renewed.err]).toEqual([0, '']);
    expect(readToken()).not.toBe(stale);
    expect((await lineup(['devices'])).code).toBe(0);
    const env = { LINEUP_RELAY_URL: relay.origin, LINEUP_AGENT_TOKEN: stale };
    const { code, err } = await lineup(['devices', '--state', join(home, 'stale')], { env });
    expect([code, err]).toEqual([3, expect.stringContaining(`run "lineup --state ${join(home, 'stale')} setup --renew"`)]);
    expect((await lineup(['doctor', '--state', join(home, 'stale')], { env })).code).toBe(3);
  });

  test('service: what would be written and run, without doing it', async () => {
    const { code, out } = await lineup(['service', 'install', '--dry-run', '--', 'connect', 'hermes', '--cwd', 'a "b" $c']);
    expect(code).toBe(0);
    if (process.platform === 'linux') {
      expect(out).toContain('lineup-default.service');
      expect(out).toMatch(/ExecStart=".*" ".*cli\.ts" "--profile" "default" "connect" "hermes" "--cwd" "a \\"b\\" \$\$c"/);
      expect(out).toContain('systemctl --user enable lineup-default.service');
    }
    expect((await lineup(['service', 'uninstall'])).code).toBe(2);
  });

  test.runIf(process.platform === 'linux')('service: installed, installed again, removed; no secret in it', async () => {
    const bin = mkdtempSync(join(home, 'bin-'));
    const calls = join(bin, 'calls');
    const systemctl = (script: string) => writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    systemctl(`echo "$*" >> "${calls}"`);
    const env = { PATH: `${bin}:${process.env.PATH}`, XDG_CONFIG_HOME: join(home, 'config'), SECRET_KEY: 'sk-secret' };
    const unit = join(home, 'config/systemd/user/lineup-default.service');
    for (const words of [['demo'], ['connect', 'hermes']]) {
      const { code, err } = await lineup(['service', 'install', '--', ...words], { env });
      expect([code, err]).toEqual([0, '']);
      const text = readFileSync(unit, 'utf8');
      expect(text).toContain(words.map((word) => `"${word}"`).join(' '));
      expect(text).not.toMatch(/eyJ|sk-secret/);
    }
    const name = 'lineup-default.service';
    const started = ['--user daemon-reload', `--user enable ${name}`, `--user restart ${name}`];
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([...started, ...started]);
    // One that systemd does not know is removed all the same.
    systemctl('case "$2" in disable) echo "no such unit" >&2; exit 1;; esac');
    expect(await lineup(['service', 'uninstall'], { env })).toMatchObject({ code: 0, err: '' });
    expect(existsSync(unit)).toBe(false);
    expect((await lineup(['service', 'uninstall'], { env })).code).toBe(2);

    systemctl('echo "Failed to connect to bus" >&2; exit 1');
    const failed = await lineup(['service', 'install', '--', 'demo'], { env });
    expect([failed.code, failed.err]).toEqual([8, expect.stringMatching(/^lineup: "systemctl [^\n]+Failed to connect to bus[^\n]+\n$/)]);
    const unknown = { ...env, LINEUP_RELAY_URL: relay.origin, LINEUP_AGENT_TOKEN: readToken() };
    const refused = await lineup(['service', 'install', '--profile', 'nobody', '--', 'demo'], { env: unknown });
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('run "lineup --profile nobody setup"')]);
  });

  test('logout without --revoke says how the owner ends the token that is left', async () => {
    const env = { LINEUP_OWNER_KEY: OWNER_KEY };
    const { agent_id } = JSON.parse((await lineup(['setup', relay.origin, '--profile', 'second', '--json'], { env })).out) as { agent_id: string };
    const { code, out } = await lineup(['logout', '--yes', '--profile', 'second']);
    const [, path = ''] = /curl -X DELETE -H "Authorization: Bearer \$LINEUP_OWNER_KEY" (\S+)\n$/.exec(out) ?? [];
    expect([code, path]).toEqual([0, `${relay.origin}/v1/agents/${agent_id}`]);
    expect((await fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${OWNER_KEY}` } })).status).toBe(204);
  });

  test('logout keeps unsent messages unless it is forced, and forgets everything', async () => {
    const { agent_id, conversations } = await json<{ agent_id: string; conversations: { conversation_id: string }[] }>('status');
    const outbox = join(home, 'default', agent_id, conversations[0]!.conversation_id, 'outbox.jsonl');
    writeFileSync(outbox, '{"put":{"id":"m1","type":"text","payload":{"content":"never sent"},"created_at":0}}\n');
    expect((await json<{ conversations: { unsent: number }[] }>('status')).conversations[0]?.unsent).toBe(1);
    const refused = await lineup(['logout', '--yes']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('1 messages were never sent')]);
    const asked = await lineup(['logout', '--force']);
    expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(/^lineup: this removes the token of "Hermes"[^\n]+--yes[^\n]+\n$/)]);
    expect((await lineup(['status'])).code).toBe(0);
    const { code } = await lineup(['logout', '--yes', '--force', '--revoke'], { env: { LINEUP_OWNER_KEY: OWNER_KEY } });
    expect(code).toBe(0);
    expect((await lineup(['status'])).code).toBe(2);
    await expect.poll(() => phone.connection.state, { timeout: WAIT_MS }).toEqual({ name: 'stopped', reason: 'pair-again' });
    await phone.connection.close();
  });
});

/** The token that setup stored. */
function readToken(): string {
  const { agent_id } = JSON.parse(readFileSync(join(home, 'default', 'agent.json'), 'utf8')) as { agent_id: string };
  return readFileSync(join(home, 'default', agent_id, 'token'), 'utf8');
}
