/** The agent's side of LineUp as a library: connects an agent to its devices, in all of its conversations, and keeps it connected. */
import { join } from 'node:path';
import type { ConversationInfo } from '../../src/protocol/http.ts';
import type { StopReason } from '../core/connection-events.ts';
import { RelayHttp } from '../core/http.ts';
import { claimAgent, type AgentClaim } from './agent-claim.ts';
import type { Handlers } from './agent-conversation.ts';
import { TokenError, type AgentEnd, type AgentEvent, type LineUpAgentOptions } from './agent-options.ts';
import { Deferred } from './deferred.ts';
import { FileCredentials, readClaims, tokenPath } from './agent-token.ts';
import type { Chat } from './chat.ts';
import { ConversationList } from './conversation-list.ts';
import { OpenConversations } from './open-conversations.ts';

/**
 * An agent: give it handlers, then {@link start} it.
 *
 * Messages of one conversation are handled one after the other. A handler that was interrupted by the end of the process runs again
 * in the next one; whatever it had sent is not sent twice.
 *
 * @example
 * const agent = new LineUpAgent(await readSetup());
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
  readonly #http: RelayHttp;
  readonly #handlers: Handlers = {};
  readonly #conversations: OpenConversations;
  readonly #ended = new Deferred<AgentEnd>();
  readonly #closing = new AbortController();
  readonly #list: ConversationList;
  #homeId: string | undefined;
  #claim: AgentClaim | null = null;

  /** @throws TokenError when the token is none of an agent */
  constructor({ log = logProblem, ...given }: LineUpAgentOptions) {
    const claims = readClaims(given.token);
    if (!claims) throw new TokenError('The token is not an agent token of a relay.');
    const options = { ...given, log };
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
    const credentials = new FileCredentials(tokenPath(options.state, claims.agentId), options.token);
    this.#http = new RelayHttp({
      origin: options.relay,
      token: () => credentials.load(),
      ...(options.fetch && { fetch: options.fetch }),
    });
    this.#conversations = new OpenConversations({
      options,
      agentId: claims.agentId,
      folder: this.folder,
      credentials,
      http: this.#http,
      handlers: this.#handlers,
      isHome: (id) => id === this.#homeId,
      welcome: () => void this.#list.ask(),
      stopped: (id, reason) => this.#stopped(id, reason),
      forgotten: (id) => this.#forgotten(id),
      problem: (problem, id) => this.#problem(problem, id),
      signal: this.#closing.signal,
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
    const conversation = await this.#conversations.find(id);
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
    if (this.#homeId !== undefined) await this.#conversations.open(this.#homeId);
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
    await this.#conversations.close();
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
    for (const { conversation_id } of conversations) await this.#conversations.open(conversation_id);
    return this.#conversations.size > 0;
  }

  #stopped(conversationId: string, reason: StopReason): void {
    if (reason === 'not-found') this.#conversations.forget(conversationId);
    else if (reason !== 'closed') void this.#end(reason);
  }

  #forgotten(conversationId: string): void {
    const wasHome = this.#homeId === conversationId;
    if (wasHome) this.#homeId = undefined;
    // Without a home new devices are not greeted, and without any socket nothing tells of a new conversation.
    if (wasHome || this.#conversations.size === 0) void this.#list.ask();
  }

  #problem(problem: string, conversationId?: string): void {
    this.#options.log?.({ kind: 'problem', problem, ...(conversationId !== undefined && { conversationId }) });
  }
}

function logProblem(event: AgentEvent): void {
  if (event.kind === 'problem') console.error(`lineup: ${event.problem}`);
}
