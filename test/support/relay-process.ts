/** A relay that really runs, in a process of its own, as `npm run relay` starts it: to be killed and started again on the same folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** `LINEUP_TEST_RELAY=direct` puts direct mode in the relay's place: it keeps the same contract. */
const SCRIPT = new URL(process.env.LINEUP_TEST_RELAY === 'direct' ? '../conformance/direct-as-relay.ts' : '../../scripts/relay.ts', import.meta.url)
  .pathname;

/** The owner key of relays under test; no secret. */
export const OWNER_KEY = 'owner-key-of-tests-0123456789';

/** A relay in a process. */
export class RelayProcess {
  readonly #variables: Record<string, string>;
  readonly #persist = mkdtempSync(join(tmpdir(), 'lineup-relay-'));
  #child: ChildProcess | null = null;
  #origin = '';
  #said = '';

  /** @param variables `LINEUP_*` beside the owner key */
  constructor(variables: Record<string, string> = {}) {
    this.#variables = variables;
  }

  /** Where it is reached; the same after each start. */
  get origin(): string {
    return this.#origin;
  }

  /** Everything that it said, in all its lives. */
  get output(): string {
    return this.#said;
  }

  /** Starts it, on the port that it had before. Resolves when it serves. */
  async start(): Promise<void> {
    const port = this.#origin === '' ? '0' : new URL(this.#origin).port;
    const env: NodeJS.ProcessEnv = { ...process.env, LINEUP_OWNER_KEY: OWNER_KEY, ...this.#variables };
    const child = spawn(process.execPath, [SCRIPT, '--port', port, '--persist', this.#persist], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    for await (const line of createInterface(child.stdout)) {
      const [, origin] = /^ready (http:\S+)$/.exec(line) ?? [];
      if (origin === undefined) continue;
      this.#origin = origin;
      child.stdout.resume();
      return;
    }
    throw new Error(`the relay did not start: ${this.#said}`);
  }

  /** Ends it with a signal; resolves when it is gone. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Ends it and removes its folder. */
  async dispose(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.#persist, { recursive: true, force: true });
  }
}
