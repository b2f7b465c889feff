/** A client that does as §4 says, over sockets that break: it connects, resumes, deduplicates, and notes whatever should not be. */
import type { Delivered, Participant } from '../../src/protocol/envelope.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { History, Observer } from '../history-checker.ts';
import type { Room, Seen, Socket } from '../support/room.ts';
import type { Memory } from './steps.ts';

/** What a client remembers from socket to socket. Losing it makes another observer. */
interface Mind {
  observer: Observer;
  epoch: string;
  cursor: number;
  /** Cursors that it had earlier. */
  past: number[];
  /** The highest cursor that it ever had. */
  highest: number;
  /** Sender and id of everything it has seen or sent. */
  known: Set<string>;
}

/** An answer of the relay to something that was sent. */
export interface Answered {
  ref: string;
  seq: number | null;
  duplicate: boolean;
  /** Null for an ack. */
  code: string | null;
}

/** The key of a frame: who sent it, and its id. */
export const keyOf = ({ sender, id }: Pick<Seen, 'sender' | 'id'>): string => `${sender?.id ?? 'relay'} ${id}`;

const RESULTS = ['tool.result', 'lineup.v1.app.result'];
const RESTORED = ['tool.call', 'lineup.v1.app.call', 'lineup.v1.ui.open', 'lineup.v1.ui.patch'];

/** One tab or process. */
export class Client {
  readonly self: Participant;
  readonly problems: string[] = [];
  readonly #name: string;
  readonly #room: Room;
  readonly #history: History;
  readonly #onAnswer: (client: Client, answer: Answered) => void;
  socket: Socket | null = null;
  mind: Mind | null = null;
  /** The newest status that it was told of. */
  status: unknown = null;
  isOut = false;
  #attempt = 0;
  #resumed: { seq: number; epoch: string } | null = null;
  /** Frames of the socket that were read. */
  #read = 0;
  #seen = new Set<string>();
  #synced = false;
  /** The cursor that the relay was told of, and bytes received beyond it. */
  #told = 0;
  #beyond: [number, number][] = [];
  /** Ids that were sent by this socket first. */
  #sentHere = new Set<string>();
  /** Ids that were sent by this socket, and have no answer. */
  #unanswered: string[] = [];

  constructor(name: string, self: Participant, room: Room, history: History, onAnswer: (client: Client, answer: Answered) => void) {
    this.#name = name;
    this.self = self;
    this.#room = room;
    this.#history = history;
    this.#onAnswer = onAnswer;
  }

  /** Whether there is a socket, as far as the client knows. */
  get isOpen(): boolean {
    return this.socket !== null && this.socket.closedWith === null;
  }

  /** Whether what the relay says arrives. */
  get hears(): boolean {
    return this.isOpen && this.socket?.deaf === false;
  }

  connect(memory: Memory, cancels = false): void {
    this.read();
    const { mind } = this;
    const seq = memory === 'some' ? (mind?.past.at(-Math.ceil(mind.past.length / 2)) ?? mind?.cursor) : mind?.cursor;
    const resume = { epoch: mind?.epoch ?? '', seq: seq ?? 0 };
    if (memory === 'another epoch') resume.epoch = 'e_another';
    if (memory === 'too much') resume.seq = this.#room.ledger.log.head + 100;
    this.#resumed = mind === null || memory === 'nothing' ? null : resume;
    this.socket = this.#room.connect(this.self);
    this.#read = 0;
    this.#seen = new Set();
    this.#synced = false;
    this.#beyond = [];
    this.#sentHere = new Set();
    this.#unanswered = [];
    this.#hello(this.socket, ++this.#attempt, { cancel_pending: cancels, ...(this.#resumed && { resume: { ...this.#resumed } }) });
  }

  /** A hello that was stuck in the network comes after the one that replaced it. */
  lateHello(): void {
    if (!this.isOpen) return;
    const late = this.#room.connect(this.self);
    this.#hello(late, this.#attempt - 1, {});
    if (late.closedWith !== 4409 || late.frames.length > 0) this.#problem(`a late hello was closed with ${late.closedWith}`);
    if (!this.isOpen) this.#problem('a late hello closed the socket that came after it');
  }

  /** What the relay says no longer arrives, and neither side knows. */
  deafen(): void {
    if (this.socket) this.socket.deaf = true;
  }

  cut(): void {
    if (!this.socket) return;
    this.read();
    this.#room.cut(this.socket);
  }

  /** Hands a frame over for the first time: it never comes back to this socket. */
  sendFirst(id: string, type: string, payload: JsonObject, target?: JsonObject): void {
    this.#sentHere.add(id);
    this.send(id, type, payload, target);
  }

  /** Hands a frame over; its answer is due with the end of the turn. */
  send(id: string, type: string, payload: JsonObject, target?: JsonObject): void {
    if (!this.isOpen) return;
    this.#unanswered.push(id);
    this.#hand({ id, type, payload, ...(target && { target }) });
  }

  /** An ephemeral one, which is not answered. */
  whisper(type: string, payload: JsonObject): void {
    if (this.isOpen) this.#hand({ id: `${this.#name}-whisper`, type, payload });
  }

