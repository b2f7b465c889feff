/** The agent's side of LineUp as a library: connects an agent to its devices, in all of its conversations, and keeps it connected. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationInfo } from '../../src/protocol/http.ts';
import type { ConversationChange } from '../../src/protocol/handshake.ts';
import { Connection } from '../core/connection.ts';
import type { StopReason } from '../core/connection-events.ts';
import type { ConnectionOptions } from '../core/connection-options.ts';
import { FileCursorStore } from '../core/cursor-file.ts';
import { RelayHttp } from '../core/http.ts';
import { FileOutboxStore } from '../core/outbox-file.ts';
import { NodeWebSocket } from '../core/websocket-node.ts';
import { claimAgent, type AgentClaim } from './agent-claim.ts';
import { AgentConversation, type AgentConnection, type Handlers } from './agent-conversation.ts';
import { TokenError, type AgentEnd, type LineUpAgentOptions } from './agent-options.ts';
import { Deferred } from './deferred.ts';
import { FileCredentials, readClaims, tokenPath } from './agent-token.ts';
import { CallMemory } from './call-memory.ts';
import type { Chat } from './chat.ts';
import { ConversationList } from './conversation-list.ts';
import { HandledMemory } from './handled-memory.ts';
import { makePrivateFolder } from './private-file.ts';
import { sentence } from './run-queue.ts';

/**
 * An agent: give it handlers, then {@link start} it.
 *
 * Messages of one conversation are handled one after the other. A handler that was interrupted by the end of the process runs again
 * in the next one; whatever it had sent is not sent twice.
 *
 * @example
 * const agent = new LineUpAgent({ ...(await readSetup()), name: 'Deployer' });
 *
 * agent.onText(async (chat, { payload }) => {
 *   const where = await chat.choice({ question: `Deploy ${payload.content}?`, options: ['test', 'production'] });
 *   if (where.status === 'completed') await chat.say(deploy(where.result.selected)); // a string, or an AsyncIterable<string>
 * });
 *
 * await agent.start();
 */
export class LineUpAgent {
  readonly #options: LineUpAgentOptions;
  readonly #agentId: string;
  readonly #credentials: FileCredentials;
  readonly #http: RelayHttp;
  readonly #handlers: Handlers = {};
  readonly #conversations = new Map<string, Promise<AgentConversation>>();
  readonly #ended = new Deferred<AgentEnd>();
  readonly #closing = new AbortController();
  readonly #list: ConversationList;
  #homeId: string | undefined;
  #claim: AgentClaim | null = null;

  /** @throws TokenError when the token is none of an agent */
  constructor(options: LineUpAgentOptions) {
    const claims = readClaims(options.token);
    if (!claims) throw new TokenError('The token is not an agent token of a relay.');
    this.#options = options;
    this.#agentId = claims.agentId;
    this.#homeId = options.conversationId;
    this.#list = new ConversationList({
      fetch: () => this.#http.conversations(),
      take: (conversations) => this.#take(conversations),
      // Where there is a connection, it knows better what has become of the token.
      refused: () => (this.#conversations.size > 0 ? undefined : void this.#end('pair-again')),
      problem: (problem) => this.#problem(problem),
      signal: this.#closing.signal,
    });
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

