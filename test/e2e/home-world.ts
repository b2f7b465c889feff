/** What the tests of the home side stand on: a `lineup` process over one state folder, and a scripted phone. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Connection } from '../../client/core/connection.ts';
import { MemoryCursorStore } from '../../client/core/cursor-store.ts';
import { isMessage, type Message } from '../../client/core/frames.ts';
import { RelayHttp, type Enrolled } from '../../client/core/http.ts';
import { MemoryOutboxStore } from '../../client/core/outbox-store.ts';
import type { Delivered } from '../../src/protocol/envelope.ts';
import type { Settled } from '../../src/protocol/handshake.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Payloads } from '../../src/protocol/messages.ts';

const CLI = new URL('../../client/agent/cli.ts', import.meta.url).pathname;
export const FIXTURE = new URL('./acp-agent-fixture.ts', import.meta.url).pathname;
export const WAIT_MS = 30_000;

/** A `lineup` command as a process, over one state folder. */
export class LineUpProcess {
  readonly state = mkdtempSync(join(tmpdir(), 'lineup-connect-'));
  /** Everything on stdout and stderr, in all its lives. */
  output = '';
  child: ChildProcess | null = null;
  readonly #env: NodeJS.ProcessEnv;

  constructor(relay: string, agent: Enrolled, env: Record<string, string> = {}) {
    this.#env = {
      ...process.env,
      LINEUP_RELAY_URL: relay,
      LINEUP_AGENT_TOKEN: agent.token,
      LINEUP_CONVERSATION_ID: agent.conversation_id,
      FIXTURE_SESSIONS: join(this.state, 'fixture.json'),
      ...env,
    };
  }

  start(...args: string[]): void {
    const child = spawn(process.execPath, [CLI, '--state', this.state, ...args], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  /** Runs the command against the fixture. */
  connect(...flags: string[]): void {
    this.start('connect', '--cwd', this.state, '--', process.execPath, FIXTURE, ...flags);
  }

  async until(text: string): Promise<void> {
    await expect.poll(() => this.output, { timeout: WAIT_MS }).toContain(text);
  }

  /** Resolves with the exit code. */
  async exit(): Promise<number | null> {
    const { child } = this;
    if (!child) return null;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (child && child.exitCode === null && child.signalCode === null) child.kill(signal);
    return this.exit();
  }

  async dispose(): Promise<void> {
    await this.end('SIGTERM');
    rmSync(this.state, { recursive: true, force: true });
  }
}

/** A phone in one conversation. */
export class Phone {
  readonly id: string;
  readonly http: RelayHttp;
  readonly frames: Delivered[] = [];
  readonly settled: Settled[] = [];
  readonly connection: Connection;

  private constructor(relay: string, redeemed: Awaited<ReturnType<typeof RelayHttp.redeem>>, conversationId: string) {
    this.id = redeemed.device_id;
    this.http = new RelayHttp({ origin: relay, token: () => redeemed.token });
    this.connection = new Connection({
      relay,
      conversationId,
      self: { kind: 'app', id: redeemed.device_id },
      credentials: { load: () => redeemed.token, save: () => undefined },
      hello: { name: 'Phone', platform: 'test' },
      outbox: new MemoryOutboxStore(),
      cursor: new MemoryCursorStore(),
      start: 'oldest',
    });
    this.connection.on('message', (frame) => this.frames.push(frame));
    this.connection.on('settled', (settled) => this.settled.push(settled));
  }

  /** A phone that has a code, not yet online. */
  static async redeem(
    relay: string,
    code: string,
    { name = 'Phone', conversationId }: { name?: string; conversationId?: string } = {},
  ): Promise<Phone> {
    const redeemed = await RelayHttp.redeem(relay, code, { name, platform: 'test' });
    const phone = new Phone(relay, redeemed, conversationId ?? redeemed.conversation_id);
    phone.connection.start();
    return phone;
  }

  /** A phone of an agent, online. */
  static async pair(
    relay: string,
    agent: Pick<Enrolled, 'token' | 'conversation_id'>,
    conversationId: string = agent.conversation_id,
  ): Promise<Phone> {
    const owner = new RelayHttp({ origin: relay, token: () => agent.token });
    const { code } = await owner.createPairing();
    const phone = await Phone.redeem(relay, code, { conversationId });
    await expect.poll(() => phone.connection.state.name, { timeout: WAIT_MS }).toBe('online');
    return phone;
  }

  async say(content: string): Promise<void> {
    await (
      await this.connection.send('text', { content })
    ).done;
  }

  of<T extends keyof Payloads>(type: T): Message<T>[] {
    return this.frames.filter((frame): frame is Delivered & Message<T> => isMessage(frame, type));
  }

  /** The texts of the agent, in order. */
  get texts(): string[] {
    return this.of('text').flatMap(({ sender, payload }) => (sender.kind === 'agent' ? [payload.content] : []));
  }

  /** The first frame of a type that matches, come or coming. */
  async until<T extends keyof Payloads>(type: T, matches: (payload: Payloads[T]) => boolean = () => true): Promise<Message<T>> {
    let found: Message<T> | undefined;
    await expect
      .poll(() => (found = this.of(type).find(({ payload }) => matches(payload))), { timeout: WAIT_MS, message: `a ${type}` })
      .toBeDefined();
    return found!;
  }

  untilText(part: string): Promise<Message<'text'>> {
    return this.until('text', ({ content }) => content.includes(part));
  }

  /** The call of a tool whose question holds these words. */
  untilAsked(name: string, words = ''): Promise<Message<'tool.call'>> {
    return this.until('tool.call', (call) => call.name === name && String(call.arguments.question ?? '').includes(words));
  }

  async answer(call: Message<'tool.call'>, result: JsonObject & { message: string }): Promise<void> {
    await this.end(call, { result });
  }

  /** Closes a question without an answer. */
  async dismiss(call: Message<'tool.call'>): Promise<void> {
    await this.end(call, { error: { code: 'rejected', message: 'dismissed' } });
  }

  /** Ends a call as the test says. */
  async end(call: Message<'tool.call'>, ending: Pick<Payloads['tool.result'], 'result' | 'error'>): Promise<void> {
    const { name, action, call_id } = call.payload;
    const sent = await this.connection.send('tool.result', { name, ...(action !== undefined && { action }), call_id, ...ending });
    await sent.done;
  }
}
