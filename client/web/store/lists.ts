/** Which conversations there are: the rows follow what the relay lists, and of what is gone there nothing is kept here. */
import type { ConversationInfo } from '../../../src/protocol/http.ts';
import { activity, type ConversationRows } from './conversation-rows.ts';
import type { LocalStore } from './local-store.ts';
import type { Observable } from './observable.ts';
import type { Pairing, PairingBook } from './pairings.ts';
import { ReadMark } from './read-mark.ts';
import { rethrowUnlessTrouble } from './trouble.ts';

interface ListsParts {
  local: LocalStore;
  book: PairingBook;
  rows: ConversationRows;
  around: {
    conversations(pairing: Pairing): Promise<ConversationInfo[]>;
    /** Forgets what is kept of a conversation outside of the local store. */
    forget(pairing: Pairing, conversationId: string): Promise<void>;
  };
  /** What shows the rows. */
  view: Pick<Observable<unknown>, 'changed' | 'flush'>;
}

/**
 * So many conversations of an agent, the most recent ones, are kept connected without being opened. A socket of a conversation that
 * sleeps costs the relay nothing, while asking for the list wakes every conversation: so they are listened to, and the list is asked for
 * only when something may have been missed.
 */
const KEPT_CONVERSATIONS = 24;

/** See the file's head. */
export class Lists {
  readonly #parts: ListsParts;
  /** Pairings whose list was asked for: what comes up after that is new. */
  readonly #listed = new Set<string>();
  readonly #asking = new Map<string, { again: boolean; done: Promise<void> }>();
  /** Pairings that were made here a moment ago: what was said before that is nothing new to this device. */
  readonly #justPaired = new Set<string>();

  constructor(parts: ListsParts) {
    this.#parts = parts;
  }

  /** A pairing was made here. */
  paired(key: string): void {
    this.#justPaired.add(key);
  }

  /** Asks again which conversations there are; once more afterwards, however often it is asked for meanwhile. Resolves after the last. */
  refresh(pairing: Pairing): Promise<void> {
    const known = this.#asking.get(pairing.key);
    if (known) {
      known.again = true;
      return known.done;
    }
    const asking = { again: false, done: Promise.resolve() };
    this.#asking.set(pairing.key, asking);
    asking.done = this.#askWhile(pairing, asking);
    return asking.done;
  }

  /** Every conversation of an agent that was ever heard of and not forgotten, also by earlier pages. */
  known(pairing: Pairing): string[] {
    const { rows, local } = this.#parts;
    const here = rows.all.filter((row) => row.pairing.key === pairing.key).map(({ info }) => info.conversation_id);
    return [...new Set([...here, ...local.readJson(listKey(pairing), isTexts, [])])];
  }

  /** These conversations are gone for good, and with them what is kept of them here. */
  async forget(pairing: Pairing, ids: readonly string[]): Promise<void> {
    const { rows, local, around, view } = this.#parts;
    if (ids.length === 0) return;
    const closed = rows.close((row) => row.pairing.key === pairing.key && ids.includes(row.info.conversation_id));
    this.#beginElsewhere(pairing.key);
    // Whoever shows one would go on noting what was read of it.
    view.flush();
    await closed;
    await Promise.all(ids.map((id) => around.forget(pairing, id)));
    for (const id of ids) local.forget(id);
    this.#note(
      pairing,
      this.known(pairing).filter((id) => !ids.includes(id)),
    );
  }

  async #askWhile(pairing: Pairing, asking: { again: boolean }): Promise<void> {
    try {
      do {
        asking.again = false;
        await this.#ask(pairing);
      } while (asking.again);
    } finally {
      this.#asking.delete(pairing.key);
    }
  }

  async #ask(pairing: Pairing): Promise<void> {
    const { rows, book, local, around, view } = this.#parts;
    // One that is made while the relay answers may not be in its answer.
    const before = this.known(pairing);
    try {
      const conversations = await around.conversations(pairing);
      const current = book.find(pairing.key);
      if (!current || current.deviceId !== pairing.deviceId) return;
      if (this.#justPaired.delete(pairing.key)) {
        for (const { conversation_id, head_seq } of conversations) new ReadMark(local, conversation_id).advance(head_seq);
      }
      const there = conversations.toSorted((a, b) => activity(b).localeCompare(activity(a))).map((info) => rows.ensure(current, info));
      for (const row of there.slice(0, KEPT_CONVERSATIONS)) rows.connect(row.key, this.#listed.has(pairing.key));
      this.#listed.add(pairing.key);
      const listed = conversations.map((info) => info.conversation_id);
      const gone = before.filter((id) => !listed.includes(id));
      await this.forget(pairing, gone);
      this.#note(pairing, listed);
      this.#beginElsewhere(pairing.key);
    } catch (error) {
      // What is known stays on the screen; the next connection or visit asks again.
      rethrowUnlessTrouble(error);
    }
    view.changed();
  }

  /** For later pages, unless the user has left meanwhile. */
  #note(pairing: Pairing, ids: readonly string[]): void {
    const { book, local } = this.#parts;
    if (book.find(pairing.key)?.deviceId === pairing.deviceId) local.write(listKey(pairing), JSON.stringify(ids));
  }

  /** A pairing begins with a conversation that is there. */
  #beginElsewhere(key: string): void {
    const { book, rows } = this.#parts;
    const pairing = book.find(key);
    const there = rows.all.filter((row) => row.pairing.key === key).map(({ info }) => info.conversation_id);
    if (pairing && !there.includes(pairing.conversationId ?? '')) book.update(key, { conversationId: there[0] ?? null });
  }
}

function listKey({ key }: Pairing): string {
  return `listed.${key}`;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
