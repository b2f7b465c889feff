/** A relay as a user starts it, `npm run relay`, in a process of its own that can be stopped, killed and started again on its folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RelayHttp, type Enrolled } from '../../client/core/http.ts';
import { endGroup, outputOf } from './process-group.ts';

/** The owner key of every relay under test; no secret. */
export const OWNER_KEY = 'owner-key-of-the-journeys-0123456789';

/** How long a relay may take to be ready, in ms: the first start builds the Worker and the page. */
const READY_MS = 120_000;

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

/** See the file's head. */
export class RelayProcess {
  readonly port: number;
  readonly #folder: string;
  readonly #env: Record<string, string | undefined>;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string, env: Record<string, string | undefined>) {
    this.port = port;
    this.#folder = folder;
    this.#env = env;
  }

  /** Starts a relay on a free port and an empty folder. `env` adds to the owner key; undefined removes a variable. */
  static async start(env: Record<string, string | undefined> = {}): Promise<RelayProcess> {
    const relay = new RelayProcess(await freePort(), await mkdtemp(join(tmpdir(), 'lineup-e2e-')), env);
    await relay.run();
    return relay;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it (again), on its port and folder. Resolves when it serves. */
  async run(): Promise<void> {
    const env = { ...process.env, LINEUP_OWNER_KEY: OWNER_KEY, LINEUP_RATE_PER_S: '0', NO_COLOR: '1', ...this.#env };
    const child = spawn('npm', ['run', 'relay', '--', '--port', String(this.port), '--persist', this.#folder], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    await outputOf(child).waitFor(/^ready /m, READY_MS);
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child) await endGroup(child, 'SIGKILL');
  }

  /** Ends it for good and removes what it kept. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child) await endGroup(child, 'SIGTERM');
    await rm(this.#folder, { recursive: true, force: true });
  }

  enrol(name: string): Promise<Enrolled> {
    return RelayHttp.enrol(this.origin, OWNER_KEY, { name });
  }

  /** The HTTP calls of an enrolled agent. */
  http(token: string): RelayHttp {
    return new RelayHttp({ origin: this.origin, token: () => token });
  }
}
