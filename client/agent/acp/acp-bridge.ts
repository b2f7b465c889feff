/** Between the devices and an agent that speaks the Agent Client Protocol: each conversation is a session, each message a prompt. */
import type { StopReason } from '@agentclientprotocol/sdk';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chat } from '../chat.ts';
import { Deferred } from '../deferred.ts';
import type { LineUpAgent } from '../lineup-agent.ts';
import { makePrivateFolder } from '../private-file.ts';
import { AcpAgent, AgentUnusable, whyNot, type AcpAgentOptions, type SessionListener } from './acp-agent.ts';
import type { CallEnding, ConversationLines, ToolRequest } from './conversation-lines.ts';
import { elicit } from './elicitation.ts';
import { once, type HandOver } from './once.ts';
import { askPermission } from './permission.ts';
import { promptOf, type PromptMessage } from './prompt-content.ts';
import { BOOKS, SessionBook } from './session-book.ts';
import { Turn } from './turn.ts';

/** What a bridge stands on. */
export interface AcpBridgeOptions extends Omit<AcpAgentOptions, 'on'> {
  /** Its name in sentences for the user. */
  title: string;
  /** How to get the program when it is not there, as one sentence. */
  install?: string;
  /** The folder of the LineUp agent. */
  folder: string;
  lines: ConversationLines;
  /** Says a line to the person at this machine. */
  note: (text: string) => void;
}

/** How long an agent may take to end a turn that the user stopped, in ms. */
const STOP_PATIENCE_MS = 10_000;
/** How long the last words may take to reach the relay, in ms. */
const LAST_WORDS_MS = 5_000;

const UNUSUAL_ENDS: Partial<Record<StopReason, string>> = {
  max_tokens: 'The answer ends here: the model gave as much as it may.',
  max_turn_requests: 'The agent stopped here: it asked its model as often as it may. Say "continue" to let it go on.',
  refusal: 'The agent refuses to answer this.',
};

/** See the file's head. Made by {@link open}, told of an agent by {@link serve}. */
export class AcpBridge {
  readonly #options: AcpBridgeOptions;
  readonly #book: SessionBook;
  readonly #agent: AcpAgent;
  readonly #turns = new Map<string, Turn>();
  readonly #unusable = new Deferred<AgentUnusable>();
  /** Where the user was last; what goes wrong between two prompts is told there. */
  #lastConversation: string | undefined;
  #hasToldOfCrash = false;

