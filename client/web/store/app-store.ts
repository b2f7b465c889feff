/** The whole app: which agents it is paired with, their conversations, and which one is on the screen. */
import type { Redeemed } from '../../core/http.ts';
import type { ConversationInfo } from '../../../src/protocol/http.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { LocalStore } from './local-store.ts';
import { nextFrame, Observable, type Schedule } from './observable.ts';
import { PairingBook, type Pairing } from './pairings.ts';
import { rethrowUnlessTrouble, troubleOf, type Trouble } from './trouble.ts';

/** What the app needs from the network; a scripted one stands in for it in fixtures. */
export interface Surroundings {
  redeem(relay: string, code: string, deviceName: string): Promise<Redeemed>;
  conversations(pairing: Pairing): Promise<ConversationInfo[]>;
  create(pairing: Pairing): Promise<ConversationInfo>;
  /** Tells the relay that this device is no longer paired. */
  unpair(pairing: Pairing): Promise<void>;
  /** Opens a conversation; it is not started yet. */
  open(
    pairing: Pairing,
    conversation: Pick<ConversationInfo, 'conversation_id' | 'title'>,
    on: { stopped(reason: string): void; listChanged(): void },
  ): ConversationStore;
  /** Forgets everything that is kept outside of the local store: outboxes. */
  wipe(): Promise<void>;
}

/** A conversation in the list. */
export interface ConversationRow {
  key: string;
  pairing: Pairing;
  info: Pick<ConversationInfo, 'conversation_id' | 'title' | 'last_message_at'>;
  /** Connected once it was shown, or is among the most recent. */
  store: ConversationStore;
}

/** A code that waits for the user's word. */
export interface Invitation {
  code: string;
  /** The relay's origin. */
  relay: string;
  /** The conversation to begin with, in place of the agent's first. */
  conversationId?: string;
}

export interface AppView {
  pairings: readonly Pairing[];
  rows: readonly ConversationRow[];
  /** From a link: asked about before anything else is shown. */
  invitation: Invitation | null;
  /** Whether what is kept here survives the page. */
  durable: boolean;
  /** A device was forgotten here that the relay could not be told about. */
  untold: boolean;
}

/** So many conversations, the most recent ones, are kept connected without being opened. */
const KEPT_CONVERSATIONS = 12;

/** See the file's head. */
export class AppStore {
  readonly view: Observable<AppView>;
  readonly local: LocalStore;
  readonly #book: PairingBook;
  readonly #around: Surroundings;
  readonly #rows = new Map<string, ConversationRow>();
  readonly #connected = new Set<ConversationStore>();
  #untold = false;
  #invitation: Invitation | null = null;
  #redeeming: Promise<Trouble | null> | null = null;

