/** The relay's calls that need the owner key (§3), and where the key comes from: never the command line, which others can read. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Delivered } from '../../src/protocol/envelope.ts';
import type { AgentInfo, ImportAnswer } from '../../src/protocol/http.ts';
import { within } from '../core/deadline.ts';
import { NetworkError, RelayError } from '../core/errors.ts';
import type { IssuedToken } from '../core/http.ts';
import { CommandError, EXIT } from './exit-codes.ts';

const DEADLINE_MS = 30_000;

/** The relay as its owner sees it. Throws as RelayHttp does; for a wrong key a CommandError. */
export class OwnerCalls {
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#key = key;
  }

  /** Makes a new token for an agent; its older ones stop working at once. */
  renew(agentId: string): Promise<IssuedToken> {
    return this.#call('POST', `/v1/agents/${agentId}/token`);
  }

  async agents(): Promise<AgentInfo[]> {
    return (await this.#call<{ agents: AgentInfo[] }>('GET', '/v1/agents')).agents;
  }

  /** Revokes an agent and all of its devices. */
  async revoke(agentId: string): Promise<void> {
    await this.#call('DELETE', `/v1/agents/${agentId}`);
  }

  /**
   * Brings what was said at another relay into a conversation; at most 100 messages.
   * @param after its newest seq, where somebody has spoken already: `forbidden` when there is a newer one
   */
  importHistory(conversationId: string, messages: Delivered[], after?: number): Promise<ImportAnswer> {
    return this.#call('POST', `/v1/conversations/${conversationId}/import`, { messages, ...(after !== undefined && { after }) });
  }

  async #call<T>(method: string, path: string, content?: object): Promise<T> {
    const headers = { authorization: `Bearer ${this.#key}`, ...(content && { 'content-type': 'application/json' }) };
    const sent = content && { body: JSON.stringify(content) };
    const { response, body } = await within(DEADLINE_MS, async (signal) => {
      const answer = await fetch(new URL(path, this.#origin), { method, headers, ...sent, signal });
      return { response: answer, body: await answer.text() };
    }).catch((error: unknown) => {
      throw new NetworkError(error);
    });
    if (!response.ok) throw withOwnerKey(RelayError.from(response.status, body, response.headers.get('retry-after')));
    return (body === '' ? undefined : JSON.parse(body)) as T;
  }
}

/** The same error; where the relay does not take the key, one that says so. */
export function withOwnerKey(error: unknown): unknown {
  if (!(error instanceof RelayError) || error.status !== 401) return error;
  return new CommandError(EXIT.unauthorized, 'the relay does not take this owner key: it is the LINEUP_OWNER_KEY that the relay was deployed with', {
    cause: error,
  });
}

/**
 * The owner key: of the environment, typed in without an echo, or the first line of stdin.
 * @throws CommandError when there is none
 */
export async function readOwnerKey(env: NodeJS.ProcessEnv, stdin: NodeJS.ReadStream = process.stdin): Promise<string> {
  const given = (env.LINEUP_OWNER_KEY ?? '').trim();
  // Nothing that this process starts needs it.
  delete env.LINEUP_OWNER_KEY;
  const key = given === '' ? (await readLine(stdin, 'Owner key of the relay (it is not shown): ')).trim() : given;
  if (key === '') throw new CommandError(EXIT.usage, 'the owner key is missing: type it, pipe it in, or set LINEUP_OWNER_KEY');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError(EXIT.unauthorized, 'this cannot be an owner key: it has characters that no key has');
  return key;
}

function readLine(stdin: NodeJS.ReadStream, prompt: string): Promise<string> {
  const isTyped = stdin.isTTY;
  if (isTyped) process.stderr.write(prompt);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: isTyped });
  return new Promise((resolve, reject) => {
    let line: string | undefined;
    lines.once('line', (text) => {
      line = text;
      lines.close();
    });
    lines.once('SIGINT', () => reject(new CommandError(EXIT.usage, 'stopped: nothing was changed')));
    lines.once('close', () => {
      if (isTyped) process.stderr.write('\n');
      resolve(line ?? '');
    });
  });
}
