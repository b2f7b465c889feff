/** One WebSocket of a participant, with every frame that it got, in the order they came. */
import { randomUUID } from 'node:crypto';
import { WebSocket, type ClientOptions } from 'ws';
import type { Sender, Target } from '../../src/protocol/envelope.ts';
import type { Ack, ErrorFrame, Welcome } from '../../src/protocol/handshake.ts';
import type { JsonObject } from '../../src/protocol/json.ts';

/** A frame as it came. */
export interface Frame {
  v: number;
  id: string;
  type: string;
  conversation_id?: string;
  sender: Sender;
  target?: Target;
  seq?: number | null;
  ts?: string;
  settled?: { status: string; by: Sender; at: string };
  payload: JsonObject;
}

/** How a message was answered: exactly one of the two. */
export type Answer = ({ type: 'system.ack' } & Ack) | ({ type: 'system.error' } & ErrorFrame);

/** What else an envelope may hold, beside type and payload. */
export type Extra = { id?: string; target?: Target } & Record<string, unknown>;

/** How long anything may take, in ms. */
const PATIENCE_MS = 20_000;

let sent = 0;
/** An id that nobody used before. */
export function freshId(prefix = 'm'): string {
  return `${prefix}${++sent}_${randomUUID().slice(0, 8)}`;
}

/** See the file's head. */
export class Wire {
  readonly frames: Frame[] = [];
  /** The same as text. */
  readonly texts: string[] = [];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #closeCode: number | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(url: string, token: string | undefined) {
    const options: ClientOptions = { perMessageDeflate: false, ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }) };
    const socket = new WebSocket(url, options);
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => this.#take(data, isBinary));
    // Its close follows, and that is what tests look at.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', (code: number) => {
        this.#closeCode = code;
        resolve(code);
        this.#tell();
      });
    });
  }

  #take(data: Buffer, isBinary: boolean): void {
    const text = isBinary ? '(binary)' : data.toString();
    this.texts.push(text);
    if (text.startsWith('{')) this.frames.push(JSON.parse(text) as Frame);
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Null while it is open. */
  get closeCode(): number | null {
    return this.#closeCode;
  }

  /** Waits for the upgrade. */
  async opened(): Promise<void> {
    await this.until(
      'an open socket',
      () => this.#socket.readyState === WebSocket.OPEN || undefined,
      (again) => this.#socket.once('open', again),
    );
  }

  /** Waits until `look` finds something. @throws Error naming it, with what came instead, when it does not in time or the socket closes */
  async until<T>(what: string, look: () => T | undefined, alsoOn?: (again: () => void) => void): Promise<T> {
    return await new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(again);
        settle();
      };
      const again = (): void => {
        const found = look();
        if (found !== undefined) end(() => resolve(found));
        else if (this.#closeCode !== null) end(() => reject(new Error(`closed with ${this.#closeCode} before ${what}; ${this.#lately()}`)));
      };
      const timer = setTimeout(() => end(() => reject(new Error(`no ${what}; ${this.#lately()}`))), PATIENCE_MS);
      this.#listeners.add(again);
      alsoOn?.(again);
      again();
    });
  }

  #lately(): string {
    return `last came ${this.frames
      .slice(-5)
      .map(({ type, id, payload }) => `${type} ${payload.code === undefined ? id : String(payload.code)}`)
      .join(', ')}`;
  }

  /** The first frame from `from` on that matches. */
  async wait(matches: string | ((frame: Frame) => boolean), what = 'such a frame', from = 0): Promise<Frame> {
    const test = typeof matches === 'string' ? ({ type }: Frame) => type === matches : matches;
    return await this.until(typeof matches === 'string' ? matches : what, () => this.frames.slice(from).find(test));
  }

  /** The message with this id. */
  async message(id: string, from = 0): Promise<Frame> {
    return await this.wait((frame) => isMessage(frame) && frame.id === id, `message ${id}`, from);
  }

  /** How often the message with this id came. */
  count(id: string): number {
    return this.messages().filter((frame) => frame.id === id).length;
  }

  /** All that participants said, and what the relay said in the log. */
  messages(from = 0): Frame[] {
    return this.frames.slice(from).filter(isMessage);
  }

  of(type: string, from = 0): Frame[] {
    return this.frames.slice(from).filter((frame) => frame.type === type);
  }

  raw(data: string | Buffer, binary = false): void {
    this.#socket.send(data, { binary });
  }

  /** Sends a message. @returns its id */
  send(type: string, payload: object = {}, extra: Extra = {}): string {
    const id = extra.id ?? freshId();
    this.raw(JSON.stringify({ v: 1, type, payload, ...extra, id }));
    return id;
  }

  /** Sends a message and waits for its one answer. */
  async ask(type: string, payload: object = {}, extra: Extra = {}): Promise<Answer> {
    const from = this.frames.length;
    return await this.answer(this.send(type, payload, extra), from);
  }

  /** The answer to a message. */
  async answer(id: string, from = 0): Promise<Answer> {
    const frame = await this.wait(({ type, payload }) => isAnswer(type) && payload.ref === id, `answer to ${id}`, from);
    return { type: frame.type, ...frame.payload } as unknown as Answer;
  }

  /** Sends a message that is accepted. @returns its seq; null for a kept one */
  async ok(type: string, payload: object = {}, extra: Extra = {}): Promise<{ id: string; seq: number; duplicate: boolean }> {
    const id = extra.id ?? freshId();
    const answer = await this.ask(type, payload, { ...extra, id });
    if (answer.type === 'system.error') throw new Error(`${type} was refused: ${answer.code} (${answer.message})`);
    return { id, seq: answer.seq as number, duplicate: answer.duplicate };
  }

  /** Sends a message that is refused. @returns the code */
  async refused(type: string, payload: object = {}, extra: Extra = {}): Promise<string> {
    const answer = await this.ask(type, payload, extra);
    if (answer.type === 'system.ack') throw new Error(`${type} was acknowledged`);
    return answer.code;
  }

  /** Waits until everything that was sent before has been answered and has come. */
  async sync(): Promise<void> {
    const from = this.frames.length;
    const id = this.send('system.ping');
    await this.wait(({ type, payload }) => type === 'system.pong' && payload.ping_id === id, 'system.pong', from);
  }

  /** Leaves, as a client that is done. */
  async end(): Promise<void> {
    this.#socket.close(1000);
    await this.closed;
  }

  /** Cuts the connection without a word. */
  cut(): void {
    this.#socket.terminate();
  }
}

/** A socket that said hello. */
export interface Joined extends Wire {
  welcome: Welcome;
  /** What came between welcome and synced: the restored and the missed. */
  replay: Frame[];
}

/** Says hello and reads to the end of the replay. @throws Error when welcome, replay and synced do not come in this order */
export async function hello(wire: Wire, payload: object): Promise<Joined> {
  await wire.opened();
  wire.send('system.hello', payload);
  const welcome = await wire.wait('system.welcome');
  const synced = await wire.wait('system.synced');
  if (wire.frames[0] !== welcome) throw new Error(`${wire.frames[0]?.type} came before the welcome`);
  const replay = wire.frames.slice(1, wire.frames.indexOf(synced));
  return Object.assign(wire, { welcome: welcome.payload as unknown as Welcome, replay });
}

function isAnswer(type: string): boolean {
  return type === 'system.ack' || type === 'system.error';
}

function isMessage({ type }: Frame): boolean {
  return !type.startsWith('system.');
}
