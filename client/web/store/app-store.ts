/** The whole app: which agents it is paired with, their conversations, and which one is on the screen. */
import type { Redeemed } from '../../core/http.ts';
import type { ConversationInfo } from '../../../src/protocol/http.ts';
import { ConversationRows, type ConversationRow, type OpenConversation } from './conversation-rows.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { Invitation } from './invitation.ts';
import { Lists } from './lists.ts';
import type { LocalStore } from './local-store.ts';
import { nextFrame, Observable, type Schedule } from './observable.ts';
import { PairingBook, type Pairing } from './pairings.ts';
import { troubleOf, type Trouble } from './trouble.ts';

/** What the app needs from the network; a scripted one stands in for it in fixtures. */
export interface Surroundings {
  redeem(relay: string, code: string, deviceName: string): Promise<Redeemed>;
  conversations(pairing: Pairing): Promise<ConversationInfo[]>;
  create(pairing: Pairing): Promise<ConversationInfo>;
  /** Gives a conversation another title; null takes it away. */
  rename(pairing: Pairing, conversationId: string, title: string | null): Promise<ConversationInfo>;
  /** Deletes a conversation for everyone. */
  remove(pairing: Pairing, conversationId: string): Promise<void>;
  /** Tells the relay that this device is no longer paired. */
  unpair(pairing: Pairing): Promise<void>;
  /** Opens a conversation; it is not started yet. */
  open(pairing: Pairing, conversation: Pick<ConversationInfo, 'conversation_id' | 'title'>, on: OpenConversation): ConversationStore;
  /** Forgets what is kept of a conversation outside of the local store. */
  forget(pairing: Pairing, conversationId: string): Promise<void>;
  /**
   * Forgets everything that is kept outside of the local store.
   * @throws DOMException when the browser does not let go of something
   */
  wipe(): Promise<void>;
}

export interface AppView {
  pairings: readonly Pairing[];
  /** The one with the newest message first. */
  rows: readonly ConversationRow[];
  /** How many things need the user, everywhere. */
  needing: number;
  /** Whether connections are down that were up, or did not come up. */
  offline: 'none' | 'some' | 'all';
  /** From a link: asked about before anything else is shown. */
  invitation: Invitation | null;
  /** Whether what is kept here survives the page. */
  durable: boolean;
  /** A device was forgotten here that the relay could not be told about. */
  untold: boolean;
  /** The user signed out, and the browser did not let go of everything. */
  leftover: boolean;
}

/** See the file's head. */
export class AppStore {
  readonly view: Observable<AppView>;
  /** The key of the conversation on the screen. */
  readonly screen: Observable<string | null>;
  readonly local: LocalStore;
  readonly #book: PairingBook;
  readonly #around: Surroundings;
  readonly #rows: ConversationRows;
  readonly #lists: Lists;
  #untold = false;
  #leftover = false;
  #invitation: Invitation | null = null;
  /** What was given last: the user is asked about no other. */
  #wanted: Invitation | null = null;
  #redeeming: Promise<Trouble | null> | null = null;

