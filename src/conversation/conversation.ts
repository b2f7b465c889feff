/**
 * One conversation without a platform: sockets in, sockets out, two ports for storage and time. The Durable Object is a shell
 * around this class.
 */
import { CLOSE, type CloseCode } from '../protocol/close-codes.ts';
import { readFrame, type Envelope, type Participant, type ReadFrame, describeIssue } from '../protocol/envelope.ts';
import { MALFORMED_CODES, refusal, type Refusal } from '../protocol/errors.ts';
import { hello as helloSchema, type Hello } from '../protocol/handshake.ts';
import { randomToken } from '../protocol/ids.ts';
import type { Json } from '../protocol/json.ts';
import type { Limits } from '../protocol/limits.ts';
import { canSee } from './audience.ts';
import { Alarm } from './alarm.ts';
import { cancelPending, expireCalls } from './call-rules.ts';
import { Committer, type Waiting } from './commit.ts';
import { Connection, type ConnectionState, type Transport } from './connection.ts';
import { controlFrame, deliveredFrame, errorFrame, isoTime, type Answer, type Effect } from './effects.ts';
import { resumePoint, restored, welcome } from './handshake.ts';
import { loadLedger, type Ledger } from './ledger.ts';
import { audienceFor, type Inbound } from './message.ts';
import type { Clock, Sql } from './ports.ts';
import { acknowledge, offer, pump, waits } from './pump.ts';
import { retain } from './retention.ts';
import { CLOSE_REASONS, Roster } from './roster.ts';
import { jsonText, type JsonObject } from '../protocol/json.ts';

/** What a conversation needs of its surroundings. */
export interface ConversationPorts {
  sql: Sql;
  clock: Clock;
  limits: Limits;
  /** Resolves when everything that waits to be received has been: frames that came meanwhile are committed together. */
  nextTurn(): Promise<void>;
  /** Sees that work which nobody waits for is finished before the conversation may sleep. */
  keepAwake(work: Promise<void>): void;
  /** Sets the one alarm, in ms. Called inside the transaction that needs it. */
  setAlarm(at: number): void;
  /** Checks a token that came with hello (§4). */
  admit(token: string): Promise<{ ok: true; participant: Participant; name: string; freshToken: string | null } | { ok: false; close: CloseCode }>;
  /** Hears of errors that are not the client's; logs no content. */
  report(error: unknown): void;
}

/** A participant that was let in on the upgrade. */
export interface Admitted {
  participant: Participant;
  name: string;
  freshToken: string | null;
}

/** Frames that a connection may send while the token in its hello is looked at. */
const MAX_HELD_FRAMES = 64;

/** One conversation that exists. */
export class Conversation {
  readonly #ports: ConversationPorts;
  readonly #committer: Committer;
  readonly #alarm: Alarm;
  readonly roster = new Roster();
  #waiting: Waiting[] = [];
  #draining = false;
  /** Frames of connections whose token is being checked. */
  #held = new Map<Connection, string[]>();

