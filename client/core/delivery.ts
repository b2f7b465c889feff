/** Decides of every incoming frame whether it is new to this client, and how far the client has come (§4: Cursor, Restored). */
import type { Delivered, Participant, Sender } from '../../src/protocol/envelope.ts';
import type { Welcome } from '../../src/protocol/handshake.ts';
import type { Cursor } from './cursor-store.ts';

/** The relay keeps no more messages than this by default, so no replay brings back more of our own (§8). */
const MAX_OWN = 10_000;

/** An epoch that no relay makes: resuming from it asks for everything that there is. */
const NO_EPOCH = 'none';

/**
 * The cursor and what it cannot tell.
 *
 * Frames with a seq come in seq order, so what lies above the cursor is new. Below it there are only frames that are sent once more:
 * restored ones and repeated results. Those are new only when they lie before the point at which this process began to listen,
 * and have not been restored to it before.
 */
export class Delivery {
  readonly #self: Participant;
  readonly #start: 'head' | 'oldest';
  #cursor: Cursor | null;
  /** The stretches of the log that this process got live or replayed; more than one after an announced gap. */
  #spans: { after: number; upTo: number }[] = [];
  readonly #restored = new Set<string>();
  /** Sender and type → id of the latest frame without a seq: only the latest kept one counts. */
  readonly #latest = new Map<string, string>();
  /** Own acknowledged messages above the cursor, id → seq: a replay can bring them, and they are not news. */
  readonly #own = new Map<string, number>();
  #restoring = false;

  /** @param cursor what an earlier process left; null when there is none */
  constructor(self: Participant, start: 'head' | 'oldest', cursor: Cursor | null) {
    this.#self = self;
    this.#start = start;
    this.#cursor = cursor;
    if (cursor) this.#spans.push({ after: cursor.seq, upTo: cursor.seq });
  }

  /** The highest seq delivered; null before the first welcome of a client without a stored cursor. */
  get cursor(): Cursor | null {
    return this.#cursor;
  }

  /** The `resume` of the next hello; undefined: nothing is to be replayed. */
  resume(): Cursor | undefined {
    return this.#cursor ?? (this.#start === 'oldest' ? { epoch: NO_EPOCH, seq: 0 } : undefined);
  }

  /** Takes the relay's answer to the hello. Returns whether something may be missing that this client cannot get any more. */
  welcome(welcome: Pick<Welcome, 'epoch' | 'head_seq' | 'oldest_seq' | 'resumed' | 'gap'>): boolean {
    this.#restoring = true;
    if (welcome.resumed && this.#cursor) return false;
    const before = this.#cursor;
    const seq = welcome.gap ? Math.max(0, welcome.oldest_seq - 1) : welcome.head_seq;
    if (before && (before.epoch !== welcome.epoch || seq < before.seq)) this.#forget();
    this.#cursor = { epoch: welcome.epoch, seq };
    this.#spans.push({ after: seq, upTo: seq });
    if (before) return true;
    // Asking for everything is answered as a gap; it is one only when something was trimmed before.
    return welcome.gap && welcome.oldest_seq > 1;
  }

  /** Whether a frame is to be handed on. Moves the cursor. */
  accept(frame: Pick<Delivered, 'id' | 'type' | 'sender' | 'seq'>): boolean {
    if (typeof frame.seq !== 'number') return this.#acceptUnlogged(frame);
    const { seq } = frame;
    if (this.#advance(seq)) return !this.#isKnownOwn(frame, seq);
    if (this.#spans.some((span) => seq > span.after && seq <= span.upTo)) return false;
    const key = `${senderKey(frame.sender)} ${frame.id}`;
    if (this.#restored.has(key)) return false;
    this.#restored.add(key);
    return true;
  }

  /** The replay is over. */
  synced(seq: number): void {
    this.#restoring = false;
    this.#advance(seq);
  }

  /** A message of this client was acknowledged. That moves no cursor (§4), but the message is no news any more. */
  acknowledged(id: string, seq: number | null): void {
    if (seq === null || (this.#cursor && seq <= this.#cursor.seq)) return;
    this.#own.set(id, seq);
    if (this.#own.size <= MAX_OWN) return;
    const [oldest] = this.#own.keys();
    if (oldest !== undefined) this.#own.delete(oldest);
  }

  #acceptUnlogged(frame: Pick<Delivered, 'id' | 'type' | 'sender'>): boolean {
    const key = `${senderKey(frame.sender)} ${frame.type}`;
    if (this.#restoring && this.#latest.get(key) === frame.id) return false;
    this.#latest.set(key, frame.id);
    return true;
  }

  #advance(seq: number): boolean {
    if (!this.#cursor || seq <= this.#cursor.seq) return false;
    this.#cursor = { epoch: this.#cursor.epoch, seq };
    const span = this.#spans.at(-1);
    if (span) span.upTo = seq;
    return true;
  }

  #isKnownOwn(frame: Pick<Delivered, 'id' | 'sender'>, seq: number): boolean {
    const known = this.#own.get(frame.id) === seq && senderKey(frame.sender) === senderKey(this.#self);
    // Acks come in seq order, so what the cursor has passed stands in front.
    for (const [id, passed] of this.#own) {
      if (passed > seq) break;
      this.#own.delete(id);
    }
    return known;
  }

  #forget(): void {
    this.#spans = [];
    this.#restored.clear();
    this.#latest.clear();
    this.#own.clear();
  }
}

/** A type that this client does not know may come without a sender. */
function senderKey(sender: Sender | undefined): string {
  if (!sender) return 'relay';
  return 'id' in sender ? `${sender.kind}:${sender.id}` : sender.kind;
}
