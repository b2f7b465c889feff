/** One socket of a participant, as the conversation sees it: who it is, how far it has been sent, how fast it may speak. */
import type { CloseCode } from '../protocol/close-codes.ts';
import type { Participant } from '../protocol/envelope.ts';
import { randomToken } from '../protocol/ids.ts';
import { MALFORMED_PER_MINUTE, RATE_REFUSALS_PER_MINUTE } from '../protocol/limits.ts';

/** What carries a connection: a WebSocket in the Durable Object. */
export interface Transport {
  send(frame: string): void;
  /** `reason` is short ASCII. */
  close(code: CloseCode, reason: string): void;
  /** Keeps the state where it survives hibernation. */
  save(state: ConnectionState): void;
  /** When the runtime last answered a `ping` by itself, in ms; null when it never did. */
  lastPingAt(): number | null;
}

/** What a connection must not forget while the object sleeps. */
export interface ConnectionState {
  /** Marks the messages that came by this connection. */
  id: string;
  /** Set once the token was checked: on the upgrade, or with hello. */
  participant: Participant | null;
  name: string;
  /** For the welcome (§3). */
  freshToken: string | null;
  phase: 'hello' | 'replay' | 'live';
  session: string;
  attempt: number;
  /** Ms. */
  openedAt: number;
  /** When it was last heard, in ms, give or take {@link HEARD_RESOLUTION_MS}. */
  heardAt: number;
  /** Everything up to here was sent, or is not for this participant. */
  sentSeq: number;
  /** Where its flow window starts: its last `system.received`, or the beginning of its replay. */
  cursor: number;
  /** The highest seq that the client said it has, by `system.received` or its resume; 0 when it said nothing. */
  received: number;
  /** The newest logged message that it was really sent. */
  deliveredSeq: number;
  /** Logged bytes sent beyond the cursor. */
  unacknowledgedBytes: number;
  /** Where the replay ends: `system.synced` stands behind it. */
  syncedAt: number;
  /** Silent for too long: told as offline (§4). */
  silent: boolean;
  /** Kept values changed while it waited. */
  owesKept: boolean;
}

const HEARD_RESOLUTION_MS = 5_000;
const MINUTE_MS = 60_000;

/** One connection. Its state is saved once a turn, by {@link Connection.saveIfChanged}. */
export class Connection {
  readonly transport: Transport;
  readonly state: ConnectionState;
  /** [seq, bytes] sent beyond the cursor, oldest first; undefined until it is counted again after a wake. */
  unacknowledged: [number, number][] | undefined;
  #changed = false;
  #heardAt: number;
  #tokens = Number.POSITIVE_INFINITY;
  #tokensAt = 0;
  #malformed: number[] = [];
  #refusals: number[] = [];

  /** A socket that just opened, at `now` (ms). */
  static opened(transport: Transport, admitted: Pick<ConnectionState, 'participant' | 'name' | 'freshToken'>, now: number): Connection {
    return new Connection(transport, {
      ...admitted,
      id: randomToken(10),
      phase: 'hello',
      session: '',
      attempt: 0,
      openedAt: now,
      heardAt: now,
      sentSeq: 0,
      cursor: 0,
      received: 0,
      deliveredSeq: 0,
      unacknowledgedBytes: 0,
      syncedAt: 0,
      silent: false,
      owesKept: false,
    });
  }

  constructor(transport: Transport, state: ConnectionState) {
    this.transport = transport;
    this.state = state;
    this.#heardAt = state.heardAt;
    if (state.sentSeq === state.cursor) this.unacknowledged = [];
  }

  get participant(): Participant | null {
    return this.state.participant;
  }

  /** Whether it has had its welcome. */
  get welcomed(): boolean {
    return this.state.phase !== 'hello';
  }

  send(frame: string): void {
    this.transport.send(frame);
  }

  /** Changes what has to survive hibernation. */
  update(change: Partial<ConnectionState>): void {
    Object.assign(this.state, change);
    this.#changed = true;
  }

  /** Moves the send position without the cost of {@link update}: it runs once a frame and socket. */
  advance(seq: number): void {
    this.state.sentSeq = seq;
    this.#changed = true;
  }

  saveIfChanged(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.state.heardAt = this.#heardAt;
    this.transport.save(this.state);
  }

  /** Notes that a frame came at `now` (ms). */
  heard(now: number): void {
    this.#heardAt = now;
    if (now - this.state.heardAt > HEARD_RESOLUTION_MS) this.#changed = true;
  }

  /** When it was last heard, by a frame or a ping, in ms. */
  lastHeardAt(): number {
    return Math.max(this.#heardAt, this.transport.lastPingAt() ?? 0);
  }

  /**
   * Takes one message out of the rate budget (§8).
   * @returns `ok`, `refuse`, or `close` when too many were refused within a minute
   */
  spend(now: number, rate: number, burst: number): 'ok' | 'refuse' | 'close' {
    if (rate === 0) return 'ok';
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#tokensAt) / 1000) * rate);
    this.#tokensAt = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 'ok';
    }
    return countInMinute(this.#refusals, now) >= RATE_REFUSALS_PER_MINUTE ? 'close' : 'refuse';
  }

  /** Counts a malformed frame. @returns whether it was one too many (§8) */
  countMalformed(now: number): boolean {
    return countInMinute(this.#malformed, now) >= MALFORMED_PER_MINUTE;
  }
}

function countInMinute(times: number[], now: number): number {
  times.push(now);
  while (times.length > 0 && (times[0] as number) <= now - MINUTE_MS) times.shift();
  return times.length;
}
