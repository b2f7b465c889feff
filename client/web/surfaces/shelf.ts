/**
 * Which surfaces are open, with their newest state, and which of them is on the screen. Frames go in as they come, live, replayed or
 * restored; pages of history do not, since they tell of what is long closed. Part of every page's first load: keep it small.
 */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { Observable, type Schedule } from '../store/observable.ts';

/** The app of a `ui.open`. */
export type SurfaceApp = Payloads['lineup.v1.ui.open']['app'];

/** One open surface. Replaced by another object when anything of it changes. */
export interface Surface {
  instanceId: string;
  /** Envelope id of its `ui.open`: another one is another surface, whatever the instance is called. */
  openId: string;
  app: SurfaceApp;
  state: JsonObject;
  /** When it was opened, ISO 8601. */
  ts: string;
}

export interface SurfacesView {
  /** Newest first. */
  open: readonly Surface[];
  /** The instance on the screen; the others keep their state and run nothing. */
  active: string | null;
  /** Whether the active one has the whole window. */
  whole: boolean;
  /** Opens that the user did not want to see now. */
  declined: ReadonlySet<string>;
}

interface Held {
  surface: Surface;
  /** Of the open and of the newest patch: what is older changes nothing. */
  openSeq: number;
  stateSeq: number;
}

/** See the file's head. */
export class SurfaceShelf {
  readonly view: Observable<SurfacesView>;
  readonly #held = new Map<string, Held>();
  /** Closed by the user here; the relay may still name them until it hears of it. */
  readonly #closing = new Set<string>();
  readonly #event: (instanceId: string, event: string, data: JsonObject) => void;
  #declined: ReadonlySet<string> = new Set();
  #active: string | null = null;
  #whole = false;

  /** @param send puts a `ui.event` into the outbox */
  constructor(send: (payload: Payloads['lineup.v1.ui.event']) => void, schedule: Schedule) {
    this.#event = (instanceId, event, data) => send({ instance_id: instanceId, event, data });
    this.view = new Observable(() => this.#look(), schedule);
  }

  /** The relay says which instances are open (§4, welcome): what it does not name is closed. */
  welcome(instanceIds: readonly string[]): void {
    const open = new Set(instanceIds);
    for (const instanceId of this.#held.keys()) if (!open.has(instanceId)) this.#drop(instanceId);
    this.view.changed();
  }

  /** Takes one frame; what is none of `ui.*`, or sealed, is passed over. @param live whether it came after the replay */
  take(frame: Delivered, live: boolean): void {
    const { type, payload, seq } = frame;
    if (typeof seq !== 'number' || payload.sealed !== undefined) return;
    if (type === 'lineup.v1.ui.open') this.#open(frame, payload as Payloads['lineup.v1.ui.open'], seq, live);
    else if (type === 'lineup.v1.ui.patch') this.#patch(payload as Payloads['lineup.v1.ui.patch'], seq);
    else if (type === 'lineup.v1.ui.close') this.#closed(payload as Payloads['lineup.v1.ui.close'], seq);
    else return;
    this.view.changed();
  }

  /** A message of this device is on its way, perhaps from before a reload: what it closes is closed. */
  sending(type: string, payload: JsonObject): void {
    const { event, instance_id: instanceId } = payload;
    if (type !== 'lineup.v1.ui.event' || event !== 'close' || typeof instanceId !== 'string') return;
    this.#closing.add(instanceId);
    this.#drop(instanceId);
    this.view.changed();
  }

  /** Brings a surface to the screen. @param whole with the whole window for it */
  show(instanceId: string, whole = false): void {
    if (!this.#held.has(instanceId)) return;
    this.#active = instanceId;
    this.#whole = whole;
    this.view.flush();
  }

  /** Takes a surface off the screen; it stays open. */
  leave(instanceId: string): void {
    if (this.#active === instanceId) this.#clear();
    this.view.flush();
  }

  /** The user does not want to see it now, and is not asked again until they ask for it. */
  decline(instanceId: string): void {
    const surface = this.#held.get(instanceId)?.surface;
    if (surface) this.#declined = new Set(this.#declined).add(surface.openId);
    this.leave(instanceId);
  }

  /** The user asks for a surface: for the question, if it is not known yet. */
  ask(instanceId: string): void {
    const openId = this.#held.get(instanceId)?.surface.openId;
    this.#declined = new Set([...this.#declined].filter((each) => each !== openId));
    this.view.flush();
  }

  /** The user did something in a surface. Its own wish to be closed is one of these things. */
  event(instanceId: string, event: string, data: JsonObject): void {
    if (event === 'close') this.close(instanceId);
    else if (this.#held.has(instanceId)) this.#event(instanceId, event, data);
  }

  /** The user closes a surface, for everyone (§5). */
  close(instanceId: string): void {
    if (!this.#held.has(instanceId)) return;
    this.#closing.add(instanceId);
    this.#drop(instanceId);
    this.#event(instanceId, 'close', {});
    this.view.flush();
  }

  #open(frame: Delivered, payload: Payloads['lineup.v1.ui.open'], seq: number, live: boolean): void {
    const { instance_id: instanceId, app, state } = payload;
    const known = this.#held.get(instanceId);
    if ((known && known.openSeq >= seq) || (!live && this.#closing.has(instanceId))) return;
    this.#closing.delete(instanceId);
    this.#held.delete(instanceId);
    this.#held.set(instanceId, { surface: { instanceId, openId: frame.id, app, state, ts: frame.ts ?? '' }, openSeq: seq, stateSeq: seq });
    if (live || this.#active === null) this.#arrive(instanceId);
  }

  /** What is new is looked at, unless something has the whole window. */
  #arrive(instanceId: string): void {
    if (!this.#whole) this.#active = instanceId;
  }

  #patch({ instance_id: instanceId, state }: Payloads['lineup.v1.ui.patch'], seq: number): void {
    const known = this.#held.get(instanceId);
    if (!known || known.stateSeq >= seq) return;
    this.#held.set(instanceId, { ...known, surface: { ...known.surface, state }, stateSeq: seq });
  }

  #closed({ instance_id: instanceId }: Payloads['lineup.v1.ui.close'], seq: number): void {
    const known = this.#held.get(instanceId);
    if (known && known.openSeq < seq) this.#drop(instanceId);
  }

  #drop(instanceId: string): void {
    this.#held.delete(instanceId);
    if (this.#active === instanceId) this.#clear();
  }

  #clear(): void {
    this.#active = null;
    this.#whole = false;
  }

  #look(): SurfacesView {
    const open = [...this.#held.values()].sort((a, b) => b.openSeq - a.openSeq).map(({ surface }) => surface);
    return { open, active: this.#active, whole: this.#whole, declined: this.#declined };
  }
}
