/** The client role of AstrBot's ACP: every agent behind the servers becomes a conversation of its own, and the first conversation reaches all of them. */
import { join } from 'node:path';
import type { Json, JsonObject } from '../../../src/protocol/json.ts';
import { Deferred } from '../deferred.ts';
import type { Chat } from '../chat.ts';
import type { LineUpAgent } from '../lineup-agent.ts';
import { makePrivateFolder } from '../private-file.ts';
import { ConversationLines } from '../acp/conversation-lines.ts';
import { once, type HandOver } from '../acp/once.ts';
import { PushStream } from '../acp/push-stream.ts';
import { BOOKS, SessionBook } from '../acp/session-book.ts';
import { PeerGone, type PeerPace } from './peer.ts';
import { PeerPool, wordsOf, type RemoteAgent } from './peer-pool.ts';
import type { ServerAddress } from './address.ts';
import { ACP_CODES, RpcError } from './json-rpc.ts';

/** What it is made of. */
export interface ClientRoleOptions {
  addresses: readonly ServerAddress[];
  /** The folder of the LineUp agent. */
  folder: string;
  /** Says a line to the person at this machine. */
  note: (text: string) => void;
  pace?: PeerPace;
}

/** Who is meant by a text: one agent and what it is told, or nobody that is known. */
export type Route = { agent: RemoteAgent; text: string } | { unknown: string } | { ambiguous: true };

/**
 * Reads whom a text of the first conversation is for: `@name …` by name, `#capability …` by what it can do. Without either, the only agent.
 */