  private constructor(ports: ConversationPorts, ledger: Ledger) {
    this.#ports = ports;
    this.#alarm = new Alarm((at) => ports.setAlarm(at), ledger.due, ports.clock.now());
    this.#committer = new Committer(ports.sql, ports.limits, ledger, {
      committing: ({ due }) => this.#alarm.arm(due),
      rolledBack: (error) => {
        this.#alarm.unset();
        ports.report(error);
      },
    });
  }

  /** Loads a conversation; undefined when it was never made. */
  static load(ports: ConversationPorts): Conversation | undefined {
    const ledger = loadLedger(ports.sql, ports.limits);
    return ledger && new Conversation(ports, ledger);
  }

  get ledger(): Ledger {
    return this.#committer.ledger;
  }

  /** A socket opened. Without `admitted` its hello has to bring the token (§4). */
  open(transport: Transport, admitted: Admitted | null): Connection {
    const now = this.#ports.clock.now();
    const connection = new Connection(transport, {
      id: randomToken(10),
      participant: admitted?.participant ?? null,
      name: admitted?.name ?? '',
      freshToken: admitted?.freshToken ?? null,
      phase: 'hello',
      session: '',
      attempt: 0,
      openedAt: now,
      heardAt: now,
      sentSeq: 0,
      cursor: 0,
      syncedAt: 0,
      silent: false,
      owesKept: false,
    });
    this.roster.add(connection);
    transport.save(connection.state);
    return connection;
  }

  /** A socket that outlived a sleep of the object. */
  adopt(transport: Transport, state: ConnectionState): Connection {
    const connection = new Connection(transport, state);
    this.roster.add(connection);
    return connection;
  }

  /**
   * A frame came. Never throws.
   * @returns a promise while a hello's token is being checked; any other frame is done, or waits for a commit of its own accord:
   * a promise would cost more than the frame
   */
  receive(connection: Connection, data: string | ArrayBuffer): Promise<void> | undefined {
    if (!this.roster.has(connection)) return undefined;
    const now = this.#ports.clock.now();
    connection.heard(now);
    let pending: Promise<void> | undefined;
    try {
      pending = connection.welcomed ? this.#take(connection, data, now) : this.#handshake(connection, data);
    } catch (error) {
      this.#failed(connection, error);
    }
    this.#settlePresence(false, now);
    this.#save();
    return pending?.then(
      () => this.#save(),
      (error: unknown) => this.#failed(connection, error),
    );
  }

  #failed(connection: Connection, error: unknown): void {
    this.#ports.report(error);
    connection.send(errorFrame(null, refusal('internal', 'frame: the relay could not process this frame')));
  }

  /** A socket closed, or broke. */
  closed(connection: Connection): void {
    if (!this.roster.has(connection)) return;
    this.roster.remove(connection);
    this.#held.delete(connection);
    this.#left(connection);
    this.#save();
  }

  /** Closes a socket with a code of §4. */
  close(connection: Connection, code: CloseCode): void {
    if (!this.roster.has(connection)) return;
    this.roster.remove(connection);
    this.#held.delete(connection);
    connection.transport.close(code, CLOSE_REASONS[code]);
    this.#left(connection);
  }

  /** One envelope over HTTP (§3), under the same rules as a frame. */
  async post(from: Participant, body: string): Promise<Answer & { id?: string }> {
    const { limits } = this.#ports;
    const read = readFrame(body, { conversationId: this.ledger.meta.conversationId, from: from.kind, limits, controlTypes: false });
    if (!read.ok) return { ok: false, error: read.error.error };
    const message: Inbound = { ...read.value, from, connection: null };
    const { id } = message.envelope;
    if (message.type.class === 'ephemeral') {
      const error = this.#route(message, this.#ports.clock.now());
      this.#save();
      return error ? { ok: false, error } : { ok: true, seq: null, duplicate: false, id };
    }
    return new Promise((resolve) => {
      this.#enqueue({ message, answered: (answer) => resolve({ ...answer, id }) });
      this.#save();
    });
  }

  /** What the alarm is for: expires calls and trims by age. Sets the next alarm. */
  runDue(): void {
    this.flush();
    this.#alarm.unset();
    const now = this.#ports.clock.now();
    const effects: Effect[] = [];
    const done = this.#committer.change((ledger) => {
      expireCalls(ledger, now, effects);
      retain(ledger, now);
    });
    if (done.ok) this.#apply(effects);
    else this.#alarm.again(now);
    this.#settlePresence(true);
    this.#save();
  }

  /** Runs a change that no message caused, such as a new participant, and what follows from it. */
  change(fn: (ledger: Ledger, effects: Effect[]) => void): { ok: true } | { ok: false; error: Refusal } {
    this.flush();
    const effects: Effect[] = [];
    const done = this.#committer.change((ledger) => fn(ledger, effects));
    if (done.ok) this.#apply(effects);
    this.#save();
    return done;
  }

  /** Judges who is online now. */
  judgePresence(): void {
    this.#settlePresence(true);
    this.#save();
  }

  /** Commits everything that waits. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#apply(this.#committer.commit(batch, this.#ports.clock.now(), (id) => this.roster.isOnline(id)));
  }

  #handshake(connection: Connection, data: string | ArrayBuffer): Promise<void> | undefined {
    const held = this.#held.get(connection);
    if (held) {
      // The first frame is still being looked at. What follows waits its turn; a client has no reason to send much.
      if (typeof data === 'string' && held.length < MAX_HELD_FRAMES) held.push(data);
      else this.close(connection, CLOSE.handshake);
      return undefined;
    }
    const read = this.#read(data, connection.participant?.kind ?? 'app');
    const first = read.ok ? read.value.envelope : undefined;
    if (first?.type !== 'system.hello') {
      // Whoever brought its token may know what was wrong with its hello; to others every conversation looks alike.
      if (!read.ok && connection.participant) connection.send(errorFrame(read.error.ref, read.error.error));
      this.close(connection, CLOSE.handshake);
      return undefined;
    }
    if (!connection.participant) return this.#admit(connection, first);
    this.#hello(connection, connection.participant, first);
    return undefined;
  }

  /** Checks the token that came with a hello, since the upgrade brought none (§4). */
  async #admit(connection: Connection, hello: Envelope): Promise<void> {
    const { token } = hello.payload;
    const held: string[] = [];
    this.#held.set(connection, held);
    const admitted = typeof token === 'string' ? await this.#ports.admit(token) : { ok: false as const, close: CLOSE.unauthorized };
    this.#held.delete(connection);
    if (!this.roster.has(connection)) return;
    if (!admitted.ok) {
      this.close(connection, admitted.close);
      return;
    }
    connection.update({ participant: admitted.participant, name: admitted.name, freshToken: admitted.freshToken });
    this.#hello(connection, admitted.participant, hello);
    for (const frame of held) await this.receive(connection, frame);
  }

  #hello(connection: Connection, you: Participant, { id, payload }: Envelope): void {
    const parsed = helloSchema.safeParse(payload);
    if (!parsed.success) {
      connection.send(errorFrame(id, refusal('invalid_payload', describeIssue(parsed.error))));
      this.close(connection, CLOSE.handshake);
      return;
    }
    if (this.ledger.due.isDue(this.#ports.clock.now())) this.runDue();
    else this.flush();
    const hello: Hello = parsed.data;
    const session = hello.session ?? connection.state.id;
    const attempt = hello.attempt ?? 0;
    const replaced = this.roster.replacedBy(connection, you, { session, attempt, maxSockets: this.#ports.limits.sockets_per_device });
    if (replaced.includes(connection)) {
      this.close(connection, CLOSE.replaced);
      return;
    }
    // Welcomed before the others go, so that a participant which only changes sockets never counts as gone.
    connection.update({ session, attempt, phase: 'replay' });
    for (const older of replaced) this.close(older, CLOSE.replaced);
    this.#settlePresence(true, this.#ports.clock.now(), connection);
    if (hello.cancel_pending && you.kind === 'agent' && this.ledger.calls.pendingCount > 0) {
      const effects: Effect[] = [];
      const now = this.#ports.clock.now();
      if (this.#committer.change((ledger) => cancelPending(ledger, now, effects)).ok) this.#apply(effects);
    }
    const { ledger } = this;
    const point = resumePoint(ledger, hello.resume);
    const isOnline = (participantId: string): boolean => this.roster.isOnline(participantId);
    connection.send(controlFrame('system.welcome', welcome(ledger, you, { point, token: connection.state.freshToken, isOnline })));
    for (const frame of restored(ledger, you, point.after)) connection.send(frame);
    connection.update({ sentSeq: point.after, cursor: point.after, syncedAt: ledger.log.head, freshToken: null });
    connection.unacknowledged = [];
    if (point.resumed) this.#received(connection, you, point.after);
    pump(connection, ledger);
  }

  /** A frame of a connection that was welcomed. */
  #take(connection: Connection, data: string | ArrayBuffer, now: number): Promise<void> | undefined {
    const from = connection.participant;
    if (!from) return undefined;
    const { rate_per_s, burst } = this.#ports.limits;
    const budget = connection.spend(now, rate_per_s, burst);
    if (budget !== 'ok') {
      connection.send(errorFrame(idOf(data), refusal('rate_limited', `frame: more than ${rate_per_s} messages a second`)));
      if (budget === 'close') this.close(connection, CLOSE.tooFast);
      return undefined;
    }
    const read = this.#read(data, from.kind);
    if (!read.ok) {
      connection.send(errorFrame(read.error.ref, read.error.error));
      if (MALFORMED_CODES.has(read.error.error.code) && connection.countMalformed(now)) this.close(connection, CLOSE.handshake);
      return undefined;
    }
    const message: Inbound = { ...read.value, from, connection: connection.state.id };
    switch (message.type.class) {
      case 'control':
        this.#control(connection, from, message.envelope);
        return undefined;
      case 'ephemeral': {
        const error = this.#route(message, now);
        if (error) connection.send(errorFrame(message.envelope.id, error));
        return undefined;
      }
      case 'logged':
      case 'kept':
        this.#enqueue({ message });
        return undefined;
    }
  }

  #read(
    data: string | ArrayBuffer,
    from: Participant['kind'],
  ): { ok: true; value: ReadFrame } | { ok: false; error: { ref: string | null; error: Refusal } } {
    if (typeof data !== 'string')
      return { ok: false, error: { ref: null, error: refusal('unsupported_data', 'frame: binary frames are not part of the protocol') } };
    return readFrame(data, { conversationId: this.ledger.meta.conversationId, from, limits: this.#ports.limits });
  }

  #control(connection: Connection, from: Participant, { id, type, payload }: Envelope): void {
    switch (type) {
      case 'system.ping':
        // What was sent before the ping is answered before it.
        this.flush();
        this.#settlePresence(true);
        connection.send(controlFrame('system.pong', { ...payload, ping_id: id }));
        return;
      case 'system.received': {
        const seq = payload.seq as number;
        if (seq > this.ledger.log.head) {
          connection.send(errorFrame(id, refusal('invalid_payload', 'payload.seq: beyond the newest message')));
          return;
        }
        this.#received(connection, from, seq);
        acknowledge(connection, seq, this.ledger);
        return;
      }
      default:
        connection.send(errorFrame(id, refusal('unsupported_type', `type: ${type} comes once, as the first frame`)));
    }
  }

  /** A participant's cursor moved: the other side hears of it. */
  #received(connection: Connection, from: Participant, seq: number): void {
    if (!this.ledger.participants.received(from.id, seq)) return;
    this.#apply([
      {
        kind: 'broadcast',
        class: 'control',
        sender: 'relay',
        audience: from.kind === 'agent' ? 'devices' : 'agent',
        origin: connection.state.id,
        frame: controlFrame('system.receipt', { participant: from, seq }),
      },
    ]);
  }

  /** Delivers an ephemeral message to who is there; it never touches the disk and waits for no commit. */
  #route(message: Inbound, now: number): Refusal | null {
    const { envelope, from } = message;
    const effects: Effect[] = [];
    const audience = audienceFor({ ledger: this.ledger, message, now, effects, isOnline: (id) => this.roster.isOnline(id) });
    if (!audience.ok) return audience.error;
    const frame = deliveredFrame({
      id: envelope.id,
      type: envelope.type,
      conversationId: this.ledger.meta.conversationId,
      sender: from,
      target: envelope.target && jsonText({ ...envelope.target } as JsonObject),
      seq: null,
      at: now,
      payload: jsonText(envelope.payload),
    });
    this.#apply([{ kind: 'broadcast', class: 'ephemeral', sender: from.id, audience: audience.value, origin: message.connection, frame }]);
    return null;
  }

  /** Commits at once when nothing else does; what comes before the next turn is committed together. */
  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#draining) return;
    this.flush();
    this.#draining = true;
    this.#ports.keepAwake(this.#drain());
  }

  async #drain(): Promise<void> {
    try {
      do {
        await this.#ports.nextTurn();
        if (this.#waiting.length === 0) return;
        this.flush();
        this.#save();
      } while (true);
    } catch (error) {
      this.#ports.report(error);
    } finally {
      this.#draining = false;
    }
  }

  #apply(effects: readonly Effect[]): void {
    const { ledger, roster } = this;
    for (const effect of effects) {
      switch (effect.kind) {
        case 'answer':
          effect.answered(effect.answer);
          break;
        case 'reply':
          if (effect.connection !== null) roster.get(effect.connection)?.send(effect.frame);
          break;
        case 'logged':
          for (const connection of roster.all()) offer(connection, effect, ledger);
          break;
        case 'broadcast':
          for (const connection of roster.all()) {
            const { participant, state } = connection;
            if (!participant || !connection.welcomed || state.id === effect.origin || !canSee(effect.audience, effect.sender, participant)) continue;
            if (effect.class === 'control' || !waits(connection, ledger)) connection.send(effect.frame);
            else if (effect.class === 'kept') connection.update({ owesKept: true });
          }
      }
    }
  }

  /** After a connection has gone: its participant's cursor and time are written down, and presence is judged. */
  #left({ participant, state, welcomed }: Connection): void {
    if (!participant || !welcomed) return;
    this.ledger.participants.seen(participant.id, Math.max(state.heardAt, this.#ports.clock.now()));
    if (this.roster.of(participant.id).length === 0) this.#committer.change(({ participants }) => participants.save(participant.id));
    this.#settlePresence(true);
  }

  #settlePresence(force: boolean, now = this.#ports.clock.now(), except?: Connection): void {
    for (const { participant, online } of this.roster.judge(now, force)) {
      const member = this.ledger.participants.get(participant.id);
      if (!member) continue;
      this.ledger.participants.seen(participant.id, online ? now : Math.max(member.seen_at ?? 0, this.#lastHeard(participant.id)));
      const { kind, id, name } = member;
      this.#apply([
        {
          kind: 'broadcast',
          class: 'control',
          sender: 'relay',
          audience: kind === 'agent' ? 'devices' : 'agent',
          origin: except?.state.id ?? null,
          frame: controlFrame('system.presence', { peer: { kind, id, name }, online, last_seen: isoTime(member.seen_at ?? now) as Json }),
        },
      ]);
    }
  }

  #lastHeard(participantId: string): number {
    return Math.max(0, ...this.roster.of(participantId).map((connection) => connection.lastHeardAt()));
  }

  #save(): void {
    for (const connection of this.roster.all()) connection.saveIfChanged();
  }
}

/** The id of a frame that is refused without being read any further. */
function idOf(data: string | ArrayBuffer): string | null {
  if (typeof data !== 'string') return null;
  try {
    const { id } = JSON.parse(data) as { id?: unknown };
    return typeof id === 'string' && id.length <= 1024 && id.isWellFormed() ? id : null;
  } catch {
    return null;
  }
}
