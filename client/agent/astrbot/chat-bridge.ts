/** Between the devices and an AstrBot that runs already: each conversation is a session of its HTTP chat API. */
import { join } from 'node:path';
import type { Chat } from '../chat.ts';
import type { LineUpAgent } from '../lineup-agent.ts';
import { makePrivateFolder } from '../private-file.ts';
import { ConversationLines } from '../acp/conversation-lines.ts';
import { once } from '../acp/once.ts';
import { SessionBook } from '../acp/session-book.ts';
import { AstrBotError, ChatApi, type ChatApiOptions } from './chat-api.ts';

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

  /** @param folder the folder of the LineUp agent */
  static async open(folder: string, options: ChatApiOptions): Promise<ChatBridge> {
    await makePrivateFolder(folder);
    return new ChatBridge(new ChatApi(options), await SessionBook.open(join(folder, 'astrbot-sessions.json'), ['astrbot', options.url]));
  }

  serve(agent: LineUpAgent): void {
    agent.onText((chat, message) =>
      once(
        { title: 'AstrBot', book: this.#book, lines: this.lines },
        chat,
        message,
        async (handOver) => {
          await handOver({});
          await this.#answer(chat, message.payload.content);
        },
        (error) => failed(chat, error),
      ),
    );
    const textOnly = (chat: Chat) => chat.fail('text_only', "AstrBot's chat API is given text alone here: this was not passed on.");
    agent.onImage(textOnly);
    agent.onFile(textOnly);
  }

  async #answer(chat: Chat, message: string): Promise<void> {
    const images: string[] = [];
    await chat.stream(this.#words(chat, message, images));
    // They lie on AstrBot's machine, which a phone cannot reach: it is told where.
    for (const url of images) await chat.say(url.startsWith('https:') ? `![Image](${url})` : `Image: \`${url}\``);
  }

  async *#words(chat: Chat, message: string, images: string[]): AsyncGenerator<string> {
    const { conversationId, signal } = chat;
    let isSaid = false;
    for await (const event of this.#api.chat(message, this.#book.sessionOf(conversationId), signal)) {
      if (event.kind === 'session') await this.#book.set(conversationId, { sessionId: event.id });
      if (event.kind === 'image') images.push(event.url);
      if (event.kind === 'error') throw new AstrBotError(event.message.slice(0, 500));
      if (event.kind !== 'text' && event.kind !== 'complete') continue;
      // The last event repeats what was streamed.
      if (event.text === '' || (event.kind === 'complete' && isSaid)) continue;
      isSaid = true;
      yield event.text;
    }
  }
}

async function failed(chat: Chat, error: unknown): Promise<void> {
  if (!(error instanceof AstrBotError)) throw error;
  await chat.fail('astrbot', error.message, true);
}