  /** Its own folder, below `state`. */
  get folder(): string {
    return join(this.#options.state, this.#agentId);
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

  /** Handles what the user does in a small app of the agent's; see {@link Chat.ui}. */
  onUiEvent(handler: NonNullable<Handlers['uiEvent']>): this {
    this.#handlers.uiEvent = handler;
    return this;
  }

  /** The relay's HTTP calls as this agent: pairings, devices, conversations, history. */
  get http(): RelayHttp {
    return this.#http;
  }

  /**
   * Speaks or asks without having been asked: gives the work what a handler gets. Waits for the first conversation when there is none yet.
   *
   * What it asks survives the end of the process when it has a `callId` of its own.
   * @param conversationId default: the one that new devices are greeted in
   * @example
   * const answer = await agent.act((chat) => chat.confirm({ question: 'Deploy 1.4.2?' }, { callId: 'deploy-1.4.2' }));
   */
  async act<T>(work: (chat: Chat) => Promise<T>, conversationId?: string): Promise<T> {
    const id = conversationId ?? (await this.#home());
    const conversation = await this.#conversations.get(id);
    if (!conversation) throw new Error(`this agent has no conversation ${id}`);
    return conversation.outside(work);
  }

  /** {@link Chat.say}, unasked. */
  say(content: string | AsyncIterable<string>, where?: string): Promise<string> {
    return this.act((chat) => chat.say(content), where);
  }

  /** {@link Chat.choice}, unasked. */
  choice(...args: Parameters<Chat['choice']>): ReturnType<Chat['choice']> {
    return this.act((chat) => chat.choice(...args));
  }

  /** {@link Chat.confirm}, unasked. */
  confirm(...args: Parameters<Chat['confirm']>): ReturnType<Chat['confirm']> {
    return this.act((chat) => chat.confirm(...args));
  }

  /** {@link Chat.input}, unasked. */
  input(...args: Parameters<Chat['input']>): ReturnType<Chat['input']> {
    return this.act((chat) => chat.input(...args));
  }

  /** {@link Chat.tool}, unasked. */
  tool(...args: Parameters<Chat['tool']>): ReturnType<Chat['tool']> {
    return this.act((chat) => chat.tool(...args));
  }

  /** {@link Chat.canvas}, unasked. */
  canvas(...args: Parameters<Chat['canvas']>): ReturnType<Chat['canvas']> {
    return this.act((chat) => chat.canvas(...args));
  }

  /** {@link Chat.app}, unasked. */
  readonly app: Chat['app'] = { call: (...args) => this.act((chat) => chat.app.call(...args)) };

  /** {@link Chat.ui}, unasked. */
  readonly ui: Pick<Chat['ui'], 'open'> = { open: (...args) => this.act((chat) => chat.ui.open(...args)) };

  /** {@link Chat.tools} of the devices. */
  tools(): ReturnType<Chat['tools']> {
    return this.act((chat) => chat.tools());
  }

  /** {@link Chat.inventory} of the devices. */
  inventory(): Promise<ReturnType<Chat['inventory']>> {
    return this.act((chat) => Promise.resolve(chat.inventory()));
  }

  /**
   * Connects to every conversation of the agent, and to those that are made later. Resolves when the first is opened, not yet online.
   * @throws AgentBusyError when another process of this machine runs it
   */
  async start(): Promise<void> {
    this.#claim = await claimAgent(this.folder);
    if (this.#homeId !== undefined) await this.#open(this.#homeId);
    const listed = this.#list.ask();
    if (this.#homeId === undefined) await listed;
  }

  /** Ends it. What is not finished is taken up by the next process. */
  async close(): Promise<void> {
    await this.#end('closed');
  }

  async #end(reason: AgentEnd): Promise<void> {
    if (this.#closing.signal.aborted) return void (await this.#ended.promise);
    this.#closing.abort();
    const closed = await Promise.allSettled([...this.#conversations.values()].map(async (opened) => (await opened).close()));
    for (const each of closed) if (each.status === 'rejected') this.#problem(`cannot close a conversation: ${sentence(each.reason)}`);
    await this.#claim?.release();
    this.#ended.resolve(reason);
  }

  async #home(): Promise<string> {
    if (this.#homeId === undefined) await this.#list.ask();
    if (this.#homeId === undefined) throw new Error('this agent is not connected to any conversation');
    return this.#homeId;
  }

  /** Opens what the relay lists and is not open yet. */
  async #take(conversations: ConversationInfo[]): Promise<boolean> {
    this.#homeId ??= conversations.at(0)?.conversation_id;
    for (const { conversation_id } of conversations) await this.#open(conversation_id);
    return this.#conversations.size > 0;
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
    const folder = join(this.folder, conversationId);
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
      download: (fileId) => this.#http.download(conversationId, fileId),
      calls,
      handled: await HandledMemory.open(join(folder, 'handled.json')),
      isCatchingUp,
      handlers: this.#handlers,
      isHome: () => conversationId === this.#homeId,
      on: {
        state: (state) => this.#options.log?.({ kind: 'state', conversationId, state }),
        welcome: () => void this.#list.ask(),
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
      WebSocket: NodeWebSocket,
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
        await rm(join(this.folder, conversationId), { recursive: true, force: true });
      })
      .catch((error: unknown) => this.#problem(`cannot forget the conversation: ${sentence(error)}`, conversationId));
    const wasHome = this.#homeId === conversationId;
    if (wasHome) this.#homeId = undefined;
    // Without a home new devices are not greeted, and without any socket nothing tells of a new conversation.
    if (wasHome || this.#conversations.size === 0) void this.#list.ask();
  }

  #problem(problem: string, conversationId?: string): void {
    this.#options.log?.({ kind: 'problem', problem, ...(conversationId !== undefined && { conversationId }) });
  }
}

type Process = NonNullable<ConnectionOptions['process']>;
