/**
 * Sees to it that the user learns what needs them: a number on the app's icon, and a notice for what is new and not before their eyes.
 * What waited already when the page was opened is in the list and in the title, and is no news.
 */
import type { TFunction } from 'i18next';
import type { Notice } from './notices.ts';
import type { Need } from '../model/need.ts';
import type { AppStore } from '../store/app-store.ts';
import type { ConversationRow } from '../store/conversation-rows.ts';
import { needWords } from './need-words.ts';

export interface AttentionParts {
  app: Pick<AppStore, 'view' | 'screen'>;
  notices: { show(notice: Notice): boolean; forget(conversation: string): void; keepOnly(isThere: (conversation: string) => boolean): void };
  badge: (count: number) => void;
  /** Whether somebody can see the page. */
  visible: () => boolean;
  /** Whether the list is on the screen. */
  listed: () => boolean;
  t: TFunction;
}

/** See the file's head. */
export class Attention {
  readonly #parts: AttentionParts;
  /** What is known to need the user, by conversation. */
  readonly #known = new Map<string, ReadonlySet<string>>();
  /** Which of that the notice of a conversation is about. */
  readonly #told = new Map<string, string>();
  /** The conversations that there were at the last look. */
  #rows: ReadonlySet<string> = new Set();
  #counted = 0;

  constructor(parts: AttentionParts) {
    this.#parts = parts;
  }

  /** Begins to watch; goes on as long as the page lives. */
  start(): void {
    const { app, notices } = this.#parts;
    app.view.subscribe(() => this.#look());
    app.screen.subscribe(() => {
      const key = app.screen.get();
      if (key !== null) notices.forget(key);
    });
    this.#look();
  }

  #look(): void {
    const { app, badge, notices } = this.#parts;
    const { rows, needing, pairings } = app.view.get();
    for (const row of rows) this.#lookAt(row);
    const keys = new Set(rows.map(({ key }) => key));
    const gone = new Set([...this.#rows].filter((key) => !keys.has(key)));
    for (const key of gone) {
      this.#known.delete(key);
      this.#told.delete(key);
    }
    this.#rows = keys;
    // Of an agent that is unpaired more conversations may be gone than were ever listed here.
    if (gone.size > 0) notices.keepOnly((key) => !gone.has(key) && pairings.some((pairing) => key.startsWith(`${pairing.key}|`)));
    if (needing === this.#counted) return;
    this.#counted = needing;
    badge(needing);
  }

  #lookAt({ key, store, late }: ConversationRow): void {
    const { needs, synced, agent, title } = store.view.get();
    // What is restored comes before that, and is told together.
    if (!synced) return;
    const known = this.#known.get(key);
    const ids = new Set(needs.map(({ id }) => id));
    this.#known.set(key, ids);
    const told = this.#told.get(key);
    // At first, too: a page of long ago may have told what was answered since.
    const isOver = told === undefined ? ids.size === 0 && known?.size !== 0 : !ids.has(told);
    if (isOver) {
      this.#told.delete(key);
      this.#parts.notices.forget(key);
    }
    const news = needs.findLast((need) => (known ? !known.has(need.id) : late) && !this.#isSeen(key, need));
    if (!news) return;
    this.#told.set(key, news.id);
    this.#parts.notices.show({
      kind: 'need',
      conversation: key,
      place: title,
      agent: agent.name,
      title: needWords(news, agent.name, this.#parts.t),
      body: '',
    });
  }

  /** A question of the host's own lies above whatever is on the screen; the list says of every conversation that it needs the user. */
  #isSeen(key: string, need: Need): boolean {
    const { visible, listed, app } = this.#parts;
    return visible() && (need.kind === 'capability' || app.screen.get() === key || listed());
  }
}
