/** Which session of the agent belongs to which conversation, and what the agent was given last: in a file, since both outlive the process. */
import { writeFileAtomically } from '../../core/atomic-file.ts';
import { failureOf } from '../failure.ts';
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

/**
 * The files of the books in an agent's folder: one for programs that speak the Agent Client Protocol, one for AstrBot. In the third one
 * `acp-connect` has the name of the agent that a conversation belongs to, in a session's place.
 */
export const BOOKS = { acp: 'acp-sessions.json', astrbot: 'astrbot-sessions.json', agents: 'acp-agents.json' } as const;

/** The sessions of one agent program. */
export class SessionBook {
  readonly #path: string;
  readonly #command: string;
  readonly #entries: Map<string, Entry>;
  readonly #note: ((text: string) => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasNoted = false;

  private constructor(path: string, command: string, entries: Map<string, Entry>, note?: (text: string) => void) {
    this.#path = path;
    this.#command = command;
    this.#entries = entries;
    this.#note = note;
  }

  /**
   * Reads the book of earlier processes. One of another program, or one that cannot be read, is as good as none.
   * @param note told once when the book cannot be kept: this process goes on from memory then, since an agent that does not answer is worse
   */
  static async open(path: string, command: readonly string[], note: (text: string) => void): Promise<SessionBook> {
    const name = JSON.stringify(command);
    const book = parse(await readIfThere(path));
    return new SessionBook(path, name, new Map(book?.command === name ? Object.entries(book.conversations) : []), note);
  }

  /**
   * Gives the session of a conversation to one of another LineUp agent: the program is the same, and goes on with what it knows.
   * Nothing happens when there is none, or when the book there is of another program.
   * @returns whether it was given
   */
  static async carry(from: { path: string; conversationId: string }, to: { path: string; conversationId: string }): Promise<boolean> {
    const source = parse(await readIfThere(from.path));
    const sessionId = source?.conversations[from.conversationId]?.sessionId;
    if (!source || sessionId === undefined) return false;
    const there = parse(await readIfThere(to.path));
    if (there && there.command !== source.command) return false;
    await new SessionBook(to.path, source.command, new Map(Object.entries(there?.conversations ?? {}))).set(to.conversationId, { sessionId });
    return true;
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

  /** The agent has finished with a message, or will never be asked to again; kept when the promise resolves, as far as it can be. */
  finish(conversationId: string, message: string): Promise<void> {
    const { working_on: _, finished = [], ...rest } = this.#entries.get(conversationId) ?? {};
    return this.#put(conversationId, { ...rest, finished: [...finished, message].slice(-MAX_FINISHED) });
  }

  /** Adds to what is known of a conversation; kept when the promise resolves, as far as it can be. */
  set(conversationId: string, change: Pick<Entry, 'sessionId' | 'working_on'>): Promise<void> {
    return this.#put(conversationId, { ...this.#entries.get(conversationId), ...change });
  }

  #put(conversationId: string, entry: Entry): Promise<void> {
    this.#entries.set(conversationId, entry);
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    try {
      await writeFileAtomically(this.#path, JSON.stringify({ command: this.#command, conversations: Object.fromEntries(this.#entries) }));
      this.#hasNoted = false;
    } catch (error) {
      if (!this.#note) throw error;
      if (!this.#hasNoted) this.#note(`what the agent was given cannot be stored: ${failureOf(error).message}`);
      this.#hasNoted = true;
    }
  }
}

function parse(text: string | null): { command: string; conversations: Record<string, Entry> } | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as { command: string; conversations: Record<string, Entry> };
  } catch {
    return null;
  }
}
