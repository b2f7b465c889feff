/**
 * One conversation without a platform: sockets in, sockets out, two ports for storage and time. The Durable Object is a shell
 * around this class.
 */
import { CLOSE, type CloseCode } from '../protocol/close-codes.ts';
import { readFrame, type Envelope, type Participant } from '../protocol/envelope.ts';
import { MALFORMED_CODES, refusal, type Refusal } from '../protocol/errors.ts';
import type { Limits } from '../protocol/limits.ts';
import { Alarm } from './alarm.ts';
import { expireCalls } from './call-rules.ts';
import { Committer, type Waiting } from './commit.ts';
import { Connection, type ConnectionState, type Transport } from './connection.ts';
import { Delivery } from './delivery.ts';
import { controlFrame, errorFrame, type Answer, type Effect } from './effects.ts';
import { loadLedger, type Ledger } from './ledger.ts';
import { idOf, readData, type Inbound } from './message.ts';
import type { Clock, Sql } from './ports.ts';
import { Presence } from './presence.ts';
import { acknowledge } from './pump.ts';
import { Reception, type Admit, type Admitted } from './reception.ts';
import { retain } from './retention.ts';
import { CLOSE_REASONS, Roster } from './roster.ts';

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
  admit: Admit;
  /** Hears of errors that are not the client's; logs no content. */
  report(error: unknown): void;
}

/** One conversation that exists. */
export class Conversation {
  readonly roster = new Roster();
  readonly #ports: ConversationPorts;
  readonly #committer: Committer;
  readonly #alarm: Alarm;
  readonly #delivery: Delivery;
  readonly #presence: Presence;
  readonly #reception: Reception;
  #waiting: Waiting[] = [];
  #draining = false;

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
    this.#delivery = new Delivery(this.roster, this.#committer);
    this.#presence = new Presence(this.roster, this.#committer, this.#delivery);
    this.#reception = new Reception(this, { presence: this.#presence, clock: ports.clock, admit: (token) => ports.admit(token) });
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
    const connection = Connection.opened(transport, admitted ?? { participant: null, name: '', freshToken: null }, this.#ports.clock.now());
    this.roster.add(connection);
    transport.save(connection.state);
    return connection;
  }

  /** A socket that outlived a sleep of the object. */
  adopt(transport: Transport, state: ConnectionState): Connection {
    const connection = new Connection(transport, state);
    this.roster.add(connection);
    this.#presence.recall(connection);
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
    let checked: Promise<void> | undefined;
    try {
      // Before the frame, which may ask who is there.
      this.#presence.settle(now, connection.state.silent);
      if (connection.welcomed) this.#take(connection, data, now);
      else checked = this.#reception.take(connection, data);
    } catch (error) {
      this.#failed(connection, error);
    }
    this.#save();
    return checked?.then(
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
    this.#reception.forget(connection);
    this.#presence.left(connection, this.#ports.clock.now());
    this.#save();
  }

  /** Closes a socket with a code of §4. */
  close(connection: Connection, code: CloseCode): void {
    if (!this.roster.has(connection)) return;
    connection.transport.close(code, CLOSE_REASONS[code]);
    this.closed(connection);
  }

  /** One envelope over HTTP (§3), under the same rules as a frame. */
  async post(from: Participant, body: string): Promise<Answer & { id?: string }> {
    const { limits } = this.#ports;
    const read = readFrame(body, { conversationId: this.ledger.meta.conversationId, from: from.kind, limits, controlTypes: false });
    if (!read.ok) return { ok: false, error: read.error.error };
    const message: Inbound = { ...read.value, from, connection: null };
    const { id } = message.envelope;
    if (message.type.class === 'ephemeral') {
      const error = this.#delivery.route(message, this.#ports.clock.now());
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
    if (done.ok) this.#delivery.apply(effects);
    else this.#alarm.again(now);
    this.judgePresence();
  }

  /** Makes everything happen that should have by now: commits what waits, does what is due, judges who is online. */
  catchUp(): void {
    if (this.ledger.due.isDue(this.#ports.clock.now())) {
      this.runDue();
      return;
    }
    this.flush();
    this.judgePresence();
  }

  /** Runs a change that no message caused, such as a new participant, and what follows from it. */
  change(fn: (ledger: Ledger, effects: Effect[]) => void): { ok: true } | { ok: false; error: Refusal } {
    this.flush();
    const effects: Effect[] = [];
    const done = this.#committer.change((ledger) => {
      fn(ledger, effects);
      // It may have logged something: the end of a call, or a history from elsewhere.
      retain(ledger, this.#ports.clock.now());
    });
    if (done.ok) this.#delivery.apply(effects);
    this.#save();
    return done;
  }

  /** Judges who is online now. */
  judgePresence(): void {
    this.#presence.settle(this.#ports.clock.now(), true);
    this.#save();
  }

  /** Commits everything that waits. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#delivery.apply(this.#committer.commit(batch, this.#ports.clock.now(), (id) => this.roster.isOnline(id)));
    this.#save();
  }

  /** A frame of a connection that was welcomed. */
  #take(connection: Connection, data: string | ArrayBuffer, now: number): void {
    const from = connection.participant;
    if (!from) return;
    const { rate_per_s, burst } = this.#ports.limits;
    const budget = connection.spend(now, rate_per_s, burst);
    if (budget !== 'ok') {
      connection.send(errorFrame(idOf(data), refusal('rate_limited', `frame: more than ${rate_per_s} messages a second`)));
      if (budget === 'close') this.#expel(connection, CLOSE.tooFast);
      return;
    }
    const read = readData(data, this.ledger, from.kind);
    if (!read.ok) {
      connection.send(errorFrame(read.error.ref, read.error.error));
      if (MALFORMED_CODES.has(read.error.error.code) && connection.countMalformed(now)) this.#expel(connection, CLOSE.handshake);
      return;
    }
    const message: Inbound = { ...read.value, from, connection: connection.state.id };
    switch (message.type.class) {
      case 'control':
        this.#control(connection, from, message.envelope);
        return;
      case 'ephemeral': {
        const error = this.#delivery.route(message, now);
        if (error) connection.send(errorFrame(message.envelope.id, error));
        return;
      }
      case 'logged':
      case 'kept':
        this.#enqueue({ message });
    }
  }

  /** Closes a connection for what it does; what it sent before is answered before. */
  #expel(connection: Connection, code: CloseCode): void {
    this.flush();
    this.close(connection, code);
  }

  #control(connection: Connection, from: Participant, { id, type, payload }: Envelope): void {
    switch (type) {
      case 'system.ping':
        // What was sent before the ping is answered before it.
        this.catchUp();
        connection.send(controlFrame('system.pong', { ...payload, ping_id: id }));
        return;
      case 'system.received': {
        const seq = payload.seq as number;
        if (seq > this.ledger.log.head) {
          connection.send(errorFrame(id, refusal('invalid_payload', 'payload.seq: beyond the newest message')));
          return;
        }
        this.#presence.received(connection, from, seq);
        if (!acknowledge(connection, seq, this.ledger)) this.#expel(connection, CLOSE.fellBehind);
        return;
      }
      default:
        connection.send(errorFrame(id, refusal('unsupported_type', `type: ${type} comes once, as the first frame`)));
    }
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
      } while (true);
    } catch (error) {
      this.#ports.report(error);
    } finally {
      this.#draining = false;
    }
  }

  #save(): void {
    for (const connection of this.roster.all()) connection.saveIfChanged();
  }
}
