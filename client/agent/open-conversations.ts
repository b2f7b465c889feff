/** The conversations that an agent is in: each opened once, with what it keeps on disk, and forgotten when it is gone. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationChange } from '../../src/protocol/handshake.ts';
import { Connection } from '../core/connection.ts';
import type { StopReason } from '../core/connection-events.ts';
import type { ConnectionOptions } from '../core/connection-options.ts';
import { FileCursorStore } from '../core/cursor-file.ts';
import type { RelayHttp } from '../core/http.ts';
import { FileOutboxStore } from '../core/outbox-file.ts';
import { NodeWebSocket } from '../core/websocket-node.ts';
import { AgentConversation, type AgentConnection, type Handlers } from './agent-conversation.ts';
import type { LineUpAgentOptions } from './agent-options.ts';
import type { FileCredentials } from './agent-token.ts';
import { CallMemory } from './call-memory.ts';
import { HandledMemory } from './handled-memory.ts';
import { makePrivateFolder } from './private-file.ts';
import { sentence } from './run-queue.ts';

/** What the conversations of an agent stand on. */
export interface OpenConversationsParts {
  options: LineUpAgentOptions;
  agentId: string;
  /** The agent's own; each conversation has one in it. */
  folder: string;
  credentials: FileCredentials;
  http: RelayHttp;
  handlers: Handlers;
  isHome: (conversationId: string) => boolean;
  /** A conversation came online. */
  welcome: () => void;
  stopped: (conversationId: string, reason: StopReason) => void;
  /** A conversation is gone for good. */
  forgotten: (conversationId: string) => void;
  problem: (problem: string, conversationId?: string) => void;
  /** Aborted when the agent ends: nothing is opened any more. */
  signal: AbortSignal;
}

/** See the file's head. */
export class OpenConversations {
  readonly #parts: OpenConversationsParts;
  readonly #opened = new Map<string, Promise<AgentConversation>>();

  constructor(parts: OpenConversationsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#opened.size;
  }

  /** A conversation that is open, or being opened. */
  find(conversationId: string): Promise<AgentConversation> | undefined {
    return this.#opened.get(conversationId);
  }

  /** Opens a conversation, unless it is. */
  async open(conversationId: string): Promise<void> {
    const { signal } = this.#parts;
    if (signal.aborted || this.#opened.has(conversationId)) return;
    const opening = this.#make(conversationId);
    this.#opened.set(conversationId, opening);
    try {
      const conversation = await opening;
      if (!signal.aborted) conversation.start();
    } catch (error) {
      this.#opened.delete(conversationId);
      throw error;
    }
  }

  /** A conversation that is gone leaves nothing behind. */
  forget(conversationId: string): void {
    const { folder, problem, forgotten } = this.#parts;
    const opened = this.#opened.get(conversationId);
    if (!opened) return;
    this.#opened.delete(conversationId);
    opened
      .then(async (conversation) => {
        await conversation.close();
        await rm(join(folder, conversationId), { recursive: true, force: true });
      })
      .catch((error: unknown) => problem(`cannot forget the conversation: ${sentence(error)}`, conversationId));
    forgotten(conversationId);
  }

  /** Closes all of them; what is not finished stays for the next process. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled([...this.#opened.values()].map(async (opened) => (await opened).close()));
    for (const each of closed) if (each.status === 'rejected') this.#parts.problem(`cannot close a conversation: ${sentence(each.reason)}`);
  }

  async #make(conversationId: string): Promise<AgentConversation> {
    const { options, agentId, http, handlers, isHome, welcome, stopped, problem } = this.#parts;
    const folder = join(this.#parts.folder, conversationId);
    await makePrivateFolder(folder);
    const calls = await CallMemory.open(join(folder, 'calls.json'));
    const cursor = new FileCursorStore(join(folder, 'cursor.json'));
    // One that cannot be read is as good as none.
    const isCatchingUp = (await cursor.load().catch(() => null)) === null;
    return new AgentConversation({
      id: conversationId,
      self: { kind: 'agent', id: agentId },
      connect: (process) => this.#connect({ conversationId, process, cursor, outbox: new FileOutboxStore(join(folder, 'outbox.jsonl')), calls }),
      upload: (content, mimeType) => http.upload(conversationId, content, mimeType),
      download: (fileId) => http.download(conversationId, fileId),
      calls,
      handled: await HandledMemory.open(join(folder, 'handled.json')),
      isCatchingUp,
      handlers,
      isHome: () => isHome(conversationId),
      on: {
        state: (state) => options.log?.({ kind: 'state', conversationId, state }),
        welcome,
        conversation: (id, change) => this.#changed(id, change),
        stopped: (reason) => stopped(conversationId, reason),
        problem: (text) => problem(text, conversationId),
      },
    });
  }

  #connect(conversation: Pick<ConnectionOptions, 'conversationId' | 'cursor' | 'outbox'> & { process: Process; calls: CallMemory }): AgentConnection {
    const { agentId, credentials, options } = this.#parts;
    const { relay, name, agent = name, version, fetch, connect = (made) => new Connection(made) } = options;
    const { calls, ...rest } = conversation;
    return connect({
      ...rest,
      relay,
      self: { kind: 'agent', id: agentId },
      credentials,
      hello: { name, agent, ...(version !== undefined && { version }), cancel_pending: calls.isNew },
      start: 'oldest',
      page: null,
      WebSocket: NodeWebSocket,
      ...(fetch && { fetch }),
    });
  }

  #changed(conversationId: string, change: ConversationChange): void {
    if (change === 'deleted') this.forget(conversationId);
    if (change !== 'created') return;
    this.open(conversationId).catch((error: unknown) => this.#parts.problem(`cannot open the conversation: ${sentence(error)}`, conversationId));
  }
}

type Process = NonNullable<ConnectionOptions['process']>;