export function routeOf(text: string, agents: readonly RemoteAgent[]): Route {
  const [, sign, wanted = '', rest = ''] = /^([@#])(\S+)\s*(.*)$/s.exec(text.trim()) ?? [];
  const fits = ({ name, capabilities }: RemoteAgent) =>
    sign === '@' ? name.toLowerCase() === wanted.toLowerCase() : capabilities.some((each) => each.toLowerCase() === wanted.toLowerCase());
  if (sign !== undefined) {
    const agent = agents.find(fits);
    if (agent) return { agent, text: rest === '' ? text : rest };
    if (sign === '@') return { unknown: wanted };
  }
  const [only, ...more] = agents;
  return only && more.length === 0 ? { agent: only, text } : { ambiguous: true };
}

/** See the file's head. */
export class ClientRole {
  readonly lines = new ConversationLines();
  readonly #options: ClientRoleOptions;
  /** Which agent each conversation belongs to. */
  readonly #book: SessionBook;
  readonly #pool: PeerPool;
  #making: Promise<void> = Promise.resolve();

  private constructor(options: ClientRoleOptions, book: SessionBook) {
    this.#options = options;
    this.#book = book;
    this.#pool = new PeerPool(
      options.addresses,
      {
        up: (address) => options.note(`connected with ${address}`),
        down: (address) => options.note(`lost the connection with ${address}, trying again`),
        problem: options.note,
        agents: (address, agents) => {
          options.note(`${address} has ${agents.map(({ name }) => name).join(', ') || 'no agents'}`);
          this.#making = this.#making
            .then(() => this.#makeConversations())
            .catch((error: unknown) => options.note(`cannot make a conversation: ${String(error)}`));
        },
        event: (agent, event, data) => void this.#heard(agent, event, data),
      },
      options.pace,
    );
  }

  static async open(options: ClientRoleOptions): Promise<ClientRole> {
    await makePrivateFolder(options.folder);
    return new ClientRole(options, await SessionBook.open(join(options.folder, BOOKS.agents), ['acp-connect'], options.note));
  }

  serve(agent: LineUpAgent): void {
    agent.onText((chat, message) =>
      once(
        { title: 'The agent', book: this.#book, lines: this.lines },
        chat,
        message,
        (handOver) => this.#text(chat, message.payload.content, handOver),
        (error) => chat.fail(...failureOf(error)),
      ),
    );
    const textOnly = (chat: Chat) => chat.fail('text_only', "AstrBot's ACP carries text alone: this was not passed on.");
    agent.onImage(textOnly);
    agent.onFile(textOnly);
  }

  start(): void {
    this.#pool.start();
  }

  close(): void {
    this.#pool.close();
  }

  async #text(chat: Chat, text: string, handOver: HandOver): Promise<void> {
    const named = this.#book.sessionOf(chat.conversationId);
    const route = named === undefined ? routeOf(text, this.#pool.agents) : { agent: { name: named, capabilities: [] }, text };
    if ('agent' in route) {
      await handOver({});
      return this.#ask(chat, route.agent.name, route.text);
    }
    const names = this.#pool.agents.map(
      ({ name, capabilities }) => `- **@${name}**${capabilities.length > 0 ? ` (${capabilities.join(', ')})` : ''}`,
    );
    if (names.length === 0) return chat.fail('no_agents', 'No ACP server is connected, or none has an agent.', true);
    const first = 'unknown' in route ? `There is no agent **${route.unknown}**.` : 'Whom do you mean?';
    await chat.say(`${first} Begin with the name of an agent, or with # and what it can do:\n\n${names.join('\n')}`);
  }

  async #ask(chat: Chat, agent: string, text: string): Promise<void> {
    const pieces = new PushStream();
    let heard = '';
    const shown = new Deferred<void>();
    const onChunk = (data: Json) => {
      const words = wordsOf(data);
      if (words === '') return;
      if (heard === '') chat.stream(pieces).then(() => shown.resolve(), shown.reject);
      heard += words;
      pieces.push(words);
    };
    try {
      const answer = wordsOf(await this.#request(chat, agent, text, onChunk));
      pieces.end();
      if (heard !== '') await shown.promise;
      else if (answer !== '') await chat.stream(onlyOnce(answer));
    } catch (error) {
      pieces.end();
      // What was said until here stays said.
      if (heard !== '') await shown.promise.catch(() => undefined);
      throw error;
    }
  }

  async #request(chat: Chat, agent: string, text: string, onChunk: (data: Json) => void): Promise<Json> {
    const options = { signal: chat.signal, onChunk };
    const about: JsonObject = { conversation_id: chat.conversationId, stream: true };
    try {
      return await this.#pool.request(agent, 'message/send', { message: text, ...about }, options);
    } catch (error) {
      if (!(error instanceof RpcError && error.code === ACP_CODES.methodNotFound)) throw error;
      return this.#pool.request(agent, 'agent/call', { action: 'chat', args: { message: text }, ...about }, options);
    }
  }

  async #heard(agent: string, event: string, data: Json): Promise<void> {
    const words = wordsOf(data);
    if (words === '' || !/message|text|reply/.test(event)) return;
    const conversationId = this.lines.conversationIds.find((id) => this.#book.sessionOf(id) === agent) ?? this.lines.conversationIds[0];
    if (conversationId === undefined) return;
    try {
      await this.lines.send(conversationId, 'text', { content: words.slice(0, 32_000), format: 'markdown' });
    } catch (error) {
      this.#options.note(`a message of ${agent} cannot be passed on: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** With one agent alone the first conversation is its own. */
  async #makeConversations(): Promise<void> {
    const { http } = this.lines;
    const agents = this.#pool.agents;
    if (!http || agents.length < 2) return;
    const open = await http.conversations();
    const taken = new Set(open.map(({ conversation_id }) => this.#book.sessionOf(conversation_id)));
    for (const { name } of agents.filter((agent) => !taken.has(agent.name))) {
      const { conversation_id } = await http.createConversation(name.slice(0, 128));
      await this.#book.set(conversation_id, { sessionId: name });
    }
  }
}

async function* onlyOnce(text: string): AsyncGenerator<string> {
  yield text;
}

function failureOf(error: unknown): [code: string, message: string, retryable: boolean] {
  if (error instanceof PeerGone) return ['agent_gone', 'The connection with the agent was lost. It may have done a part of this.', true];
  if (!(error instanceof RpcError)) throw error;
  if (error.code === ACP_CODES.agentBusy) return ['agent_busy', 'The agent is busy with something else. Try again in a moment.', true];
  if (error.code === ACP_CODES.agentNotFound) return ['agent_not_found', 'The agent is not there any more.', false];
  return ['agent_error', `The agent refused: ${error.message.slice(0, 500)} (${error.code})`, false];
}
