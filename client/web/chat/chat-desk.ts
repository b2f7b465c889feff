/** What goes on around one conversation on the screen: where somebody was brought to, the menu of a message, what is being answered. */
import { createContext, useContext, useEffect } from 'react';
import type { Entry } from '../model/entry.ts';
import { Observable } from '../store/observable.ts';

export interface ChatDeskView {
  /** The key of the row that somebody was just brought to. */
  found: string | null;
  /** The message whose menu is open, and where in the window it was asked for. */
  menu: { entry: Entry; x: number; y: number } | null;
  /** The message that the next text answers. */
  replyTo: Entry | null;
  /** A text that goes back into the field. */
  takenBack: string | null;
  /** Whether the search is open. */
  finding: boolean;
  /** The text that is shown whole, to be selected from. */
  selecting: string | null;
}

/** How long a row stands out after somebody was brought to it, in ms. */
const FOUND_MS = 2_000;

/** See the file's head. */
export class ChatDesk {
  readonly view: Observable<ChatDeskView>;
  #now: ChatDeskView = { found: null, menu: null, replyTo: null, takenBack: null, finding: false, selecting: null };
  #bring: ((key: string) => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.view = new Observable(
      () => this.#now,
      (run) => run(),
    );
  }

  /** The timeline says how it brings a row into view. Returns how it takes that back. */
  readonly onReveal = (bring: (key: string) => void): (() => void) => {
    this.#bring = bring;
    return () => {
      if (this.#bring === bring) this.#bring = null;
    };
  };

  /** Brings a row into view and lets it stand out for a moment. */
  reveal(key: string): void {
    this.set({ found: key, finding: false });
    this.#bring?.(key);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.set({ found: null }), FOUND_MS);
  }

  set(change: Partial<ChatDeskView>): void {
    this.#now = { ...this.#now, ...change };
    this.view.changed();
  }
}

const Desk = createContext<ChatDesk | null>(null);

export const ChatDeskProvider = Desk.Provider;

export function useChatDesk(): ChatDesk {
  const desk = useContext(Desk);
  if (desk === null) throw new Error('Used outside of ChatDeskProvider.');
  return desk;
}

/** ⌘K, or Ctrl+K, opens the search. */
export function useFindKey(desk: ChatDesk): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      desk.set({ finding: true });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [desk]);
}
