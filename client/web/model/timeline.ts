/**
 * One conversation as a list of entries: frames go in, in any order and as often as they come, and what a reader should see comes out.
 * Knows nothing of sockets, storage or React.
 */
import type { Delivered, Envelope, Participant, Sender } from '../../../src/protocol/envelope.ts';
import type { CallStatus } from '../../../src/protocol/handshake.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';
import { callKindOf, cancelledCall, CARRIED_TYPES, resultStatus } from './calls.ts';
import { isOpen, LOCAL_TYPES, type Call, type Entry, type Failure } from './entry.ts';
import { addDelta, shownText, type StreamedText } from './stream.ts';

type Outcome = Pick<Call, 'status' | 'by' | 'at' | 'answer' | 'refused'>;

const PENDING: Outcome = { status: 'pending', by: null, at: null, answer: null, refused: null };

/** See the file's head. */
export class Timeline {
  readonly #me: Participant;
  readonly #entries = new Map<string, Entry>();
  /** What is known of calls, whether or not the call itself has been seen: history is read backwards. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #callKeys = new Map<string, string>();
  /** Envelope id of an answer on its way → the call it answers. */
  readonly #answering = new Map<string, string>();
  readonly #edits = new Map<string, { seq: number; content: string }>();
  readonly #streams = new Map<string, StreamedText>();
  #sorted: readonly Entry[] | null = null;

  /** @param me this device: its own messages and answers are told apart from those of the user's other devices */
  constructor(me: Participant) {
    this.#me = me;
  }

  /** Every entry in the order of reading: by seq, then what has none yet in the order in which it came. */
  get entries(): readonly Entry[] {
    this.#sorted ??= [...this.#entries.values()].sort(byPlace);
    return this.#sorted;
  }

  /** Calls that wait for somebody, oldest first. */
  get open(): readonly Entry[] {
    return this.entries.filter((entry) => entry.call !== null && isOpen(entry.call));
  }

