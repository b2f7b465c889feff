/** The agent's side of LineUp as a library: connects an agent to its devices, in all of its conversations, and keeps it connected. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationChange } from '../../src/protocol/handshake.ts';
import { retryDelay } from '../core/backoff.ts';
import { Connection } from '../core/connection.ts';
import type { ConnectionState, StopReason } from '../core/connection-events.ts';
import type { ConnectionOptions } from '../core/connection-options.ts';
import { FileCursorStore } from '../core/cursor-file.ts';
import { RelayError } from '../core/errors.ts';
import { RelayHttp } from '../core/http.ts';
import { FileOutboxStore } from '../core/outbox-file.ts';
import { AgentConversation, type AgentConnection, type Handlers } from './agent-conversation.ts';
import { Deferred } from './deferred.ts';
import { FileCredentials, readClaims, tokenPath } from './agent-token.ts';
import { CallMemory } from './call-memory.ts';
import { makePrivateFolder } from './private-file.ts';
import { Questions, type AnswerHandler, type Question } from './questions.ts';
import { sentence } from './run-queue.ts';

/** Who an agent is, and where. */
export interface LineUpAgentOptions {
  /** The relay's origin, such as `https://relay.example`. */
  relay: string;
  /** The agent's token, as enrolment gave it. Fresher ones are kept in `state`. */
  token: string;
  /** A folder for what must survive the process: unsent messages, how far it has read, open questions, the token. One process at a time. */
  state: string;
  /** How devices show it. */
  name: string;
  /** What it is, such as `Hermes`. Default: its name. */
  agent?: string;
  version?: string;
  /** The conversation that new devices are greeted in. Default: the agent's oldest. */
  conversationId?: string;
  /** Gets what a person who looks after the agent may want to know; never a token, never a message's content. */
  log?: (event: AgentEvent) => void;
  /** Default: the real {@link Connection}. */
  connect?: (options: ConnectionOptions) => AgentConnection;
  /** Default: the global fetch. */
  fetch?: typeof fetch;
}

/** What an agent tells of itself. */
export type AgentEvent = { conversationId?: string } & ({ kind: 'state'; state: ConnectionState } | { kind: 'problem'; problem: string });

/** Why an agent ended: `closed` by its own process, or what the relay said. */
export type AgentEnd = Exclude<StopReason, 'not-found'>;

/** The token that was given is none that a relay gives to an agent. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

/**
 * An agent: give it handlers, then {@link start} it.
 *
 * Messages of one conversation are handled one after the other. A handler that was interrupted by the end of the process runs again
 * in the next one; whatever it had sent is not sent twice.
 *
 * @example
 * const agent = new LineUpAgent({ relay, token, state: '.lineup/agent', name: 'Echo' });
 * agent.onText((chat, { payload }) => chat.say(`You said: ${payload.content}`));
 * await agent.start();
 */
export class LineUpAgent {
  readonly #options: LineUpAgentOptions;
  readonly #agentId: string;
  readonly #credentials: FileCredentials;
  readonly #http: RelayHttp;
  readonly #handlers: Handlers = {};
  readonly #questions = new Questions();
  readonly #conversations = new Map<string, Promise<AgentConversation>>();
  readonly #ended = new Deferred<AgentEnd>();
  readonly #closing = new AbortController();
  #listing: Promise<void> | null = null;
  #mustListAgain = false;
  #homeId: string | undefined;