  constructor(local: LocalStore, around: (book: PairingBook) => Surroundings, schedule: Schedule = nextFrame) {
    this.local = local;
    this.#book = new PairingBook(local);
    this.#around = around(this.#book);
    this.view = new Observable(() => this.#look(), schedule);
  }

  /** Opens what is paired, and follows what other tabs change. */
  start(): void {
    this.#sync();
    this.view.flush();
    this.local.watch((key) => {
      if (key === null || key === 'pairings') this.#sync();
    });
  }

  /** A pairing link was opened. */
  invite(invitation: Invitation | null): void {
    this.#invitation = invitation;
    this.#untold = false;
    this.view.changed();
  }

  /** Redeems a code, once however often it is asked for meanwhile. Null when this device is paired now. */
  pair(invitation: Invitation, deviceName: string): Promise<Trouble | null> {
    this.#redeeming ??= this.#redeem(invitation, deviceName).finally(() => (this.#redeeming = null));
    return this.#redeeming;
  }

  /** Ends a pairing, here and at the relay. The device is forgotten here whether or not the relay could be told. */
  async unpair(key: string): Promise<void> {
    const pairing = this.#book.find(key);
    if (!pairing) return;
    await this.#closeRows((row) => row.pairing.key === key);
    this.#untold = !pairing.ended && !(await this.#tell(pairing));
    this.#book.remove(key);
    this.#sync();
  }

  /** Ends every pairing and forgets everything that this browser keeps. */
  async signOut(): Promise<void> {
    const pairings = this.#book.all().filter((pairing) => !pairing.ended);
    await this.#closeRows(() => true);
    const told = await Promise.all(pairings.map((pairing) => this.#tell(pairing)));
    this.#untold = told.includes(false);
    this.local.wipe();
    await this.#around.wipe();
    this.#sync();
  }

  /** A conversation is looked at: it is connected from now on. */
  show(key: string): void {
    const row = this.#rows.get(key);
    if (row) this.#connect(row.store);
  }

  /** Begins a conversation with an agent. Null when it is there. */
  async create(pairing: Pairing): Promise<Trouble | null> {
    try {
      this.#ensureRow(pairing, await this.#around.create(pairing));
      this.view.changed();
      return null;
    } catch (error) {
      return troubleOf(error);
    }
  }

  /** Asks again which conversations there are. */
  async refresh(pairing: Pairing): Promise<void> {
    try {
      const conversations = await this.#around.conversations(pairing);
      const current = this.#book.find(pairing.key);
      if (!current || current.deviceId !== pairing.deviceId) return;
      const ids = new Set(conversations.map((info) => info.conversation_id));
      await this.#closeRows((row) => row.pairing.key === pairing.key && !ids.has(row.info.conversation_id));
      const rows = conversations.toSorted((a, b) => activity(b).localeCompare(activity(a))).map((info) => this.#ensureRow(current, info));
      for (const { store } of rows.slice(0, KEPT_CONVERSATIONS)) this.#connect(store);
    } catch (error) {
      // What is known stays on the screen; the next connection or visit asks again.
      rethrowUnlessTrouble(error);
    }
    this.view.changed();
  }

  async #redeem(invitation: Invitation, deviceName: string): Promise<Trouble | null> {
    try {
      const redeemed = await this.#around.redeem(invitation.relay, invitation.code, deviceName);
      const { conversationId = redeemed.conversation_id } = invitation;
      const { pairing, earlier } = this.#book.add(invitation.relay, { ...redeemed, conversation_id: conversationId }, deviceName);
      await this.#closeRows((row) => row.pairing.key === pairing.key);
      // The relay would go on counting the device that this one was before.
      if (earlier && !earlier.ended) await this.#tell(earlier);
      this.#invitation = null;
      this.#sync();
      return null;
    } catch (error) {
      return troubleOf(error);
    }
  }

  /** Whether the relay knows now. */
  async #tell(pairing: Pairing): Promise<boolean> {
    try {
      await this.#around.unpair(pairing);
      return true;
    } catch (error) {
      const trouble = troubleOf(error);
      // Already let go by the relay: what was asked for.
      return trouble.kind === 'refused' && (trouble.code === 'unauthorized' || trouble.code === 'not_found');
    }
  }

  /** Makes the rows what the pairings say. */
  #sync(): void {
    const pairings = this.#book.all();
    const living = new Map(pairings.filter((pairing) => !pairing.ended).map((pairing) => [`${pairing.key}|${pairing.deviceId}`, pairing]));
    void this.#closeRows((row) => !living.has(`${row.pairing.key}|${row.pairing.deviceId}`));
    for (const pairing of living.values()) {
      if ([...this.#rows.values()].some((row) => row.pairing.key === pairing.key)) continue;
      this.#connect(this.#ensureRow(pairing, { conversation_id: pairing.conversationId, title: null, last_message_at: null }).store);
      void this.refresh(pairing);
    }
    this.view.changed();
  }

  #ensureRow(pairing: Pairing, info: ConversationRow['info']): ConversationRow {
    const key = `${pairing.key}|${info.conversation_id}`;
    const store =
      this.#rows.get(key)?.store ??
      this.#around.open(pairing, info, {
        stopped: (reason) => this.#onStopped(pairing, key, reason),
        listChanged: () => void this.refresh(pairing),
      });
    const row = { key, pairing, info, store };
    this.#rows.set(key, row);
    return row;
  }

  #connect(store: ConversationStore): void {
    if (this.#connected.has(store)) return;
    this.#connected.add(store);
    store.start();
  }

  #onStopped(pairing: Pairing, key: string, reason: string): void {
    if (reason === 'pair-again' && this.#book.find(pairing.key)?.deviceId === pairing.deviceId) {
      this.#book.update(pairing.key, { ended: true });
      this.#sync();
    }
    if (reason === 'not-found' && this.#rows.has(key)) void this.refresh(pairing);
  }

  async #closeRows(which: (row: ConversationRow) => boolean): Promise<void> {
    const closing = [...this.#rows.values()].filter(which);
    for (const { key, store } of closing) {
      this.#rows.delete(key);
      this.#connected.delete(store);
    }
    await Promise.all(closing.map(({ store }) => store.close()));
  }

  #look(): AppView {
    return {
      pairings: this.#book.all(),
      rows: [...this.#rows.values()].sort((a, b) => activity(b.info).localeCompare(activity(a.info))),
      invitation: this.#invitation,
      durable: this.local.durable,
      untold: this.#untold,
    };
  }
}

function activity(info: { last_message_at: string | null; created_at?: string }): string {
  return info.last_message_at ?? info.created_at ?? '';
}
