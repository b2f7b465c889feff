/** The demo agent in a process of its own, as `lineup demo` starts it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Enrolled, Pairing } from '../../client/core/http.ts';
import { endGroup, outputOf } from './process-group.ts';
import type { RelayProcess } from './relay-process.ts';

/** See the file's head. */
export class DemoAgent {
  readonly relay: RelayProcess;
  readonly enrolled: Enrolled;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(relay: RelayProcess, enrolled: Enrolled, folder: string) {
    this.relay = relay;
    this.enrolled = enrolled;
    this.#folder = folder;
  }

  /** Enrols an agent and starts it. Resolves when it is online. */
  static async start(relay: RelayProcess, name = 'Hermes'): Promise<DemoAgent> {
    const agent = new DemoAgent(relay, await relay.enrol(name), await mkdtemp(join(tmpdir(), 'lineup-agent-')));
    await agent.run();
    return agent;
  }

  /** Starts its process (again). */
  async run(): Promise<void> {
    const env = { ...process.env, LINEUP_RELAY_URL: this.relay.origin, LINEUP_AGENT_TOKEN: this.enrolled.token, NO_COLOR: '1' };
    const child = spawn('npm', ['exec', '--', 'node', 'client/agent/cli.ts', 'demo', '--state', this.#folder], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    await outputOf(child).waitFor(/\bonline\b/, 30_000);
  }

  /** A fresh pairing link and code. */
  pairing(): Promise<Pairing> {
    return this.relay.http(this.enrolled.token).createPairing();
  }

  /** Ends its process; what it has not finished is done by the next. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child) await endGroup(child, 'SIGTERM');
  }

  /** Ends it for good and removes what it kept. */
  async stop(): Promise<void> {
    await this.end();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