  private constructor(options: AcpBridgeOptions, book: SessionBook) {
    this.#options = options;
    this.#book = book;
    this.#agent = new AcpAgent({
      ...options,
      on: {
        ready: (name) => {
          this.#hasToldOfCrash = false;
          options.note(`${name ?? options.title} is ready`);
        },
        crashed: (end) => void this.#crashed(end),
        gaveUp: (error) => void this.#gaveUp(error),
        noise: (line) => options.note(`${options.title} printed: ${line.slice(0, 500)}`),
      },
    });
  }

  /** Reads what earlier processes left behind. */
  static async open(options: AcpBridgeOptions): Promise<AcpBridge> {
    await makePrivateFolder(options.folder);
    return new AcpBridge(options, await SessionBook.open(join(options.folder, BOOKS.acp), options.command, options.note));
  }

  /** Resolves when the agent can not be used; the devices know it then. */
  get unusable(): Promise<AgentUnusable> {
    return this.#unusable.promise;
  }

  /** Lets the agent answer everything that devices send. */
  serve(agent: LineUpAgent): void {
    agent.onText((chat, message) => this.#prompt(chat, message));
    agent.onImage((chat, message) => this.#prompt(chat, message));
    agent.onFile((chat, message) => this.#prompt(chat, message));
  }

  /** Starts the agent's process. */
  start(): void {
    this.#agent.start();
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #prompt(chat: Chat, message: PromptMessage): Promise<void> {
    const { conversationId } = chat;
    this.#lastConversation = conversationId;
    const { title, lines } = this.#options;
    await once(
      { title, lines, book: this.#book },
      chat,
      message,
      (handOver) => this.#turn(chat, message, handOver),
      (error) => chat.fail('agent_error', whyNot(error), true),
    );
  }

  async #turn(chat: Chat, message: PromptMessage, handOver: HandOver): Promise<void> {
    const { conversationId, signal } = chat;
    const { lines, folder } = this.#options;
    const turn = new Turn(chat, (event, data) => lines.sendNow(conversationId, 'agent.event', { event, data }));
    const { promptCapabilities = {} } = await this.#agent.capabilities(signal);
    const source = { download: (fileId: string) => lines.download(conversationId, fileId), folder: join(folder, 'incoming') };
    const prompt = await promptOf(message, promptCapabilities, source);
    const { sessionId, isLost, prompt: give } = await this.#agent.session(this.#book.sessionOf(conversationId), this.#listener(turn), signal);
    if (isLost) await chat.fail('session_lost', `${this.#options.title} does not know any more what was said before. This is a new session.`);
    await handOver({ sessionId });
    this.#turns.set(conversationId, turn);
    try {
      const reason = await endingSoonAfter(signal, give(prompt));
      await turn.end();
      signal.throwIfAborted();
      const words = UNUSUAL_ENDS[reason];
      if (words !== undefined) await chat.fail(`agent_${reason}`, words);
    } catch (error) {
      // What was said until here stays said.
      await turn.end().catch(() => undefined);
      throw error;
    } finally {
      this.#turns.delete(conversationId);
    }
  }

  #listener(turn: Turn): SessionListener {
    const { conversationId, signal } = turn.chat;
    const ask = async (request: ToolRequest, cancelled: AbortSignal): Promise<CallEnding> => {
      turn.status('Waits for your answer');
      return this.#options.lines.call(conversationId, request, { signal: AbortSignal.any([signal, cancelled]) });
    };
    return {
      update: (update) => turn.update(update),
      permission: async (request, cancelled) => {
        const asked = askPermission(request);
        return asked ? asked.read(await ask(asked.request, cancelled)) : { outcome: { outcome: 'cancelled' } };
      },
      elicitation: (message, schema, cancelled) => elicit(message, schema, (request) => ask(request, cancelled)),
    };
  }

  async #crashed(end: string): Promise<void> {
    const { title, note } = this.#options;
    note(`${title} ended (${end}), starting it again`);
    // Whoever has a prompt open hears of it there; others hear of the first crash in a row.
    if (this.#turns.size > 0 || this.#hasToldOfCrash) return;
    this.#hasToldOfCrash = true;
    await this.#tell('agent_stopped', `${title} ended (${end}). It is being started again.`);
  }

  async #gaveUp(error: AgentUnusable): Promise<void> {
    const { title, install } = this.#options;
    const why = `${title} cannot be used: ${error.message}${install === undefined ? '' : `. ${install}`}`;
    await this.#tell('agent_unusable', `${why}.`);
    this.#unusable.resolve(new AgentUnusable(why));
  }

  async #tell(code: string, message: string): Promise<void> {
    const conversationId = this.#lastConversation ?? this.#options.lines.conversationIds[0];
    if (conversationId === undefined) return;
    try {
      const { arrived } = await this.#options.lines.send(conversationId, 'error', { code, message, retryable: false });
      await Promise.race([arrived, delay(LAST_WORDS_MS, undefined, { ref: false })]);
    } catch (error) {
      this.#options.note(`the devices cannot be told: ${whyNot(error)}`);
    }
  }
}

/** The same promise; once the signal is aborted, it is waited for a while only. */
async function endingSoonAfter<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const late = new Deferred<never>();
  let timer: NodeJS.Timeout | undefined;
  const start = () => (timer = setTimeout(() => late.reject(signal.reason), STOP_PATIENCE_MS));
  signal.addEventListener('abort', start, { once: true });
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    signal.removeEventListener('abort', start);
    clearTimeout(timer);
  }
}
