/** A conversation in memory with scripted sockets: what unit and property tests of `src/conversation` play with. */
import type { Connection, ConnectionState, Transport } from '../../src/conversation/connection.ts';
import { Conversation, type ConversationPorts } from '../../src/conversation/conversation.ts';
import type { Ledger } from '../../src/conversation/ledger.ts';
import { createMeta } from '../../src/conversation/meta.ts';
import { devicePaired, deviceRevoked } from '../../src/conversation/tidings.ts';
import { CLOSE } from '../../src/protocol/close-codes.ts';
import type { Participant } from '../../src/protocol/envelope.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/protocol/limits.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { NodeSql } from './node-sql.ts';

/** A frame as a client sees it. */
export interface Seen {
  id: string;
  type: string;
  seq?: number | null;
  sender?: { kind: string; id?: string };
  ts?: string;
  payload: JsonObject;
  settled?: JsonObject;
}

/** One scripted socket. */
export class Socket implements Transport {
  readonly frames: Seen[] = [];
  /** The same as text. */
  readonly texts: string[] = [];
  closedWith: number | null = null;
  saved: ConnectionState | null = null;
  lastPing: number | null = null;
  /** What the relay sends no longer arrives, though neither side knows. */
  deaf = false;
  connection: Connection | undefined;

  send(frame: string): void {
    if (this.closedWith !== null || this.deaf) return;
    this.texts.push(frame);
    this.frames.push(JSON.parse(frame) as Seen);
  }
  close(code: number): void {
    this.closedWith = code;
  }
  save(state: ConnectionState): void {
    this.saved = structuredClone(state);
  }
  lastPingAt(): number | null {
    return this.lastPing;
  }
  of(type: string): Seen[] {
    return this.frames.filter((frame) => frame.type === type);
  }
  /** Frames with a seq, in the order they came. */
  logged(): Seen[] {
    return this.frames.filter(({ seq }) => typeof seq === 'number');
  }
  /** Seqs in the order they came. */
  seqs(): number[] {
    return this.logged().map(({ seq }) => seq as number);
  }
  /** Types of all frames, and of what came after the first `from`. */
  types(from = 0): string[] {
    return this.frames.slice(from).map(({ type }) => type);
  }
}

export const AGENT: Participant = { kind: 'agent', id: 'ag_aaaaaaaaaaaaaaaa' };
export const PHONE: Participant = { kind: 'app', id: 'dv_aaaaaaaaaaaaaaaa' };
export const TABLET: Participant = { kind: 'app', id: 'dv_bbbbbbbbbbbbbbbb' };
export const CONVERSATION_ID = 'cv_aaaaaaaaaaaaaaaa';
/** When a room opens, ms. */
export const OPENS_AT = Date.parse('2026-01-01T00:00:00Z');

const known = (device: Participant) => ({ device_id: device.id, name: device.id, platform: 'web', paired_at: '2026-01-01T00:00:00.000Z' });

let ids = 0;

/** The conversation with an agent and two devices. */
export class Room {
  readonly sql = new NodeSql('conversation');
  readonly reports: unknown[] = [];
  now = OPENS_AT;
  alarmAt: number | null = null;
  conversation: Conversation;
  /** What becomes of a token that comes with hello. */
  admit: ConversationPorts['admit'] = async () => ({ ok: false, close: CLOSE.unauthorized });
  readonly limits: Limits;
  #sockets = new Set<Socket>();
  #turns: (() => void)[] = [];