  /** Whether nobody has settled the call, or is about to from here. */
  isPending(callId: string): boolean {
    return (this.#outcomes.get(callId)?.status ?? 'pending') === 'pending';
  }

  /** Takes one frame of the log, live, replayed, restored or from a page of history; the same one again changes nothing. */
  apply(frame: Delivered): void {
    const { type, payload } = frame;
    const callId = typeof payload.call_id === 'string' ? payload.call_id : null;
    const cancelled = cancelledCall(type);
    if (type === 'text.edit') this.#edit(payload, frame.seq ?? 0);
    else if (cancelled && callId) this.settle(callId, 'cancelled', frame.sender, frame.ts);
    else if ((type === 'tool.result' || type === 'lineup.v1.app.result') && callId) this.#result(callId, frame);
    else if (!CARRIED_TYPES.has(type) && typeof frame.seq === 'number') this.#show(frame, frame.seq);
  }

  /** Takes a piece of a text that is being written. */
  delta(payload: JsonObject, sender: Sender, ts: string): void {
    const { message_id: id, offset, delta } = payload;
    if (typeof id !== 'string' || typeof offset !== 'number' || typeof delta !== 'string') return;
    const key = keyOf(sender, id);
    const known = this.#entries.get(key);
    if (known && known.stream === null) return;
    const before = this.#streams.get(key) ?? { content: '', gap: false };
    const after = addDelta(before, offset, delta);
    this.#streams.set(key, after);
    // Who comes in the middle of a text sees nothing of it until it is finished.
    if (after.content === '' || (after.content === before.content && known?.stream === 'flowing')) return;
    const entry: Entry = known ?? { ...blank(key, id, 'text', ts, sender), streamed: true };
    this.#put({ ...entry, payload: { content: shownText(after.content) }, stream: 'flowing' });
  }

  /** The writer is gone or done: what still streams stays as it is until a finished text takes its place. */
  stall(): void {
    for (const key of this.#streams.keys()) {
      const entry = this.#entries.get(key);
      if (entry?.stream === 'flowing') this.#put({ ...entry, stream: 'stalled' });
    }
  }

  /** Whether a text is being written right now. */
  get flowing(): boolean {
    return this.#streams.size > 0 && this.entries.some((entry) => entry.stream === 'flowing');
  }

  /** Shows a message of this device before the relay has it. An answer to a call marks the call as being sent. */
  queue(envelope: Envelope, ts: string): void {
    const { id, type, payload } = envelope;
    if (type === 'tool.result' || type === 'lineup.v1.app.result') {
      if (typeof payload.call_id !== 'string') return;
      this.#answering.set(id, payload.call_id);
      this.#learn(payload.call_id, { ...PENDING, status: 'sending', by: this.#me, answer: payload });
    } else if (!CARRIED_TYPES.has(type)) {
      const key = keyOf(this.#me, id);
      const known = this.#entries.get(key);
      if (known?.seq) return;
      this.#put({ ...blank(key, id, type, known?.ts ?? ts, this.#me), mine: true, payload });
    }
  }

  /** The relay has it. */
  acked(id: string, seq: number | null): void {
    const callId = this.#answering.get(id);
    if (callId !== undefined) {
      const known = this.#outcomes.get(callId);
      this.#answering.delete(id);
      if (known?.status === 'sending') this.#learn(callId, { ...known, status: known.answer ? resultStatus(known.answer) : 'completed' });
      return;
    }
    const entry = this.#entries.get(keyOf(this.#me, id));
    if (entry) this.#put({ ...entry, seq: seq ?? entry.seq, failure: null });
  }

  /** The relay did not take it, or did not answer in time. A call whose answer was refused is open again. */
  failed(id: string, failure: Failure): void {
    const callId = this.#answering.get(id);
    if (callId !== undefined) {
      if (failure.code === 'timeout') return;
      this.#answering.delete(id);
      // The relay tells the winner in a `system.settled` of its own.
      const settled = failure.code === 'already_settled';
      if (this.#outcomes.get(callId)?.status === 'sending') {
        this.#learn(callId, { ...PENDING, refused: settled ? null : failure });
      }
      return;
    }
    const entry = this.#entries.get(keyOf(this.#me, id));
    if (entry && entry.seq === null) this.#put({ ...entry, failure });
  }

  /** Takes a message of this device back that the relay never got. */
  discard(id: string): void {
    const callId = this.#answering.get(id);
    if (callId !== undefined) this.failed(id, { code: 'discarded', message: '' });
    const key = keyOf(this.#me, id);
    if (this.#entries.get(key)?.seq === null && this.#entries.delete(key)) this.#sorted = null;
  }

  /** Somebody settled a call (§6): what is settled never changes, so only the first word counts. @param at when, ISO 8601 */
  settle(callId: string, status: CallStatus, by: Sender, at: string | null = null): void {
    const known = this.#outcomes.get(callId);
    if (known && !isUnsettled(known)) return;
    const mine = by.kind === 'app' && 'id' in by && by.id === this.#me.id;
    this.#learn(callId, { status, by, at, answer: mine ? (known?.answer ?? null) : null, refused: null });
  }

  /**
   * The relay says which calls up to `head` wait (§4, welcome): whatever else waits here was settled meanwhile, and nobody is asked any
   * more. A page of history may have brought later ones already: of those it says nothing.
   * Returns the seqs of the calls that are over: the log knows how they ended.
   */
  waiting(callIds: readonly string[], head: number): number[] {
    const over = this.open.filter(({ seq, call }) => call?.status === 'pending' && (seq ?? 0) <= head && !callIds.includes(call.callId));
    for (const { call } of over) if (call) this.#learn(call.callId, { ...PENDING, status: 'over' });
    return over.flatMap(({ seq }) => seq ?? []);
  }

  /** Marks that messages before `seq` are gone. */
  gap(seq: number, ts: string): void {
    const key = `${LOCAL_TYPES.gap}:${seq}`;
    this.#put({ ...blank(key, key, LOCAL_TYPES.gap, ts, { kind: 'relay' }), seq: seq - 0.5 });
  }

  /** Forgets everything that the relay knows (its log was reset), and keeps what it never got. */
  reset(): void {
    for (const [key, entry] of this.#entries) if (entry.seq !== null || entry.stream) this.#entries.delete(key);
    this.#streams.clear();
    this.#edits.clear();
    this.#callKeys.clear();
    this.#outcomes.clear();
    this.#sorted = null;
  }

  #show(frame: Delivered, seq: number): void {
    const { id, type, sender, payload } = frame;
    const key = keyOf(sender, id);
    const known = this.#entries.get(key);
    if (known && known.seq !== null && frame.settled === undefined) return;
    const call = this.#call(type, key, frame);
    const edit = type === 'text' ? this.#edits.get(id) : undefined;
    this.#streams.delete(key);
    this.#put({
      ...blank(key, id, type, frame.ts ?? known?.ts ?? new Date(0).toISOString(), sender),
      seq,
      mine: sender.kind === 'app',
      payload: edit ? { ...payload, content: edit.content } : payload,
      edited: edit !== undefined,
      streamed: known?.streamed ?? false,
      call,
    });
  }

  #call(type: string, key: string, frame: Delivered): Call | null {
    const kind = callKindOf(type);
    const callId = frame.payload.call_id;
    if (!kind || typeof callId !== 'string') return null;
    this.#callKeys.set(callId, key);
    if (frame.settled) this.settle(callId, frame.settled.status as CallStatus, frame.settled.by, frame.settled.at);
    const outcome = this.#outcomes.get(callId) ?? PENDING;
    return { callId, kind, ...outcome };
  }

  #result(callId: string, frame: Delivered): void {
    const { sender, payload } = frame;
    const mine = sender.kind === 'app' && sender.id === this.#me.id;
    const known = this.#outcomes.get(callId);
    if (mine && known?.by?.kind === 'app' && known.by.id === this.#me.id && known.answer === null) {
      this.#learn(callId, { ...known, answer: payload });
    } else if (known === undefined || isUnsettled(known)) {
      this.#learn(callId, { status: resultStatus(payload), by: sender, at: frame.ts ?? null, answer: mine ? payload : null, refused: null });
    }
  }

