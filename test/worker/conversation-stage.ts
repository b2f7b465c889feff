/**
 * A conversation in workerd with everybody who takes part, under one of three regimes: undisturbed, put to sleep before every frame,
 * or evicted before every frame with all sockets cut, so that everybody comes back by resume.
 */
import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Sender } from '../../src/protocol/envelope.ts';
import type { Welcome } from '../../src/protocol/handshake.ts';
import type { ConversationObject } from '../../src/worker/conversation-object.ts';
import { connect, enrol, pair, type Bearer, type TestSocket } from './getting-in-client.ts';

/** What happens between any two frames. */
export type Regime = 'none' | 'hibernate' | 'close';
export const REGIMES: readonly Regime[] = ['none', 'hibernate', 'close'];

/** A frame as it came. */
export interface Frame {
  id: string;
  type: string;
  sender?: Sender;
  target?: { kind: string; id?: string };
  seq?: number | null;
  settled?: { status: string; by: Sender };
  payload: Record<string, unknown>;
}

/** One answer to a message: the payload of its ack or error. */
export interface Answer {
  ref: string;
  seq: number | null;
  duplicate: boolean;
  /** Of a refusal. */
  code?: string;
}

let made = 0;

/** A participant with one socket after another. It keeps a cursor and forgets what it has seen already, as clients do (§4). */
export class Client {
  readonly bearer: Bearer;
  /** What came, over all its sockets: messages once each, control frames as they came. */
  readonly frames: Frame[] = [];
  /** Messages that came again although its cursor was beyond them. */
  readonly repeats: Frame[] = [];
  welcome: Welcome | undefined;
  #socket: TestSocket | undefined;
  #read = 0;
  #known = new Set<string>();
  #cursor = 0;
  #attempt = 0;
  readonly #session = crypto.randomUUID();
  readonly #stage: Stage;

  constructor(stage: Stage, bearer: Bearer) {
    this.#stage = stage;
    this.bearer = bearer;
  }

