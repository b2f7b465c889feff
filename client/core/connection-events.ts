/** What a connection tells its application: the states it can be in, and its events. */
import type { Delivered, Participant } from '../../src/protocol/envelope.ts';
import type { ConversationChange, ErrorFrame, Settled, Welcome } from '../../src/protocol/handshake.ts';
import type { ConversationInfo, DeviceInfo } from '../../src/protocol/http.ts';
import type { OutboxEntry } from './outbox-store.ts';

/** Why a connection does not try again by itself. */
export type StopReason =
  /** The token is no longer good and could not be refreshed, or the participant was revoked (4401, 4403). */
  | 'pair-again'
  /** The conversation is gone (4404). */
  | 'not-found'
  /** A newer connection of the same participant and session took over (4409). */
  | 'replaced'
  /** The relay could not understand us (4400). A bug. */
  | 'protocol'
  /** The application closed it. */
  | 'closed';

/** What a connection is doing. */
export type ConnectionState =
  | { name: 'idle' }
  /** A socket is being opened. */
  | { name: 'connecting' }
  /** Welcomed; missed messages are coming in. Messages are already sent. */
  | { name: 'syncing' }
  /** Everything missed has arrived. */
  | { name: 'online' }
  /** Offline, trying again by itself at `retryAt` (ms, this client's clock); `attempt` counts the failures in a row. */
  | { name: 'waiting'; retryAt: number; attempt: number }
  | { name: 'stopped'; reason: StopReason };

/** How far an outgoing message is. */
export type SentState =
  /** In the outbox; waits for the connection, or for its turn. */
  | { state: 'queued' }
  /** Handed to the socket; waits for the relay's ack. */
  | { state: 'sending' }
  /** Acknowledged: the relay has it for good. `seq` is null for kept types. Left the outbox. */
  | { state: 'relayed'; seq: number | null; duplicate: boolean }
  /**
   * `retryable`: still in the outbox (no ack in time: code `ack_timeout`) and sent again at the next connection or by `retry(id)`.
   * Otherwise the relay refused it for good, and it left the outbox.
   */
  | { state: 'failed'; code: string; message: string; retryable: boolean }
  /** Taken out of the outbox by `discard(id)`. */
  | { state: 'discarded' };

/** A message of this client's outbox, and how far it is. */
export interface SentUpdate {
  entry: OutboxEntry;
  status: SentState;
}

/** The events of a connection. */
export interface ConnectionEvents {
  state: ConnectionState;
  /** The handshake is done (§4). Comes before everything that is restored or missed. */
  welcome: Welcome;
  /**
   * Older messages than `oldest_seq` are no longer kept, or the log is another one: what this client knew may be incomplete, so it
   * should load its history anew. Comes after the welcome and before the first message.
   */
  gap: { epoch: string; oldest_seq: number; head_seq: number };
  /**
   * A frame that is new to this client: live, replayed or restored, of this participant's other sockets too. Types that this client
   * does not know are among them. What this client itself sent is told by `sent` alone.
   */
  message: Delivered;
  /** Every missed message has been delivered; live ones follow. */
  synced: { seq: number };
  /** An outgoing message changed its state. */
  sent: SentUpdate;
  /** The other side has processed everything up to `seq`. */
  receipt: { participant: Participant; seq: number };
  /** Someone came or went. */
  presence: { peer: Participant; online: boolean; last_seen: string | null };
  /** A call was settled elsewhere: its prompt closes (§6). */
  settled: Settled;
  /** A device was paired. */
  paired: { device: DeviceInfo };
  /** A device was revoked. */
  revoked: { device: DeviceInfo };
  /** A conversation was made, renamed or deleted. */
  conversation: { conversation: ConversationInfo; change: ConversationChange };
  /** The relay refused something that is not in the outbox: an ephemeral or a control frame. */
  refused: ErrorFrame;
  /** What is sent or processed from now on does not survive this process: the store named failed, and memory took its place. */
  storage: { store: 'outbox' | 'cursor' | 'credentials'; error: unknown };
  /** A listener or a handler of the application threw. Without a listener for this event it becomes an uncaught exception. */
  fault: { error: unknown; during: string };
}

const CONTROL_EVENTS = new Map([
  ['system.receipt', 'receipt'],
  ['system.presence', 'presence'],
  ['system.settled', 'settled'],
  ['system.paired', 'paired'],
  ['system.revoked', 'revoked'],
  ['system.conversation', 'conversation'],
] as const satisfies [string, keyof ConnectionEvents][]);

/** The event that tells a control frame's payload as it is; undefined for the other types. */
export function eventOfControl(type: string): keyof ConnectionEvents | undefined {
  return (CONTROL_EVENTS as ReadonlyMap<string, keyof ConnectionEvents>).get(type);
}