  constructor(local: LocalStore, around: (book: PairingBook) => Surroundings, schedule: Schedule = nextFrame) {
    this.local = local;
    this.#book = new PairingBook(local);
    this.#around = around(this.#book);
    this.#rows = new ConversationRows({
      open: (pairing, info, on) => this.#around.open(pairing, info, on),
      changed: () => this.view.changed(),
      stopped: (pairing, key, reason) => this.#onStopped(pairing, key, reason),
      listChanged: (pairing) => void this.refresh(pairing),
    });
    this.screen = this.#rows.screen;
    this.view = new Observable(() => this.#look(), schedule);
    this.#lists = new Lists({ local, book: this.#book, rows: this.#rows, around: this.#around, view: this.view });
  }

  /** Opens what is paired, and follows what other tabs change. */
  start(): void {
    this.#sync();
    this.view.flush();
    this.local.watch((key) => {
      if (key === null || key === 'pairings') this.#sync();
      // Read in another tab.
      if (key?.startsWith('read.')) this.#rows.readElsewhere();
    });
  }

  /**
   * A code or link was given: the user is asked about it, unless it leads into a conversation in which this device is at home. Then
   * nothing has to be asked, and the key of that conversation is returned.
   */
  async invite(invitation: Invitation): Promise<string | null> {
    this.#wanted = invitation;
    const place = await this.#placeOf(invitation);
    // Another one was given meanwhile.
    if (this.#wanted !== invitation) return null;
    if (place === null) this.#ask(invitation);
    return place;
  }

  /** The user does not want it. */
  decline(): void {
    this.#ask(null);
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
    const known = this.#lists.known(pairing);
    await this.#rows.close((row) => row.pairing.key === key);
    // Other tabs hear of it before the relay lets the device go; one that notes that all the same is too late.
    this.#book.remove(key);
    this.#untold = !pairing.ended && !(await this.#tell(pairing));
    this.#book.remove(key);
    await this.#lists.forget(pairing, known);
    this.local.forget(key);
    this.#sync();
  }

  /** Ends every pairing and forgets everything that this browser keeps. */
  async signOut(): Promise<void> {
    const pairings = this.#book.all().filter((pairing) => !pairing.ended);
    await this.#rows.close(() => true);
    // As with one that is unpaired.
    this.local.wipe();
    const told = await Promise.all(pairings.map((pairing) => this.#tell(pairing)));
    this.#untold = told.includes(false);
    this.local.wipe();
    try {
      await this.#around.wipe();
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.#leftover = true;
    } finally {
      this.#sync();
    }
  }

  /** A conversation is looked at: it is connected from now on. Null when none is. */
  show(key: string | null): void {
    this.#rows.show(key);
  }

  /** Begins a conversation with an agent, and names the row where it is. */
  async create(pairing: Pairing): Promise<{ ok: true; key: string } | { ok: false; trouble: Trouble }> {
    try {
      const { key } = this.#rows.ensure(pairing, await this.#around.create(pairing));
      this.view.changed();
      return { ok: true, key };
    } catch (error) {
      return { ok: false, trouble: troubleOf(error) };
    }
  }

  /** Gives a conversation another title, on every device; a blank one takes it away. Null when it has it. */
  async rename(key: string, title: string): Promise<Trouble | null> {
    const row = this.#rows.get(key);
    if (!row) return null;
    try {
      this.#rows.ensure(row.pairing, await this.#around.rename(row.pairing, row.info.conversation_id, title.trim() || null));
      this.view.changed();
      return null;
    } catch (error) {
      return troubleOf(error);
    }
  }

  /** Deletes a conversation with everything in it, for everyone. Null when it is gone. */
  async remove(key: string): Promise<Trouble | null> {
    const row = this.#rows.get(key);
    if (!row) return null;
    try {
      await this.#around.remove(row.pairing, row.info.conversation_id);
    } catch (error) {
      const trouble = troubleOf(error);
      // Somebody else was faster: it is gone all the same.
      if (trouble.kind !== 'refused' || trouble.code !== 'not_found') return trouble;
    }
    await this.#lists.forget(row.pairing, [row.info.conversation_id]);
    return null;
  }

  /** Asks again which conversations there are. */
  refresh(pairing: Pairing): Promise<void> {
    return this.#lists.refresh(pairing);
  }

  /** The key of the conversation that an invitation leads into, when this device is at home in it. Only the list knows all of them. */
  async #placeOf({ relay, conversationId }: Invitation): Promise<string | null> {
    if (conversationId === undefined) return null;
    const pairings = this.#book.all().filter((each) => !each.ended && each.relay === relay);
    const place = () => pairings.map(({ key }) => `${key}|${conversationId}`).find((key) => this.#rows.get(key)) ?? null;
    if (place() === null) await Promise.all(pairings.map((pairing) => this.refresh(pairing)));
    return place();
  }

  #ask(invitation: Invitation | null): void {
    this.#invitation = invitation;
    this.#untold = false;
    this.#leftover = false;
    this.view.flush();
  }

  async #redeem(invitation: Invitation, deviceName: string): Promise<Trouble | null> {
    // The relay may not have been there to say so when the user was asked.
    if ((await this.#placeOf(invitation)) !== null) {
      this.decline();
      return null;
    }
    try {
      const redeemed = await this.#around.redeem(invitation.relay, invitation.code, deviceName);
      const { conversationId = redeemed.conversation_id } = invitation;
      const { pairing, earlier } = this.#book.add(invitation.relay, { ...redeemed, conversation_id: conversationId }, deviceName);
      await this.#rows.close((row) => row.pairing.key === pairing.key);
      // The relay would go on counting the device that this one was before.
      if (earlier && !earlier.ended) await this.#tell(earlier);
      this.#ask(null);
      this.#lists.paired(pairing.key);
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
    void this.#rows.close((row) => !living.has(`${row.pairing.key}|${row.pairing.deviceId}`));
    for (const pairing of living.values()) {
      if (this.#rows.all.some((row) => row.pairing.key === pairing.key)) continue;
      const { conversationId } = pairing;
      if (conversationId !== null) {
        this.#rows.connect(this.#rows.ensure(pairing, { conversation_id: conversationId, title: null, last_message_at: null }).key);
      }
      void this.refresh(pairing);
    }
    this.view.changed();
  }

  #onStopped(pairing: Pairing, key: string, reason: string): void {
    if (reason === 'pair-again' && this.#book.find(pairing.key)?.deviceId === pairing.deviceId) {
      this.#book.update(pairing.key, { ended: true });
      this.#sync();
    }
    if (reason === 'not-found' && this.#rows.get(key)) void this.refresh(pairing);
  }

  #look(): AppView {
    const rows = this.#rows.all;
    const views = rows.filter(({ connected }) => connected).map(({ store }) => store.view.get());
    const down = views.filter(({ link, wasOnline }) => link.name === 'offline' || (link.name === 'connecting' && wasOnline)).length;
    return {
      pairings: this.#book.all(),
      rows,
      needing: views.reduce((sum, { needs }) => sum + needs.length, 0),
      offline: down === 0 ? 'none' : down < views.length ? 'some' : 'all',
      invitation: this.#invitation,
      durable: this.local.durable,
      untold: this.#untold,
      leftover: this.#leftover,
    };
  }
}
