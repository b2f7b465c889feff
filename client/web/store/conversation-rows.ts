/** The conversations in the list: opened, connected when they are wanted, sorted by what was said last, and which of them is on the screen. */
import type { ConversationInfo } from '../../../src/protocol/http.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { ConversationView } from './conversation-view.ts';
import { Observable } from './observable.ts';
import type { Pairing } from './pairings.ts';

/** What an open conversation tells the app, and is told by it. */
export interface OpenConversation {
  stopped(reason: string): void;
  listChanged(): void;
  /** Whether it is the one on the screen. */
  onScreen: Pick<Observable<boolean>, 'get' | 'subscribe'>;
}

/** A conversation in the list. */
export interface ConversationRow {
  key: string;
  pairing: Pairing;
  info: Pick<ConversationInfo, 'conversation_id' | 'title' | 'last_message_at'> & { head_seq?: number };
  store: ConversationStore;
  /** Whether the store knows more than the list: it was shown, or is among the most recent. */
  connected: boolean;
  /** It came up while the page was open: what needs the user in it is news. */
  late: boolean;
}

interface RowsParts {
  /** Opens a conversation; it is not started yet. */
  open(pairing: Pairing, info: ConversationRow['info'], on: OpenConversation): ConversationStore;
  /** The list would say something else. */
  changed(): void;
  stopped(pairing: Pairing, key: string, reason: string): void;
  /** Conversations came or went. */
  listChanged(pairing: Pairing): void;
}

/** See the file's head. */
export class ConversationRows {
  /** The key of the conversation on the screen. */
  readonly screen: Observable<string | null>;
  readonly #parts: RowsParts;
  readonly #rows = new Map<string, ConversationRow>();
  #shown: string | null = null;

  constructor(parts: RowsParts) {
    this.#parts = parts;
    this.screen = new Observable(
      () => this.#shown,
      (run) => run(),
    );
  }

  /** The one in which something was said last comes first. */
  get all(): ConversationRow[] {
    const rows = [...this.#rows.values()].map((row) => ({ row, at: activityOf(row) }));
    return rows.sort((a, b) => b.at.localeCompare(a.at)).map(({ row }) => row);
  }

  get(key: string): ConversationRow | undefined {
    return this.#rows.get(key);
  }

  /** Makes a row what the relay says of it; one that is not there is opened. */
  ensure(pairing: Pairing, info: ConversationRow['info']): ConversationRow {
    const key = `${pairing.key}|${info.conversation_id}`;
    const known = this.#rows.get(key);
    const row = known ? { ...known, pairing, info } : { key, pairing, info, store: this.#open(key, pairing, info), connected: false, late: false };
    this.#rows.set(key, row);
    return row;
  }

  /** Connects a conversation, once. @param late whether what needs the user in it is news */
  connect(key: string, late = false): void {
    const row = this.#rows.get(key);
    if (!row || row.connected) return;
    this.#rows.set(key, { ...row, connected: true, late });
    row.store.start();
    this.#parts.changed();
  }

  /** This one is on the screen now, and connected; null when none is. */
  show(key: string | null): void {
    if (key !== null) this.connect(key);
    if (this.#shown === key) return;
    this.#shown = key;
    this.screen.changed();
  }

  /** Takes rows away and closes their connections. */
  async close(which: (row: ConversationRow) => boolean): Promise<void> {
    const closing = this.all.filter(which);
    for (const { key } of closing) this.#rows.delete(key);
    await Promise.all(closing.map(({ store }) => store.close()));
  }

  /** Another tab noted that something was read. */
  readElsewhere(): void {
    for (const { store } of this.#rows.values()) store.view.changed();
  }

  #open(key: string, pairing: Pairing, info: ConversationRow['info']): ConversationStore {
    const store = this.#parts.open(pairing, info, {
      stopped: (reason) => this.#parts.stopped(pairing, key, reason),
      listChanged: () => this.#parts.listChanged(pairing),
      onScreen: { get: () => this.#shown === key, subscribe: this.screen.subscribe },
    });
    // Told when the list would say something else, and not with every letter that is written.
    let said = '';
    store.view.subscribe(() => {
      const says = traceOf(store.view.get());
      if (says !== said) this.#parts.changed();
      said = says;
    });
    return store;
  }
}

/** When something was last said in a conversation, or when it was made; ISO 8601 in UTC, which sorts as text. */
export function activity(info: { last_message_at: string | null; created_at?: string }): string {
  return info.last_message_at ?? info.created_at ?? '';
}

function activityOf({ info, store }: Pick<ConversationRow, 'info' | 'store'>): string {
  const last = store.view.get().entries.at(-1)?.ts ?? '';
  return last > activity(info) ? last : activity(info);
}

/** Everything of a conversation that bears on the list, the badge and the title. */
function traceOf({ entries, link, needs, wasOnline, synced }: ConversationView): string {
  return [entries.at(-1)?.ts, link.name, wasOnline, synced, ...needs.map(({ id }) => id)].join(' ');
}