  /** Tells the relay how far this client has read, or a share of it. */
  received(share = 1): void {
    if (!this.isOpen || !this.mind) return;
    this.read();
    const seq = this.#told + Math.floor((this.mind.cursor - this.#told) * share);
    if (seq <= this.#told) return;
    this.#told = seq;
    this.#beyond = this.#beyond.filter(([beyond]) => beyond > seq);
    this.#hand({ id: `${this.#name}-received`, type: 'system.received', payload: { seq } });
  }

  /** Everything that was sent has its answer, unless the socket died or went deaf. */
  expectAnswers(): void {
    if (this.hears && this.#unanswered.length > 0) this.#problem(`no answer to ${this.#unanswered.join(', ')}`);
  }

  /** It may never come back. */
  leave(): void {
    this.isOut = true;
    this.#forget();
  }

  /** Whatever it knew is lost, and nothing can be missing in that any more. */
  #forget(): void {
    this.mind?.observer.gap(Number.MAX_SAFE_INTEGER);
    this.mind = null;
  }

  /** Reads what came. */
  read(): void {
    const { socket } = this;
    if (!socket) return;
    for (; this.#read < socket.frames.length; this.#read++) {
      this.#take(socket.frames[this.#read] as Seen, Buffer.byteLength(socket.texts[this.#read] as string));
    }
  }

  #hello(socket: Socket, attempt: number, more: JsonObject): void {
    const payload = { name: this.#name, session: this.#name, attempt, ...more };
    void this.#room.hand(socket, JSON.stringify({ v: 1, id: `${this.#name}-hello-${attempt}`, type: 'system.hello', payload }));
  }

  #hand(envelope: object): void {
    if (this.socket) void this.#room.hand(this.socket, JSON.stringify({ v: 1, ...envelope }));
  }

  #take(frame: Seen, bytes: number): void {
    const { type, payload } = frame;
    if (frame.sender?.id === this.self.id && this.#sentHere.has(frame.id)) this.#problem(`${frame.id} came back to the socket that sent it`);
    if (typeof frame.seq === 'number') this.#logged(frame, bytes);
    else if (type === 'system.welcome') this.#welcomed(payload);
    else if (type === 'system.synced') this.#sync(payload.seq as number);
    else if (type === 'system.ack')
      this.#answered({ ref: payload.ref as string, seq: payload.seq as number | null, duplicate: payload.duplicate as boolean, code: null });
    else if (type === 'system.error') this.#answered({ ref: payload.ref as string, seq: null, duplicate: false, code: payload.code as string });
    else if (type === 'status') this.status = payload;
    else if (type === 'text.delta' && !this.#synced) this.#problem('an ephemeral frame came before the replay was over');
  }

  #welcomed(payload: JsonObject): void {
    const {
      gap,
      resumed,
      head_seq: head,
      oldest_seq: oldest,
      epoch,
    } = payload as { gap: boolean; resumed: boolean; head_seq: number; oldest_seq: number; epoch: string };
    const wanted = this.#resumed;
    const inLog = wanted !== null && wanted.epoch === epoch && wanted.seq >= oldest - 1 && wanted.seq <= head;
    if (resumed !== inLog || gap !== (wanted !== null && !inLog))
      this.#problem(`resume ${JSON.stringify(wanted)}: ${JSON.stringify({ gap, resumed, head, oldest })}`);
    this.status = payload.status;
    const start = resumed && wanted ? wanted.seq : gap ? oldest - 1 : head;
    if (!resumed || !this.mind) {
      this.#forget();
      const observer = this.#history.observer(`${this.#name} #${this.#attempt}`, this.self, start);
      this.mind = { observer, epoch, cursor: start, past: [], highest: start, known: new Set() };
    }
    this.mind.cursor = start;
    this.#told = start;
  }

  #sync(seq: number): void {
    if (this.#synced) this.#problem('synced twice');
    this.#synced = true;
    if (this.mind) this.mind.cursor = Math.max(this.mind.cursor, seq);
  }

  #answered(answer: Answered): void {
    const at = this.#unanswered.indexOf(answer.ref);
    if (at === -1) this.#problem(`an answer to ${answer.ref} that nobody waits for: ${answer.code ?? 'ack'}`);
    this.#unanswered.splice(at, 1);
    if (answer.code === null) this.mind?.known.add(`${this.self.id} ${answer.ref}`);
    else this.#sentHere.delete(answer.ref);
    this.#onAnswer(this, answer);
  }

  #logged(frame: Seen, bytes: number): void {
    const { mind } = this;
    const seq = frame.seq as number;
    const key = keyOf(frame);
    if (!mind) return this.#problem(`${key} before the welcome`);
    const isNew = seq > mind.cursor;
    const resent = !isNew && RESULTS.includes(frame.type);
    if (this.#seen.has(key) && !resent) this.#problem(`${key} twice on one socket`);
    this.#seen.add(key);
    if (isNew) {
      mind.past.push(mind.cursor);
      mind.cursor = seq;
      mind.highest = Math.max(mind.highest, seq);
      this.#count(seq, bytes);
    } else if (!resent && (this.#synced || !RESTORED.includes(frame.type)))
      this.#problem(`${frame.type} ${key} with seq ${seq} after ${mind.cursor}`);
    if (mind.known.has(key)) return;
    mind.known.add(key);
    // The socket on which a user closed a surface is told of it only by a replay.
    const catchesUp = seq < mind.highest && frame.type === 'lineup.v1.ui.close' && frame.sender?.kind === 'relay';
    mind.observer.receives(frame as unknown as Delivered, !isNew || catchesUp);
  }

  /** The relay sends no more than the window beyond what it was told, one frame aside. */
  #count(seq: number, bytes: number): void {
    if (seq <= this.#told) return;
    this.#beyond.push([seq, bytes]);
    const sum = this.#beyond.reduce((all, [, each]) => all + each, 0);
    if (this.#beyond.length > 1 && sum > this.#room.limits.window_bytes) this.#problem(`${sum} bytes beyond ${this.#told}`);
  }

  #problem(what: string): void {
    this.problems.push(`${this.#name}: ${what}`);
  }
}
