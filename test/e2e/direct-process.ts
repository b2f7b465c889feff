/** `lineup direct` as its user starts it: a process on a free port, with a folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { outputOf } from './process-group.ts';

const CLI = resolve(import.meta.dirname, '../../client/agent/cli.ts');

/** What `lineup direct --json` says when it listens. */
interface Listening {
  origin: string;
  url: string;
  v1: string;
  token: string;
  agentId: string;
}

/** What a command that ended has left. */
export interface Ended {
  code: number | null;
  text: string;
}

function start(home: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, LINEUP_HOME: home, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `lineup` with these arguments until it has printed something. @returns everything that it printed */
export async function printed(home: string, args: readonly string[], awaited: RegExp): Promise<string> {
  const child = start(home, args);
  const output = outputOf(child);
  const gone = once(child, 'exit');
  try {
    await output.waitFor(awaited, 30_000);
    return output.text();
  } finally {
    child.kill();
    await gone;
  }
}

/** Runs `lineup` with these arguments until it ends by itself. */
export async function lineup(home: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = start(home, args, env);
  const output = outputOf(child);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, text: output.text() };
}

/** Direct mode that runs. */
export class DirectProcess {
  readonly home: string;
  readonly child: ChildProcess;
  readonly listening: Listening;
  readonly #output: ReturnType<typeof outputOf>;

  private constructor(home: string, child: ChildProcess, output: ReturnType<typeof outputOf>, listening: Listening) {
    this.home = home;
    this.child = child;
    this.#output = output;
    this.listening = listening;
  }

  /** @param port 0: any free one */
  static async start(home: string, port = 0, ...more: string[]): Promise<DirectProcess> {
    const child = start(home, ['--json', 'direct', '--host', '127.0.0.1', '--port', String(port), ...more]);
    const output = outputOf(child);
    await output.waitFor(/"event":"listening".*\n/, 30_000);
    const said = output
      .text()
      .split('\n')
      .find((line) => line.includes('"listening"'))!;
    return new DirectProcess(home, child, output, JSON.parse(said) as Listening);
  }

  get port(): number {
    return Number(new URL(this.listening.origin).port);
  }

  /** Everything that it printed. */
  get output(): string {
    return this.#output.text();
  }

  /** The setup and token that it left for the agents of this machine. */
  async agent(): Promise<{ token: string; conversationId: string; ownerKey: string }> {
    const folder = join(this.home, 'direct');
    const setup = JSON.parse(await readFile(join(folder, 'agent.json'), 'utf8')) as { agent_id: string; conversation_id: string };
    const token = await readFile(join(folder, setup.agent_id, 'token'), 'utf8');
    return { token, conversationId: setup.conversation_id, ownerKey: (await readFile(join(folder, 'owner-key'), 'utf8')).trim() };
  }

  /** Ends it, and waits. @returns its exit code */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const gone = new Promise<number | null>((done) => this.child.once('exit', done));
    this.child.kill(signal);
    return await gone;
  }
}

/** An envelope of the LineUp v1 document. */
export interface V1Message {
  v: number;
  id: string;
  type: string;
  payload: Record<string, unknown>;
}

/** A client that knows the LineUp v1 document and nothing else. */
export class V1Client {
  readonly socket: WebSocket;
  readonly messages: V1Message[] = [];
  readonly closed: Promise<number>;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (data) => this.messages.push(JSON.parse((data as Buffer).toString()) as V1Message));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((done) => this.socket.once('close', (code) => done(code)));
  }

  /** Connects and says hello as the document's app does, with the token that direct mode asks for. */
  static async app(url: string, token: string, name = '我的手机'): Promise<V1Client> {
    const client = new V1Client(url);
    await client.opened();
    client.send('msg_hello_app', 'system.hello', { name, platform: 'web', version: '1.0.0', token });
    await client.next('system.hello');
    return client;
  }

  /** Connects and says hello as the document's agent does. */
  static async agent(url: string, token: string): Promise<V1Client> {
    const client = new V1Client(url);
    await client.opened();
    client.send('msg_hello_agent', 'system.hello', { name: '我的 AI 助手', token, agent: 'Hermes', version: '0.19.0' });
    await client.next('system.hello');
    return client;
  }

  async opened(): Promise<void> {
    if (this.socket.readyState === this.socket.OPEN) return;
    await new Promise<void>((done, failed) => {
      this.socket.once('open', () => done());
      this.socket.once('error', failed);
    });
  }

  send(id: string, type: string, payload: object): void {
    this.socket.send(JSON.stringify({ v: 1, id, type, payload }));
  }

  /** The first message that fits, once it is there. */
  async next(type: string, fits: (message: V1Message) => boolean = () => true): Promise<V1Message> {
    for (let waited = 0; waited < 10_000; waited += 20) {
      const found = this.messages.find((message) => message.type === type && fits(message));
      if (found) return found;
      await sleep(20);
    }
    throw new Error(`no ${type} came; there were ${this.messages.map((message) => message.type).join(', ')}`);
  }

  /** Contents of all texts so far. */
  texts(): unknown[] {
    return this.messages.filter(({ type }) => type === 'text').map(({ payload }) => payload.content);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}
