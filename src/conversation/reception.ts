/** Connections before their welcome (§4): the first frame is a hello, which may have to bring the token. */
import { CLOSE, type CloseCode } from '../protocol/close-codes.ts';
import { describeIssue, type Envelope, type Participant } from '../protocol/envelope.ts';
import { refusal, type Refusal } from '../protocol/errors.ts';
import { hello as helloSchema } from '../protocol/handshake.ts';
import { cancelPending } from './call-rules.ts';
import type { Connection } from './connection.ts';
import { controlFrame, errorFrame, type Effect } from './effects.ts';
import { resumePoint, restored, welcome } from './handshake.ts';
import type { Ledger } from './ledger.ts';
import { readData } from './message.ts';
import type { Clock } from './ports.ts';
import type { Presence } from './presence.ts';
import { pump } from './pump.ts';
import type { Roster } from './roster.ts';

/** A participant that was let in. */
export interface Admitted {
  participant: Participant;
  name: string;
  /** For the welcome (§3). */
  freshToken: string | null;
}

/** Checks a token that came with hello (§4). */
export type Admit = (token: string) => Promise<(Admitted & { ok: true }) | { ok: false; close: CloseCode }>;

/** The conversation that a reception leads into. */
export interface Premises {
  readonly ledger: Ledger;
  readonly roster: Roster;
  /** Makes everything happen that should have by now. */
  catchUp(): void;
  change(fn: (ledger: Ledger, effects: Effect[]) => void): { ok: true } | { ok: false; error: Refusal };
  receive(connection: Connection, data: string): Promise<void> | undefined;
  close(connection: Connection, code: CloseCode): void;
}

/** Frames that a connection may send while the token in its hello is looked at. */
const MAX_HELD_FRAMES = 64;

/** Where connections wait for their welcome. */
export class Reception {
  readonly #premises: Premises;
  readonly #presence: Presence;
  readonly #clock: Clock;
  readonly #admit: Admit;
  /** Frames of connections whose token is being checked. */
  readonly #held = new Map<Connection, string[]>();

  constructor(premises: Premises, { presence, clock, admit }: { presence: Presence; clock: Clock; admit: Admit }) {
    this.#premises = premises;
    this.#presence = presence;
    this.#clock = clock;
    this.#admit = admit;
  }

  /**
   * A frame of a connection that was not welcomed yet.
   * @returns a promise while a token is being checked
   */
  take(connection: Connection, data: string | ArrayBuffer): Promise<void> | undefined {
    const held = this.#held.get(connection);
    if (held) {
      // The first frame is still being looked at. What follows waits its turn; a client has no reason to send much.
      if (typeof data === 'string' && held.length < MAX_HELD_FRAMES) held.push(data);
      else this.#premises.close(connection, CLOSE.handshake);
      return undefined;
    }
    const { participant } = connection;
    const read = readData(data, this.#premises.ledger, participant?.kind ?? 'app');
    if (!read.ok || read.value.envelope.type !== 'system.hello') {
      // Whoever brought its token may know what was wrong with its hello; to others every conversation looks alike.
      if (!read.ok && participant) connection.send(errorFrame(read.error.ref, read.error.error));
      this.#premises.close(connection, CLOSE.handshake);
      return undefined;
    }
    if (!participant) return this.#check(connection, read.value.envelope);
    this.#welcome(connection, participant, read.value.envelope);
    return undefined;
  }

  /** A connection has gone. */
  forget(connection: Connection): void {
    this.#held.delete(connection);
  }

  /** Checks the token that came with a hello, since the upgrade brought none. */
  async #check(connection: Connection, hello: Envelope): Promise<void> {
    const { token } = hello.payload;
    const held: string[] = [];
    this.#held.set(connection, held);
    const admitted = typeof token === 'string' ? await this.#ask(connection, token) : { ok: false as const, close: CLOSE.unauthorized };
    this.#held.delete(connection);
    if (!this.#premises.roster.has(connection)) return;
    if (!admitted.ok) {
      this.#premises.close(connection, admitted.close);
      return;
    }
    const { participant, name, freshToken } = admitted;
    connection.update({ participant, name, freshToken });
    this.#welcome(connection, participant, hello);
    // All in one go: what comes from now on has to stay behind them.
    for (const frame of held) void this.#premises.receive(connection, frame);
  }

  async #ask(connection: Connection, token: string): ReturnType<Admit> {
    try {
      return await this.#admit(token);
    } catch (error) {
      // Nobody could say whether the token is good: the client may try again.
      this.#premises.close(connection, CLOSE.helloTimeout);
      throw error;
    }
  }

  #welcome(connection: Connection, you: Participant, { id, payload }: Envelope): void {
    const parsed = helloSchema.safeParse(payload);
    if (!parsed.success) {
      connection.send(errorFrame(id, refusal('invalid_payload', describeIssue(parsed.error))));
      this.#premises.close(connection, CLOSE.handshake);
      return;
    }
    const { resume, cancel_pending, session = connection.state.id, attempt = 0 } = parsed.data;
    const { roster } = this.#premises;
    this.#premises.catchUp();
    const maxSockets = this.#premises.ledger.limits.sockets_per_device;
    const replaced = roster.replacedBy(connection, you, { session, attempt, maxSockets });
    if (replaced.includes(connection)) {
      this.#premises.close(connection, CLOSE.replaced);
      return;
    }
    if (cancel_pending && you.kind === 'agent') this.#premises.change((ledger, effects) => cancelPending(ledger, this.#clock.now(), effects));
    // Nothing that is sent to everyone reaches the connection before this.
    const { ledger } = this.#premises;
    const point = resumePoint(ledger, resume);
    const token = connection.state.freshToken;
    connection.send(controlFrame('system.welcome', welcome(ledger, you, { point, token, isOnline: (other) => roster.isOnline(other) })));
    for (const frame of restored(ledger, you, point.after)) connection.send(frame);
    const { after } = point;
    connection.update({ phase: 'replay', session, attempt, sentSeq: after, cursor: after, syncedAt: ledger.log.head, freshToken: null });
    // Only now, so that a participant which changes sockets never counts as gone.
    for (const older of replaced) this.#premises.close(older, CLOSE.replaced);
    this.#presence.settle(this.#clock.now(), true);
    if (point.resumed) this.#presence.received(connection, you, after);
    pump(connection, ledger);
  }
}