  /** @throws TokenError when the token is none of an agent */
  constructor(options: LineUpAgentOptions) {
    const claims = readClaims(options.token);
    if (!claims) throw new TokenError('The token is not an agent token of a relay.');
    this.#options = options;
    this.#agentId = claims.agentId;
    this.#homeId = options.conversationId;
    this.#credentials = new FileCredentials(tokenPath(options.state, claims.agentId), options.token);
    this.#http = new RelayHttp({
      origin: options.relay,
      token: () => this.#credentials.load(),
      ...(options.fetch && { fetch: options.fetch }),
    });
  }

  /** The agent's id, `ag_…`. */
  get id(): string {
    return this.#agentId;
  }

  /** Resolves when the agent has ended, for whatever reason; it does not start again by itself then. */
  get ended(): Promise<AgentEnd> {
    return this.#ended.promise;
  }

  /** Handles texts of devices. */
  onText(handler: NonNullable<Handlers['text']>): this {
    this.#handlers.text = handler;
    return this;
  }

  /** Handles images of devices. */
  onImage(handler: NonNullable<Handlers['image']>): this {
    this.#handlers.image = handler;
    return this;
  }

  /** Handles files of devices. */
  onFile(handler: NonNullable<Handlers['file']>): this {
    this.#handlers.file = handler;
    return this;
  }

  /** Greets a device that was just paired; only that device hears it. */
  onPaired(handler: NonNullable<Handlers['paired']>): this {
    this.#handlers.paired = handler;
    return this;
  }

  /** A question with options. Its answer is handled here, also when it comes after a restart. */
  choice(name: string, handler: AnswerHandler<'choice'>): Question<'choice'> {
    return this.#questions.add('choice', name, handler);
  }

  /** A question to agree to or to decline. */
  confirm(name: string, handler: AnswerHandler<'confirm'>): Question<'confirm'> {
    return this.#questions.add('confirm', name, handler);
  }

  /** A question for a text. */
  input(name: string, handler: AnswerHandler<'input'>): Question<'input'> {
    return this.#questions.add('input', name, handler);
  }

  /** Connects to every conversation of the agent, and to those that are made later. Resolves when the first is opened, not yet online. */
  async start(): Promise<void> {
    if (this.#homeId !== undefined) await this.#open(this.#homeId);
    const listed = this.#list();
    if (this.#homeId === undefined) await listed;
  }

  /** Ends it. What is not finished is taken up by the next process. */
  async close(): Promise<void> {
    await this.#end('closed');
  }

  get #folder(): string {
    return join(this.#options.state, this.#agentId);
  }

  async #end(reason: AgentEnd): Promise<void> {
    if (this.#closing.signal.aborted) return void (await this.#ended.promise);
    this.#closing.abort();
    const closed = await Promise.allSettled([...this.#conversations.values()].map(async (opened) => (await opened).close()));
    for (const each of closed) if (each.status === 'rejected') this.#problem(`cannot close a conversation: ${sentence(each.reason)}`);
    this.#ended.resolve(reason);
  }

  /** Opens what the relay lists and is not open yet: at the start, and after each time offline, when a conversation may have been made. */
  #list(): Promise<void> {
    this.#mustListAgain = this.#listing !== null;
    this.#listing ??= this.#listUntilDone().finally(() => {
      this.#listing = null;
      if (this.#mustListAgain && !this.#closing.signal.aborted) void this.#list();
    });
    return this.#listing;
  }

  async #listUntilDone(): Promise<void> {
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      try {
        const conversations = await this.#http.conversations();
        const oldest = conversations.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).at(0);
        this.#homeId ??= oldest?.conversation_id;
        for (const { conversation_id } of conversations) await this.#open(conversation_id);
        if (this.#conversations.size > 0) return;
      } catch (error) {
        // Where there is a connection, it knows better what has become of the token.
        if (error instanceof RelayError && error.status === 401) return this.#conversations.size > 0 ? undefined : void this.#end('pair-again');
        this.#problem(`cannot list the conversations: ${sentence(error)}`);
      }
      await delay(retryDelay(failures + 1, Math.random()), undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  async #open(conversationId: string): Promise<void> {
    if (this.#closing.signal.aborted || this.#conversations.has(conversationId)) return;
    const opening = this.#make(conversationId);
    this.#conversations.set(conversationId, opening);
    try {
      const conversation = await opening;
      if (!this.#closing.signal.aborted) conversation.start();
    } catch (error) {
      this.#conversations.delete(conversationId);
      throw error;
    }
  }

  async #make(conversationId: string): Promise<AgentConversation> {
    const folder = join(this.#folder, conversationId);
    await makePrivateFolder(folder);
    const calls = await CallMemory.open(join(folder, 'calls.json'));
    const cursor = new FileCursorStore(join(folder, 'cursor.json'));
    // One that cannot be read is as good as none.
    const isCatchingUp = (await cursor.load().catch(() => null)) === null;
    return new AgentConversation({
      id: conversationId,
      self: { kind: 'agent', id: this.#agentId },
      connect: (process) => this.#connect({ conversationId, process, cursor, outbox: new FileOutboxStore(join(folder, 'outbox.jsonl')), calls }),
      upload: (content, mimeType) => this.#http.upload(conversationId, content, mimeType),
      calls,
      isCatchingUp,
      handlers: this.#handlers,
      questions: this.#questions,
      isHome: () => conversationId === this.#homeId,
      on: {
        state: (state) => this.#options.log?.({ kind: 'state', conversationId, state }),
        welcome: () => void this.#list(),
        conversation: (id, change) => this.#changed(id, change),
        stopped: (reason) => this.#stopped(conversationId, reason),
        problem: (problem) => this.#problem(problem, conversationId),
      },
    });
  }

  #connect(conversation: Pick<ConnectionOptions, 'conversationId' | 'cursor' | 'outbox'> & { process: Process; calls: CallMemory }): AgentConnection {
    const { relay, name, agent = name, version, fetch, connect = (options) => new Connection(options) } = this.#options;
    const { calls, ...rest } = conversation;
    return connect({
      ...rest,
      relay,
      self: { kind: 'agent', id: this.#agentId },
      credentials: this.#credentials,
      hello: { name, agent, ...(version !== undefined && { version }), cancel_pending: calls.isNew },
      start: 'oldest',
      page: null,
      ...(fetch && { fetch }),
    });
  }

  #changed(conversationId: string, change: ConversationChange): void {
    if (change === 'created') this.#openLater(conversationId);
    if (change === 'deleted') this.#forget(conversationId);
  }

  #openLater(conversationId: string): void {
    this.#open(conversationId).catch((error: unknown) => this.#problem(`cannot open the conversation: ${sentence(error)}`, conversationId));
  }

  #stopped(conversationId: string, reason: StopReason): void {
    if (reason === 'not-found') this.#forget(conversationId);
    else if (reason !== 'closed') void this.#end(reason);
  }

  /** A conversation that is gone leaves nothing behind. */
  #forget(conversationId: string): void {
    const opened = this.#conversations.get(conversationId);
    if (!opened) return;
    this.#conversations.delete(conversationId);
    opened
      .then(async (conversation) => {
        await conversation.close();
        await rm(join(this.#folder, conversationId), { recursive: true, force: true });
      })
      .catch((error: unknown) => this.#problem(`cannot forget the conversation: ${sentence(error)}`, conversationId));
    const wasHome = this.#homeId === conversationId;
    if (wasHome) this.#homeId = undefined;
    // Without a home new devices are not greeted, and without any socket nothing tells of a new conversation.
    if (wasHome || this.#conversations.size === 0) void this.#list();
  }

  #problem(problem: string, conversationId?: string): void {
    this.#options.log?.({ kind: 'problem', problem, ...(conversationId !== undefined && { conversationId }) });
  }
}

type Process = NonNullable<ConnectionOptions['process']>;
