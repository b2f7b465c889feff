/** The server role of AstrBot's ACP in front of a LineUp agent: callers reach the devices, and hear what their users write. */
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { ConnectionOptions } from '../../core/connection-options.ts';
import type { AgentConnection } from '../agent-conversation.ts';
import type { Chat } from '../chat.ts';
import type { LineUpAgent } from '../lineup-agent.ts';
import { ConversationLines } from '../acp/conversation-lines.ts';
import { ServerMethods } from './server-methods.ts';
import { RpcServer } from './server.ts';
import { addressText, type ServerAddress } from './address.ts';
import { ANY_DEVICE, servedAgents } from './served-agents.ts';

/** What a door is made of. */
export interface ServerRoleOptions {
  /** The LineUp agent's name. */
  name: string;
  version: string;
  /** Where calls are shown. Default: the agent's oldest conversation. */
  conversationId?: string;
}

/** See the file's head. Give {@link connect} to the agent, then the agent to {@link serve}. */
export class ServerRole {
  readonly #lines: ConversationLines;
  readonly #methods: ServerMethods;
  readonly #server: RpcServer;
  readonly #endpoints: { tcp?: string; unix?: string } = {};

  constructor({ name, version, conversationId }: ServerRoleOptions) {
    this.#lines = new ConversationLines({
      cancelled: (conversation) => this.#publish('cancel', { conversation_id: conversation }),
      presence: (conversation, device, online) => this.#publish('presence', { conversation_id: conversation, device_id: device, online }),
    });
    const home = () => conversationId ?? this.#lines.conversationIds[0] ?? '';
    this.#methods = new ServerMethods({
      version,
      agents: async (refresh, signal) => {
        if (refresh) await this.#lines.askTools(home(), signal);
        return servedAgents(this.#lines, home(), name);
      },
      endpoints: () => ({ ...this.#endpoints }),
    });
    this.#server = new RpcServer(this.#methods.answer);
  }

  get connect(): (options: ConnectionOptions) => AgentConnection {
    return this.#lines.connect;
  }

  /** Listens on one more address; returns it with the port that it got. @throws what the platform says */
  async listen(address: ServerAddress): Promise<ServerAddress> {
    const bound = await this.#server.listen(address);
    if (bound.kind === 'unix') this.#endpoints.unix ??= bound.path;
    else this.#endpoints.tcp ??= addressText(bound).slice('tcp://'.length);
    return bound;
  }

  /** Tells subscribers of everything that users write. */
  serve(agent: LineUpAgent): void {
    agent.onText((chat, { id, payload }) => this.#tell(chat, { message_id: id, type: 'text', text: payload.content }));
    agent.onImage(async (chat, { id, payload }) => {
      const content = payload.file_id === undefined ? { url: payload.url } : await this.#content(chat, payload.file_id);
      await this.#tell(chat, { message_id: id, type: 'image', text: payload.caption ?? '', ...content });
    });
    agent.onFile(async (chat, { id, payload }) => {
      await this.#tell(chat, { message_id: id, type: 'file', name: payload.name, ...(await this.#content(chat, payload.file_id)) });
    });
  }

  async close(): Promise<void> {
    this.#methods.close();
    await this.#server.close();
  }

  async #content({ conversationId }: Chat, fileId: string): Promise<JsonObject> {
    const content = await this.#lines.download(conversationId, fileId);
    return { mime_type: content.type, base64: Buffer.from(await content.arrayBuffer()).toString('base64') };
  }

  async #tell(chat: Chat, message: JsonObject): Promise<void> {
    if (this.#publish('message', { conversation_id: chat.conversationId, ...message }) > 0) return;
    await chat.fail('nobody_listens', 'No program listens for messages right now. Send it again later.', true);
  }

  #publish(event: string, data: JsonObject): number {
    return this.#methods.publish(ANY_DEVICE, event, data);
  }
}