  /** @param limits what differs from the defaults; there is no rate limit unless a test asks for one */
  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, rate_per_s: 0, ...limits };
    createMeta(this.sql, { conversationId: CONVERSATION_ID, title: 'Room', createdAt: '2026-01-01T00:00:00.000Z', agentId: AGENT.id });
    this.conversation = this.load();
    this.conversation.change((ledger, effects) => {
      ledger.participants.add({ ...AGENT, name: 'Hermes' });
      for (const device of [PHONE, TABLET]) devicePaired(ledger, known(device), effects);
    });
  }

  /** Loads the conversation once more, from what is stored. */
  load(): Conversation {
    const loaded = Conversation.load({
      sql: this.sql,
      clock: { now: () => this.now },
      limits: this.limits,
      nextTurn: () => new Promise((resolve) => this.#turns.push(resolve)),
      keepAwake: () => undefined,
      setAlarm: (at) => {
        const before = this.alarmAt;
        this.sql.onRollback(() => (this.alarmAt = before));
        this.alarmAt = at;
      },
      admit: (token) => this.admit(token),
      report: (error) => this.reports.push(error),
    });
    if (!loaded) throw new Error('the room was not made');
    return loaded;
  }

  get ledger(): Ledger {
    return this.conversation.ledger;
  }

  /** Opens a socket without a hello. */
  connect(participant: Participant | null, freshToken: string | null = null): Socket {
    const socket = new Socket();
    socket.connection = this.conversation.open(socket, participant && { participant, name: participant.id, freshToken });
    this.#sockets.add(socket);
    return socket;
  }

  /** Opens a socket and says hello. */
  async join(participant: Participant, hello: JsonObject = {}): Promise<Socket> {
    const socket = this.connect(participant);
    await this.hello(socket, hello);
    return socket;
  }

  /** Says hello, with a session of its own unless a test names one. */
  async hello(socket: Socket, hello: JsonObject = {}): Promise<string> {
    return this.send(socket, 'system.hello', { name: 'Test', session: `s${ids++}`, ...hello });
  }

  /** What a client that remembers `seq` says in its hello. */
  resume(seq: number): JsonObject {
    return { resume: { epoch: this.ledger.meta.epoch, seq } };
  }

  /** Sends a frame and lets it commit. @returns the frame's id */
  async send(socket: Socket, type: string, payload: JsonObject = {}, extra: JsonObject = {}): Promise<string> {
    const id = typeof extra.id === 'string' ? extra.id : `m${ids++}`;
    await this.raw(socket, JSON.stringify({ v: 1, type, payload, ...extra, id }));
    return id;
  }

  /** Sends a frame and gives its one answer. */
  async ask(socket: Socket, type: string, payload: JsonObject = {}, extra: JsonObject = {}): Promise<JsonObject> {
    const from = socket.frames.length;
    const id = await this.send(socket, type, payload, extra);
    const answers = socket.frames.slice(from).filter((frame) => /^system\.(ack|error)$/.test(frame.type) && frame.payload.ref === id);
    if (answers.length !== 1) throw new Error(`${answers.length} answers to ${type}`);
    return answers[0]?.payload ?? {};
  }

  /** Sends a text frame as it is, or a binary one, and lets it commit. */
  async raw(socket: Socket, data: string | ArrayBuffer): Promise<void> {
    const done = this.hand(socket, data);
    await this.turn();
    await done;
  }

  /** Hands a frame over; what it waits for goes on waiting. */
  hand(socket: Socket, data: string | ArrayBuffer): Promise<void> | undefined {
    if (!socket.connection) throw new Error('not connected');
    return this.conversation.receive(socket.connection, data);
  }

  /** Hands several frames over in one turn, as a burst on the network does. */
  async burst(frames: { socket: Socket; type: string; payload: JsonObject; id: string; target?: JsonObject }[]): Promise<void> {
    const all = frames.map(({ socket, ...envelope }) => this.hand(socket, JSON.stringify({ v: 1, ...envelope })));
    await this.turn();
    for (const done of all) await done;
  }

  /** One envelope over HTTP. */
  async post(from: Participant, type: string, payload: JsonObject = {}, extra: JsonObject = {}): Promise<Awaited<ReturnType<Conversation['post']>>> {
    const posted = this.conversation.post(from, JSON.stringify({ v: 1, id: `m${ids++}`, type, payload, ...extra }));
    await this.turn();
    return posted;
  }

  /** Ends the current turn: what waits is committed. */
  async turn(): Promise<void> {
    for (let i = 0; i < 6; i++) {
      await Promise.resolve();
      for (const resolve of this.#turns.splice(0)) resolve();
    }
  }

  /** The first answer to a frame. */
  answer(socket: Socket, id: string): Seen | undefined {
    return socket.frames.find(({ type, payload }) => (type === 'system.ack' || type === 'system.error') && payload.ref === id);
  }

  /** The network cuts a socket. */
  cut(socket: Socket): void {
    socket.closedWith ??= 1006;
    this.#sockets.delete(socket);
    if (socket.connection) this.conversation.closed(socket.connection);
  }

  /** A device is paired. */
  pair(device: Participant): void {
    this.conversation.change((ledger, effects) => devicePaired(ledger, known(device), effects));
  }

  /** A device is revoked. */
  revoke(device: Participant): void {
    for (const connection of [...this.conversation.roster.all()]) {
      if (connection.participant?.id === device.id) this.conversation.close(connection, CLOSE.revoked);
    }
    this.conversation.change((ledger, effects) => deviceRevoked(ledger, known(device), effects));
  }

  /** The object sleeps and wakes: memory is gone, sockets and their attachments stay. */
  hibernate(): void {
    this.#turns = [];
    this.conversation = this.load();
    for (const socket of this.#sockets) {
      if (socket.closedWith === null && socket.saved) socket.connection = this.conversation.adopt(socket, structuredClone(socket.saved));
    }
  }

  /** The object is gone, and all sockets with it; what was committed stays. */
  crash(): void {
    for (const socket of this.#sockets) socket.closedWith ??= 1006;
    this.#sockets.clear();
    this.#turns = [];
    this.conversation = this.load();
  }

  /** Lets time pass, and the alarm ring whenever it is due. */
  pass(ms: number): void {
    this.now += ms;
    for (let rings = 0; this.alarmAt !== null && this.alarmAt <= this.now; rings++) {
      if (rings > 10) throw new Error('the alarm rings without end');
      this.alarmAt = null;
      this.conversation.runDue();
    }
  }
}
