/** A conversation in memory with scripted sockets: what unit and property tests of `src/conversation` play with. */
import type { Connection, ConnectionState, Transport } from '../../src/conversation/connection.ts';
import { Conversation, type ConversationPorts } from '../../src/conversation/conversation.ts';
import { createMeta } from '../../src/conversation/meta.ts';
import { devicePaired, deviceRevoked } from '../../src/conversation/tidings.ts';
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
  payload: JsonObject;
  settled?: JsonObject;
}

/** One scripted socket. */
export class Socket implements Transport {
  readonly frames: Seen[] = [];
  closedWith: number | null = null;
  saved: ConnectionState | null = null;
  lastPing: number | null = null;
  /** What follows a close by the relay: the object hears the close event later. */
  connection: Connection | undefined;

  send(frame: string): void {
    if (this.closedWith === null) this.frames.push(JSON.parse(frame) as Seen);
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
}

export const AGENT: Participant = { kind: 'agent', id: 'ag_aaaaaaaaaaaaaaaa' };
export const PHONE: Participant = { kind: 'app', id: 'dv_aaaaaaaaaaaaaaaa' };
export const TABLET: Participant = { kind: 'app', id: 'dv_bbbbbbbbbbbbbbbb' };
export const CONVERSATION_ID = 'cv_aaaaaaaaaaaaaaaa';

let ids = 0;

/** The conversation with an agent and two devices. */
export class Room {
  readonly sql = new NodeSql('conversation');
  readonly reports: unknown[] = [];
  now = Date.parse('2026-01-01T00:00:00Z');
  alarmAt: number | null = null;
  conversation: Conversation;
  #sockets = new Set<Socket>();
  #turns: (() => void)[] = [];
  readonly #limits: Limits;

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, rate_per_s: 0, ...limits };
    createMeta(this.sql, { conversationId: CONVERSATION_ID, title: 'Room', createdAt: '2026-01-01T00:00:00.000Z', agentId: AGENT.id });
    this.conversation = this.#load();
    this.conversation.change((ledger, effects) => {
      ledger.participants.add({ ...AGENT, name: 'Hermes' });
      for (const [device, name] of [
        [PHONE, 'Phone'],
        [TABLET, 'Tablet'],
      ] as const) {
        devicePaired(ledger, { device_id: device.id, name, platform: 'web', paired_at: '2026-01-01T00:00:00.000Z' }, effects);
      }
    });
  }

  #load(): Conversation {
    const ports: ConversationPorts = {
      sql: this.sql,
      clock: { now: () => this.now },
      limits: this.#limits,
      nextTurn: () => new Promise((resolve) => this.#turns.push(resolve)),
      setAlarm: (at) => {
        this.alarmAt = at;
      },
      admit: async () => ({ ok: false, close: 4401 }),
      report: (error) => this.reports.push(error),
    };
    const loaded = Conversation.load(ports);
    if (!loaded) throw new Error('the room was not made');
    return loaded;
  }

  /** Opens a socket without a hello. */
  connect(participant: Participant): Socket {
    const socket = new Socket();
    socket.connection = this.conversation.open(socket, { participant, name: participant.id, freshToken: null });
    this.#sockets.add(socket);
    return socket;
  }

  /** Opens a socket and says hello. */
  async join(participant: Participant, payload: JsonObject = {}): Promise<Socket> {
    const socket = this.connect(participant);
    await this.send(socket, 'system.hello', { name: participant.id, session: `s${ids++}`, ...payload });
    return socket;
  }

  /** Sends a frame and lets it commit. @returns the frame's id */
  async send(socket: Socket, type: string, payload: JsonObject = {}, extra: JsonObject = {}): Promise<string> {
    const id = typeof extra.id === 'string' ? extra.id : `m${ids++}`;
    await this.raw(socket, JSON.stringify({ v: 1, type, payload, ...extra, id }));
    return id;
  }

  async raw(socket: Socket, text: string | ArrayBuffer): Promise<void> {
    if (!socket.connection) throw new Error('not connected');
    const done = this.conversation.receive(socket.connection, text);
    await this.turn();
    await done;
  }

  /** Hands several frames over in one turn, as a burst on the network does. */
  async burst(frames: { socket: Socket; type: string; payload: JsonObject; id: string }[]): Promise<void> {
    const all = frames.map(({ socket, type, payload, id }) => {
      if (!socket.connection) throw new Error('not connected');
      return this.conversation.receive(socket.connection, JSON.stringify({ v: 1, id, type, payload }));
    });
    await this.turn();
    for (const done of all) await done;
  }

  /** Ends the current turn: what waits is committed. */
  async turn(): Promise<void> {
    for (let i = 0; i < 6; i++) {
      await Promise.resolve();
      for (const resolve of this.#turns.splice(0)) resolve();
    }
  }

  /** The one answer to a frame. */
  answer(socket: Socket, id: string): Seen | undefined {
    return socket.frames.find(({ type, payload }) => (type === 'system.ack' || type === 'system.error') && payload.ref === id);
  }

  /** The network cuts a socket. */
  cut(socket: Socket): void {
    socket.closedWith ??= 1006;
    this.#sockets.delete(socket);
    if (socket.connection) this.conversation.closed(socket.connection);
  }

  revoke(device: Participant): void {
    for (const connection of [...this.conversation.roster.all()])
      if (connection.participant?.id === device.id) this.conversation.close(connection, 4403);
    this.conversation.change((ledger, effects) =>
      deviceRevoked(ledger, { device_id: device.id, name: device.id, platform: 'web', paired_at: '' }, effects),
    );
  }

  /** The object sleeps and wakes: memory is gone, sockets and their attachments stay. */
  hibernate(): void {
    this.#turns = [];
    this.conversation = this.#load();
    for (const socket of this.#sockets) {
      if (socket.closedWith === null && socket.saved) socket.connection = this.conversation.adopt(socket, socket.saved);
    }
  }

  /** The object is gone, and all sockets with it; what was committed stays. */
  crash(): void {
    for (const socket of this.#sockets) socket.closedWith ??= 1006;
    this.#sockets.clear();
    this.#turns = [];
    this.conversation = this.#load();
  }

  /** Lets time pass, and the alarm ring when it is due. */
  pass(ms: number): void {
    this.now += ms;
    if (this.alarmAt === null || this.alarmAt > this.now) return;
    this.alarmAt = null;
    this.conversation.runDue();
  }
}
