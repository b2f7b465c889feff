/** An agent's program, started by us: JSON-RPC messages in lines over its stdin and stdout, its stderr on the user's terminal. */
import { spawn, type ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';

/** The program is not there, or may not be run. */
export class CannotStartError extends Error {
  override readonly name = 'CannotStartError';
}

/** How an agent's process ended, as words for a sentence: `exit code 1`, `signal SIGKILL`. */
export type ProcessEnd = string;

/** Longest line of an agent, in UTF-16 units: an image of 8 MiB in base64 fits well. */
const MAX_LINE_UNITS = 32 * 1024 * 1024;
/** How long a process may take to end after its stdin was closed, and after SIGTERM, in ms. */
const PATIENCE_MS = 1_500;

/** A running agent. */
export class AgentProcess {
  readonly #child: ChildProcess;
  /** For the SDK. Whatever the agent prints that is no JSON object goes to `noise` and not further. */
  readonly stream: Stream;
  /** Resolves when the process is gone. */
  readonly ended: Promise<ProcessEnd>;

  private constructor(child: ChildProcess, stdin: NodeJS.WritableStream, stdout: Readable, noise: (line: string) => void) {
    this.#child = child;
    this.stream = { writable: writeTo(stdin), readable: Readable.toWeb(Readable.from(messagesOf(stdout, noise))) as ReadableStream<AnyMessage> };
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`));
    });
  }

  /**
   * Starts a program. It inherits the environment but for what is ours (`LINEUP_*`).
   * @param noise gets lines of its stdout that are no messages
   * @throws CannotStartError with one sentence
   */
  static async start([program, ...args]: readonly [string, ...string[]], cwd: string, noise: (line: string) => void): Promise<AgentProcess> {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LINEUP_')));
    // In a group of its own: it does not hear the Ctrl-C that is for us, and what it started can be ended with it.
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'], detached: process.platform !== 'win32' });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(new CannotStartError(whyNot(program, error))));
    });
    const { stdin, stdout } = child;
    if (!stdin || !stdout) throw new CannotStartError(`"${program}" has no stdin or stdout`);
    // Whatever is written to a process that is ending is lost, and its end is told anyway.
    stdin.on('error', () => undefined);
    child.on('error', () => undefined);
    return new AgentProcess(child, stdin, stdout, noise);
  }

  /** Ends it: kindly at first, with SIGKILL at last. Resolves when it is gone. */
  async end(): Promise<void> {
    this.#child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const timer = new Promise<'late'>((resolve) => setTimeout(resolve, PATIENCE_MS, 'late').unref());
      if ((await Promise.race([this.ended, timer])) !== 'late') return;
      this.#signal(signal);
    }
    await this.ended;
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || process.platform === 'win32') return void this.#child.kill(signal);
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone already.
    }
  }
}

function whyNot(program: string, error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `there is no program "${program}" on this machine`;
  if (code === 'EACCES') return `the program "${program}" may not be run by this user`;
  return `the program "${program}" cannot be started: ${error.message}`;
}

function writeTo(stdin: NodeJS.WritableStream): WritableStream<AnyMessage> {
  return new WritableStream({
    write: (message) =>
      new Promise<void>((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  });
}

/** The JSON objects among the lines of a stream; every other line is noise. */
export async function* messagesOf(source: AsyncIterable<Uint8Array>, noise: (line: string) => void): AsyncGenerator<AnyMessage> {
  for await (const line of linesOf(source)) {
    const message = line === null ? null : readMessage(line);
    if (message) yield message;
    else if (line === null) noise('a line that is too long');
    else if (line.trim() !== '') noise(line);
  }
}

/** Null stands for a line over the limit. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let units = 0;
  for await (const chunk of source) {
    const pieces = decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)).split('\n');
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) {
        yield units > MAX_LINE_UNITS ? null : parts.join('');
        parts = [];
        units = 0;
      }
      units += piece.length;
      if (units <= MAX_LINE_UNITS) parts.push(piece);
    }
  }
  if (units > 0 && units <= MAX_LINE_UNITS) yield parts.join('');
}

function readMessage(line: string): AnyMessage | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value ? (value as AnyMessage) : null;
  } catch {
    return null;
  }
}
