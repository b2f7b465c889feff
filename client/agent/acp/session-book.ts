/** Which session of the agent belongs to which conversation, and what the agent was given last: in a file, since both outlive the process. */
import { writeFileAtomically } from '../../core/atomic-file.ts';
import { readIfThere } from '../private-file.ts';

/** What is known of one conversation. */
interface Entry {
  sessionId?: string;
  /** The message that the agent was given and has not finished with. */
  working_on?: string;
  /** The messages that it has finished with, the newest last. */
  finished?: string[];
}

/** A process that ends may not have kept how far it had read; no more messages than this come again. */
const MAX_FINISHED = 100;

/** The sessions of one agent program. */
export class SessionBook {
  readonly #path: string;
  readonly #command: string;
  readonly #entries: Map<string, Entry>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, command: string, entries: Map<string, Entry>) {
    this.#path = path;
    this.#command = command;
    this.#entries = entries;
  }

  /** Reads the book of earlier processes. One of another program, or one that cannot be read, is as good as none. */
  static async open(path: string, command: readonly string[]): Promise<SessionBook> {
    const name = JSON.stringify(command);
    return new SessionBook(path, name, parse(await readIfThere(path), name));
  }

  sessionOf(conversationId: string): string | undefined {
    return this.#entries.get(conversationId)?.sessionId;
  }

  /** The message that the agent was at when the last process ended, or is at now. */
  workingOn(conversationId: string): string | undefined {
    return this.#entries.get(conversationId)?.working_on;
  }

  /** Whether the agent has finished with a message: it may come again after a restart, and is not to be done again. */
  hasFinished(conversationId: string, message: string): boolean {
    return this.#entries.get(conversationId)?.finished?.includes(message) ?? false;
  }

  /** The agent has finished with a message, or will never be asked to again; kept when the promise resolves. */
  finish(conversationId: string, message: string): Promise<void> {
    const { working_on: _, finished = [], ...rest } = this.#entries.get(conversationId) ?? {};
    return this.#put(conversationId, { ...rest, finished: [...finished, message].slice(-MAX_FINISHED) });
  }

  /** Adds to what is known of a conversation; kept when the promise resolves. */
  set(conversationId: string, change: Pick<Entry, 'sessionId' | 'working_on'>): Promise<void> {
    return this.#put(conversationId, { ...this.#entries.get(conversationId), ...change });
  }

  #put(conversationId: string, entry: Entry): Promise<void> {
    this.#entries.set(conversationId, entry);
    const write = () => writeFileAtomically(this.#path, JSON.stringify({ command: this.#command, conversations: Object.fromEntries(this.#entries) }));
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}

function parse(text: string | null, command: string): Map<string, Entry> {
  if (text === null) return new Map();
  try {
    const book = JSON.parse(text) as { command: string; conversations: Record<string, Entry> };
    return book.command === command ? new Map(Object.entries(book.conversations)) : new Map();
  } catch {
    return new Map();
  }
}
