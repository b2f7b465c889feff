/** Between the devices and an AstrBot that runs already: each conversation is a session of its HTTP chat API. */
import { join } from 'node:path';
import type { Chat } from '../chat.ts';
import type { LineUpAgent } from '../lineup-agent.ts';
import { makePrivateFolder } from '../private-file.ts';
import { ConversationLines } from '../acp/conversation-lines.ts';
import { once } from '../acp/once.ts';
import type { PromptMessage } from '../acp/prompt-content.ts';
import { BOOKS, SessionBook } from '../acp/session-book.ts';
import { isMessage } from '../../core/frames.ts';
import { AstrBotError, ChatApi, type AttachmentType, type ChatApiOptions, type Segment } from './chat-api.ts';

/** Something of an answer that is not text. Without an id it cannot be fetched, and only its name is known. */
interface Attachment {
  type: AttachmentType;
  name: string;
  id?: string;
}

/** See the file's head. */
export class ChatBridge {
  /** Give its `connect` to the agent. */
  readonly lines = new ConversationLines();
  readonly #api: ChatApi;
  readonly #book: SessionBook;

  private constructor(api: ChatApi, book: SessionBook) {
    this.#api = api;
    this.#book = book;
  }

  /**
   * @param folder the folder of the LineUp agent
   * @param note says a line to the person at this machine
   */
  static async open(folder: string, options: ChatApiOptions, note: (text: string) => void): Promise<ChatBridge> {
    await makePrivateFolder(folder);
    return new ChatBridge(new ChatApi(options), await SessionBook.open(join(folder, BOOKS.astrbot), ['astrbot', options.url], note));
  }

  serve(agent: LineUpAgent): void {
    const pass = (chat: Chat, message: PromptMessage) =>
      once(
        { title: 'AstrBot', book: this.#book, lines: this.lines },
        chat,
        message,
        async (handOver) => {
          // What was attached and never said does no harm, so it need not be remembered.
          const said = await this.#wordsOf(chat, message);
          await handOver({});
          await this.#answer(chat, said);
        },
        (error) => failed(chat, error),
      );
    agent.onText(pass).onImage(pass).onFile(pass);
  }

  async #wordsOf(chat: Chat, message: PromptMessage): Promise<string | Segment[]> {
    if (isMessage(message, 'text')) return message.payload.content;
    if (isMessage(message, 'image')) {
      const { file_id, url, caption = '', alt = '' } = message.payload;
      if (file_id === undefined) return [caption, url].filter((part) => part !== '').join('\n');
      return this.#attached(chat, file_id, alt || 'image', caption);
    }
    return this.#attached(chat, message.payload.file_id, message.payload.name, '');
  }

  async #attached(chat: Chat, fileId: string, name: string, caption: string): Promise<Segment[]> {
    const content = await chat.download(fileId);
    // AstrBot keeps files by their names: two of one name must not become one.
    const attachment = await this.#api.attach(content, `${fileId}_${name}`, chat.signal);
    return caption === '' ? [attachment] : [{ type: 'plain', text: caption }, attachment];
  }

  async #answer(chat: Chat, said: string | Segment[]): Promise<void> {
    const attachments: Attachment[] = [];
    await chat.stream(this.#words(chat, said, attachments));
    for (const attachment of attachments) await this.#show(chat, attachment);
  }

  async *#words(chat: Chat, said: string | Segment[], attachments: Attachment[]): AsyncGenerator<string> {
    const { conversationId, signal } = chat;
    let isSaid = false;
    for await (const event of this.#api.chat(said, this.#book.sessionOf(conversationId), signal)) {
      if (event.kind === 'session') await this.#book.set(conversationId, { sessionId: event.id });
      if (event.kind === 'attachment') attachments.push({ type: event.type, name: event.name });
      if (event.kind === 'saved') attachments.splice(-1, 1, ...attachments.slice(-1).map((last) => ({ ...last, id: event.id })));
      if (event.kind === 'error') throw new AstrBotError(event.message.slice(0, 500));
      if (event.kind !== 'text' && event.kind !== 'complete') continue;
      // The last event repeats what was streamed.
      if (event.text === '' || (event.kind === 'complete' && isSaid)) continue;
      isSaid = true;
      yield event.text;
    }
  }

  async #show(chat: Chat, { type, name, id }: Attachment): Promise<void> {
    if (id === undefined) {
      // It lies on AstrBot's machine, which a phone cannot reach: the user is told where.
      await chat.say(type === 'image' && name.startsWith('https:') ? `![Image](${name})` : `Attachment: \`${name}\``);
      return;
    }
    const content = await this.#api.fetch(id, chat.signal);
    const bytes = new Uint8Array(await content.arrayBuffer());
    const mimeType = content.type || 'application/octet-stream';
    if (type === 'image' && mimeType.startsWith('image/')) return chat.image(bytes, { mimeType, alt: 'An image by the agent' });
    return chat.file(bytes, { name: name || 'file', mimeType });
  }
}

async function failed(chat: Chat, error: unknown): Promise<void> {
  if (!(error instanceof AstrBotError)) throw error;
  await chat.fail('astrbot', error.message, true);
}
