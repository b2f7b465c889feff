/** The demo agent in a process of its own, as `lineup demo` starts it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RelayHttp, type Enrolled, type Pairing } from '../../client/core/http.ts';
import { OWNER_KEY } from '../support/relay-process.ts';
import { until } from './app-page.ts';

const CLI = new URL('../../client/agent/cli.ts', import.meta.url).pathname;

/** See the file's head. */
export class DemoAgent {
  readonly origin: string;
  readonly enrolled: Enrolled;
  readonly http: RelayHttp;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(origin: string, enrolled: Enrolled, folder: string) {
    this.origin = origin;
    this.enrolled = enrolled;
    this.http = new RelayHttp({ origin, token: () => enrolled.token });
    this.#folder = folder;
  }

  /** Enrols an agent at a relay and starts it. Resolves when it is online. */
  static async start(origin: string, name = 'Hermes'): Promise<DemoAgent> {
    const enrolled = await RelayHttp.enrol(origin, OWNER_KEY, { name });
    const agent = new DemoAgent(origin, enrolled, await mkdtemp(join(tmpdir(), 'lineup-agent-')));
    await agent.run();
    return agent;
  }

  /** Starts its process (again). */
  async run(): Promise<void> {
    const env = { ...process.env, LINEUP_RELAY_URL: this.origin, LINEUP_AGENT_TOKEN: this.enrolled.token };
    const child = spawn(process.execPath, [CLI, 'demo', '--state', this.#folder], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until(
      () => `the demo agent is online: ${said}`,
      () => said.includes('online'),
      30_000,
    );
  }

  /** A fresh pairing link and code. */
  pairing(): Promise<Pairing> {
    return this.http.createPairing();
  }

  /** Ends its process; what it has not finished is done by the next. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  /** Ends it for good and removes what it kept. */
  async stop(): Promise<void> {
    await this.end();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
