/**
 * Notices: one at a time, each for a while, and only while somebody can see it. An agent that sends many is refused; of what needs the
 * user a conversation has one, the newest.
 */
import { Observable, type Schedule } from '../store/observable.ts';

/** Something to be shown in the page for a while. */
export interface Notice {
  /** `said`: words of an agent's own. `need`: something that waits for the user. */
  kind: 'said' | 'need';
  /** The key of the conversation that it came from, and that a tap leads to. */
  conversation: string;
  /** The conversation's title, where it has one that tells it from the agent's others. */
  place: string | null;
  /** The agent's name: untrusted, like the rest. */
  agent: string;
  title: string;
  body: string;
}

/** How long a notice stays, in ms. */
const SHOWN_MS = 8_000;
/** How many of the agents' own may wait. */
const MOST_WAITING = 3;

export interface ShownNotice extends Notice {
  id: number;
  /** It came while nobody could see the page. */
  missed: boolean;
}

type Which = (notice: Pick<Notice, 'kind' | 'conversation'>) => boolean;

interface NoticesParts {
  visible: () => boolean;
  /** Shows a notice of the system; false where that is not allowed. */
  outside: (notice: Notice) => boolean;
  /** Takes notices of the system away. */
  takeBack: (which: Which) => void;
  schedule?: Schedule;
}

export class Notices {
  readonly view: Observable<ShownNotice | null>;
  readonly #parts: NoticesParts;
  #queue: ShownNotice[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  constructor(parts: NoticesParts) {
    this.#parts = parts;
    this.view = new Observable(() => (parts.visible() ? (this.#queue[0] ?? null) : null), parts.schedule);
  }

  /** Shows a notice as soon as the ones before it are gone and somebody looks, or outside of the page. False when too many wait. */
  readonly show = (notice: Notice): boolean => {
    const missed = !this.#parts.visible();
    if (missed && this.#parts.outside(notice)) return true;
    const fresh = { ...notice, id: ++this.#count, missed };
    const earlier = this.#queue.findIndex(
      ({ kind, conversation }) => kind === 'need' && notice.kind === 'need' && conversation === notice.conversation,
    );
    if (earlier >= 0) this.#queue[earlier] = fresh;
    else if (notice.kind === 'said' && this.#queue.filter(({ kind }) => kind === 'said').length > MOST_WAITING) return false;
    else this.#queue.push(fresh);
    if (this.#queue[0] === fresh) this.#begin();
    return true;
  };

  /** Takes the one on the screen away. */
  close(id: number): void {
    if (this.#queue[0]?.id !== id) return;
    this.#queue.shift();
    this.#begin();
  }

  /** A conversation needs nobody any more, or is looked at. */
  forget(conversation: string): void {
    this.#takeBack((notice) => notice.kind === 'need' && notice.conversation === conversation);
  }

  /** Nothing is said any more of conversations that are gone. */
  keepOnly(isThere: (conversation: string) => boolean): void {
    this.#takeBack((notice) => !isThere(notice.conversation));
  }

  #takeBack(which: Which): void {
    this.#parts.takeBack(which);
    const left = this.#queue.filter((notice) => !which(notice));
    if (left.length === this.#queue.length) return;
    const first = this.#queue[0];
    this.#queue = left;
    if (left[0] !== first) this.#begin();
  }

  /** The page came into view, or went out of it. */
  pageChanged(): void {
    this.#begin();
  }

  /** Shows the first one, and counts its time from now. */
  #begin(): void {
    clearTimeout(this.#timer);
    const [first] = this.#queue;
    if (first && this.#parts.visible()) this.#timer = setTimeout(() => this.close(first.id), SHOWN_MS);
    this.view.changed();
  }
}