  /** Connects, with a resume when it was here before. */
  async join(payload: object = {}): Promise<this> {
    this.#take();
    const socket = await connect(this.bearer.conversation, this.bearer.token);
    this.#socket = socket;
    this.#read = 0;
    const resume = this.welcome && { resume: { epoch: this.welcome.epoch, seq: this.#cursor } };
    socket.send({
      type: 'system.hello',
      payload: { name: this.bearer.kind, session: this.#session, attempt: ++this.#attempt, ...resume, ...payload },
    });
    this.welcome = (await socket.wait('system.welcome')) as unknown as Welcome;
    await socket.wait('system.synced');
    this.#take();
    return this;
  }

  leave(): void {
    this.#take();
    this.#socket?.end();
    this.#socket = undefined;
  }

  get isHere(): boolean {
    return this.#socket !== undefined;
  }

  /** The code with which its newest socket closed. */
  async closed(): Promise<number> {
    return (await this.#socket!.closed).code;
  }

  #take(): void {
    const fresh = (this.#socket?.frames ?? []).slice(this.#read) as Frame[];
    this.#read += fresh.length;
    for (const frame of fresh) {
      if (typeof frame.seq === 'number') this.#cursor = Math.max(this.#cursor, frame.seq);
      if (frame.type === 'system.synced') this.#cursor = Math.max(this.#cursor, frame.payload.seq as number);
      const key = `${JSON.stringify(frame.sender)} ${frame.id}`;
      // Only what is stored has an id that says anything about a second time.
      if (!frame.type.startsWith('system.') && this.#known.has(key)) {
        this.repeats.push(frame);
        continue;
      }
      if (frame.seq !== undefined) this.#known.add(key);
      this.frames.push(frame);
    }
  }

  /** Sends a frame, after what the regime does. @returns its id */
  async send(type: string, payload: object = {}, extra: { id?: string; target?: object } = {}): Promise<string> {
    const id = extra.id ?? `m${++made}`;
    await this.#stage.between();
    this.#socket!.send({ type, payload, ...extra, id });
    return id;
  }

  /** Sends a message and waits for its answer. */
  async ask(type: string, payload: object = {}, extra: { id?: string; target?: object } = {}): Promise<Answer> {
    const from = this.frames.length;
    const id = await this.send(type, payload, extra);
    const { payload: said } = await this.wait(({ type: kind, payload: { ref } }) => /^system\.(ack|error)$/.test(kind) && ref === id, from);
    return said as unknown as Answer;
  }

  /** Sends a message that has to be accepted. */
  async ok(
    type: string,
    payload: object = {},
    extra: { id?: string; target?: object } = {},
  ): Promise<{ id: string; seq: number; duplicate: boolean }> {
    const answer = await this.ask(type, payload, extra);
    if (answer.code !== undefined) throw new Error(`${type} was refused: ${answer.code}`);
    return { id: answer.ref, seq: answer.seq as number, duplicate: answer.duplicate };
  }

  /** A round trip, after which everything that was sent before has come. */
  async sync(): Promise<void> {
    const from = this.frames.length;
    const id = await this.send('system.ping');
    await this.wait(({ type, payload }) => type === 'system.pong' && payload.ping_id === id, from);
  }

  /** The first frame from `from` on that matches. */
  async wait(matches: string | ((frame: Frame) => boolean), from = 0): Promise<Frame> {
    const test = typeof matches === 'string' ? ({ type }: Frame) => type === matches : matches;
    for (let i = 0; i < 600; i++) {
      this.#take();
      const frame = this.frames.slice(from).find(test);
      if (frame) return frame;
      await scheduler.wait(5);
    }
    throw new Error(`not among ${this.frames.map(({ type, id }) => `${type} ${id}`).join(', ')}`);
  }

  /** The message with this id. */
  async message(id: string): Promise<Frame> {
    return await this.wait((frame) => frame.id === id && !frame.type.startsWith('system.'));
  }

  of(type: string, from = 0): Frame[] {
    this.#take();
    return this.frames.slice(from).filter((frame) => frame.type === type);
  }

  /** Ids of all messages, in the order they came. */
  get messages(): string[] {
    this.#take();
    return this.frames.filter(({ type }) => !type.startsWith('system.')).map(({ id }) => id);
  }
}

/** See the file's head. */
export class Stage {
  readonly regime: Regime;
  readonly agent: Client;
  readonly devices: Client[] = [];

  private constructor(regime: Regime, agent: Bearer) {
    this.regime = regime;
    this.agent = new Client(this, agent);
  }

  /** An agent and so many devices, all of them live. */
  static async open(regime: Regime, count = 1): Promise<Stage> {
    const stage = new Stage(regime, await enrol());
    for (let i = 0; i < count; i++) stage.devices.push(new Client(stage, await pair(stage.agent.bearer, `Phone ${i}`)));
    for (const client of stage.#clients) await client.join();
    return stage;
  }

  get #clients(): Client[] {
    return [this.agent, ...this.devices];
  }

  get stub(): DurableObjectStub<ConversationObject> {
    return env.CONVERSATIONS.getByName(this.agent.bearer.conversation);
  }

  /** Does what the regime does between two frames. */
  async between(): Promise<void> {
    if (this.regime === 'none') return;
    await evict(this.stub, this.regime);
    if (this.regime === 'hibernate') return;
    for (const client of this.#clients) if (client.isHere) await client.join();
  }

  end(): void {
    for (const client of this.#clients) client.leave();
  }
}

/** Takes the object's memory away; one that has none already has nothing to lose. */
async function evict(stub: DurableObjectStub<ConversationObject>, webSockets: 'hibernate' | 'close'): Promise<void> {
  try {
    await evictDurableObject(stub, { webSockets });
  } catch (error) {
    if (!String(error).includes('not currently running')) throw error;
  }
}
