/** Loads a conversation's history over HTTP (§3): the newest page first, older ones on demand, and what came between a page and the socket. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { HistoryPage } from '../../../src/protocol/http.ts';
import { MAX_PAGE_MESSAGES } from '../../../src/protocol/limits.ts';
import type { HistoryQuery } from '../../core/http.ts';
import { rethrowUnlessTrouble } from './trouble.ts';

/** What a view should know of the history. */
export interface HistoryView {
  state: 'loading' | 'ready' | 'failed';
  /** Whether older messages can be loaded. */
  hasOlder: boolean;
  loadingOlder: boolean;
  /** The last try to load older ones got no answer. */
  olderFailed: boolean;
  /** Everything that is kept is loaded, and it is not everything that was said. */
  trimmed: boolean;
}

/** How a page is fetched. */
export type LoadPage = (query: HistoryQuery) => Promise<HistoryPage<Delivered>>;

/** See the file's head. Every page goes to `take`; a message that comes twice is the taker's to recognise. */
export class History {
  readonly #load: LoadPage;
  readonly #take: (messages: readonly Delivered[]) => void;
  readonly #changed: () => void;
  #view: HistoryView = { state: 'loading', hasOlder: false, loadingOlder: false, olderFailed: false, trimmed: false };
  /** Everything from `#from` up to `#to` has been taken. */
  #from: number | null = null;
  #to = 0;
  #head = 0;
  #filling = false;
  /** Counts resets: an answer that was asked for before one is of another log. */
  #round = 0;

  constructor(load: LoadPage, take: (messages: readonly Delivered[]) => void, changed: () => void) {
    this.#load = load;
    this.#take = take;
    this.#changed = changed;
  }

  get view(): HistoryView {
    return this.#view;
  }

  /** Loads the newest page, unless it is there or on its way. */
  async open(): Promise<void> {
    if (this.#from !== null || (this.#filling && this.#view.state === 'loading')) return;
    const round = this.#round;
    this.#filling = true;
    this.#set({ state: 'loading' });
    try {
      const page = await this.#load({});
      if (round !== this.#round) return;
      this.#take(page.messages);
      this.#from = page.messages[0]?.seq ?? page.head_seq + 1;
      this.#to = page.head_seq;
      this.#set({ state: 'ready', hasOlder: page.has_more, trimmed: !page.has_more && page.oldest_seq > 1 });
    } catch (error) {
      rethrowUnlessTrouble(error);
      // Tried again with the next connection: why it failed is the connection's to tell.
      if (round === this.#round) this.#set({ state: 'failed' });
      return;
    } finally {
      if (round === this.#round) this.#filling = false;
    }
    await this.reach(this.#head);
  }

  /** Takes everything up to `head`, which the socket will not bring: a connection without a cursor begins there (§4). */
  async reach(head: number): Promise<void> {
    this.#head = Math.max(this.#head, head);
    if (this.#from === null || this.#filling) return;
    const round = this.#round;
    this.#filling = true;
    try {
      while (this.#to < this.#head) {
        const page = await this.#load({ after: this.#to, limit: MAX_PAGE_MESSAGES });
        if (round !== this.#round) return;
        this.#take(page.messages);
        this.#to = page.has_more ? (page.messages.at(-1)?.seq ?? this.#head) : this.#head;
        this.#changed();
      }
    } catch (error) {
      rethrowUnlessTrouble(error);
      // The next welcome comes back here with the same or a later head.
    } finally {
      if (round === this.#round) this.#filling = false;
    }
  }

  /** Loads the next older page. */
  async older(): Promise<void> {
    if (this.#from === null || !this.#view.hasOlder || this.#view.loadingOlder) return;
    const round = this.#round;
    this.#set({ loadingOlder: true, olderFailed: false });
    try {
      const page = await this.#load({ before: this.#from, limit: MAX_PAGE_MESSAGES });
      if (round !== this.#round) return;
      this.#take(page.messages);
      this.#from = page.messages[0]?.seq ?? this.#from;
      this.#set({ hasOlder: page.has_more, trimmed: !page.has_more && page.oldest_seq > 1 });
    } catch (error) {
      rethrowUnlessTrouble(error);
      if (round === this.#round) this.#set({ olderFailed: true });
    } finally {
      if (round === this.#round) this.#set({ loadingOlder: false });
    }
  }

  /** Takes what stands at these seqs once more: the relay may know more of it by now. What is no longer kept stays as it is. */
  async again(seqs: readonly number[]): Promise<void> {
    const round = this.#round;
    const left = seqs.toSorted((a, b) => a - b);
    try {
      for (let first = left.shift(); first !== undefined; first = left.shift()) {
        const page = await this.#load({ after: first - 1, limit: 50 });
        if (round !== this.#round) return;
        this.#take(page.messages);
        const reached = page.messages.at(-1)?.seq ?? page.head_seq;
        while ((left[0] ?? Infinity) <= reached) left.shift();
      }
      this.#changed();
    } catch (error) {
      // The next welcome asks for whatever is still not known.
      rethrowUnlessTrouble(error);
    }
  }

  /** The log is another one: begins anew. */
  reset(): void {
    this.#round++;
    this.#from = null;
    this.#to = 0;
    this.#head = 0;
    this.#filling = false;
    this.#set({ state: 'loading', hasOlder: false, loadingOlder: false, olderFailed: false, trimmed: false });
  }

  #set(change: Partial<HistoryView>): void {
    this.#view = { ...this.#view, ...change };
    this.#changed();
  }
}
