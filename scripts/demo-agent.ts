/** The demo agent of `npm start`: enrolled once, then a child process that is started again whenever it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasIdShape } from '../src/protocol/ids.ts';
import { readIfThere } from '../client/agent/private-file.ts';
import { writeFileAtomically } from '../client/core/atomic-file.ts';
import { RelayError } from '../client/core/errors.ts';
import { type IssuedToken, RelayHttp } from '../client/core/http.ts';
import { endWithProcess } from './end-with-process.ts';
import { ROOT } from './local-build.ts';

const RESTART_AFTER_MS = 2_000;
const ONLINE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;
/** How long the agent may take to send what it has, when it is asked to end, in ms. */
const FAREWELL_MS = 3_000;

/** Where the demo agent lives. */
export interface DemoAgentOptions {
  /** The relay's origin. */
  origin: string;
  ownerKey: string;
  /** Folder for the agent's id, memory and log. */
  folder: string;
  /** Is told, in one sentence, when the agent ended by itself. */
  onTrouble: (what: string) => void;
}

/** The demo agent, running. */
export class DemoAgent {
  readonly #options: DemoAgentOptions;
  #child: ChildProcess | undefined;
  #token = '';
  #stopped = false;
  /** The relay's calls as this agent. */
  readonly http: RelayHttp;

  private constructor(options: DemoAgentOptions) {
    this.#options = options;
    this.http = new RelayHttp({ origin: options.origin, token: () => this.#token });
  }

  /** Enrols the agent, or takes it up again where the relay still knows it, starts it, and waits until it hears its devices. */
  static async start(options: DemoAgentOptions): Promise<DemoAgent> {
    const agent = new DemoAgent(options);
    await agent.#run();
    await agent.#untilOnline();
    return agent;
  }

  /** Lets the agent say goodbye, and ends it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS);
    await ended;
    clearTimeout(impatience);
  }

  async #run(): Promise<void> {
    const { origin, folder } = this.#options;
    const { agentId, token } = await this.#enrol();
    this.#token = token;
    const { LINEUP_OWNER_KEY: _, ...environment } = process.env;
    const log = openSync(join(folder, 'demo.log'), 'a', 0o600);
    const child = spawn(process.execPath, [join(ROOT, 'client/agent/cli.ts'), 'demo', '--state', join(folder, 'demo', agentId)], {
      env: { ...environment, LINEUP_RELAY_URL: origin, LINEUP_AGENT_TOKEN: token },
      stdio: ['ignore', log, log],
    });
    this.#child = child;
    child.once('spawn', () => endWithProcess(child));
    child.once('error', (error) => this.#options.onTrouble(`The demo agent cannot start: ${error.message}`));
    child.once('exit', (code, signal) => this.#again(`ended with ${signal ?? `code ${code}`}`));
  }

  #again(how: string): void {
    if (this.#stopped) return;
    this.#options.onTrouble(`The demo agent ${how} (see ${join(this.#options.folder, 'demo.log')}); it is started again.`);
    setTimeout(() => {
      if (!this.#stopped) this.#run().catch((error: unknown) => this.#again(`cannot start: ${String(error)}`));
    }, RESTART_AFTER_MS).unref();
  }

  /** A device that pairs before the agent listens would not be greeted. An agent that takes too long is no reason not to start. */
  async #untilOnline(): Promise<void> {
    for (const deadline = Date.now() + ONLINE_WITHIN_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
      if ((await this.http.ownAgent()).online) return;
    }
  }

  /** The agent keeps its conversations from run to run; its token is made anew each time, so none has to be kept here. */
  async #enrol(): Promise<{ agentId: string; token: string }> {
    const { origin, ownerKey, folder } = this.#options;
    const path = join(folder, 'demo-agent');
    const kept = (await readIfThere(path))?.trim() ?? '';
    if (hasIdShape('ag', kept)) {
      const issued = await newToken(origin, ownerKey, kept);
      if (issued) return { agentId: kept, token: issued.token };
    }
    const enrolled = await RelayHttp.enrol(origin, ownerKey, { name: 'Demo', agent: 'LineUp demo' });
    await writeFileAtomically(path, `${enrolled.agent_id}\n`);
    return { agentId: enrolled.agent_id, token: enrolled.token };
  }
}

/** A new token for an agent (§3); null when it is not there, as after the relay's folder was deleted. */
async function newToken(origin: string, ownerKey: string, agentId: string): Promise<IssuedToken | null> {
  const response = await fetch(`${origin}/v1/agents/${agentId}/token`, { method: 'POST', headers: { authorization: `Bearer ${ownerKey}` } });
  if (response.ok) return (await response.json()) as IssuedToken;
  if (response.status === 404) return null;
  throw RelayError.from(response.status, await response.text(), response.headers.get('retry-after'));
}