  #learn(callId: string, outcome: Outcome): void {
    this.#outcomes.set(callId, outcome);
    const entry = this.#entries.get(this.#callKeys.get(callId) ?? '');
    if (entry?.call) this.#put({ ...entry, call: { ...entry.call, ...outcome } });
  }

  #edit(payload: JsonObject, seq: number): void {
    const { message_id: id, content } = payload;
    if (typeof id !== 'string' || typeof content !== 'string') return;
    const known = this.#edits.get(id);
    if (known && known.seq >= seq) return;
    this.#edits.set(id, { seq, content });
    const entry = this.#entries.get(keyOf({ kind: 'agent', id: '' }, id));
    if (entry && entry.seq !== null) this.#put({ ...entry, payload: { ...entry.payload, content }, edited: true });
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#sorted = null;
  }
}

/** A conversation has one agent, so its messages need no sender in their key: a piece of text and the finished text meet there. */
function keyOf(sender: Sender, id: string): string {
  return sender.kind === 'app' ? `app:${sender.id}:${id}` : `${sender.kind}:${id}`;
}

function blank(key: string, id: string, type: string, ts: string, sender: Sender): Entry {
  return { key, id, type, ts, sender, seq: null, mine: false, payload: {}, edited: false, stream: null, streamed: false, failure: null, call: null };
}

function byPlace(a: Entry, b: Entry): number {
  if (a.seq === null || b.seq === null) return Number(a.seq === null) - Number(b.seq === null);
  return a.seq - b.seq;
}

/** Whether this device has not been told how a call ended. */
function isUnsettled({ status }: Outcome): boolean {
  return status === 'pending' || status === 'sending' || status === 'over';
}

/** A text field of a payload, or undefined when it is none. */
export function textField(payload: JsonObject, name: string): string | undefined {
  const value: Json | undefined = payload[name];
  return typeof value === 'string' ? value : undefined;
}

/** An object field of a payload, or an empty one. */
export function objectField(payload: JsonObject, name: string): JsonObject {
  const value: Json | undefined = payload[name];
  return isJsonObject(value) ? value : {};
}
