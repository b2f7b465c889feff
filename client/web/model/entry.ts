/** What a timeline shows: one entry per message or call, however many frames made it. */
import type { Sender } from '../../../src/protocol/envelope.ts';
import type { CallStatus } from '../../../src/protocol/handshake.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';

/** Why a message of the user's was not taken. */
export interface Failure {
  /** A code of §8, or `timeout` when no ack came in time. */
  code: string;
  message: string;
}

/** What is known of a `tool.call` or `app.call` (§6). */
export interface Call {
  callId: string;
  kind: 'tool' | 'app';
  /** `sending`: answered here, not yet acknowledged. `over`: settled while this device was away, and how is not known (yet). */
  status: 'pending' | 'sending' | 'over' | CallStatus;
  /** Who settled it, as far as this device was told. */
  by: Sender | null;
  /** When, ISO 8601; null when this device was not told. */
  at: string | null;
  /** The payload of the `tool.result` that this device gave. */
  answer: JsonObject | null;
  /** Why the relay refused this device's answer; the call is open again. */
  refused: Failure | null;
}

/** One line, text, picture or card of the timeline. Entries are replaced, never changed, so that a view can compare them. */
export interface Entry {
  /** Stable for as long as the entry exists: a streamed text keeps its key when the finished text takes its place. */
  key: string;
  id: string;
  /** Canonical type (§5), or one of {@link LOCAL_TYPES}. */
  type: string;
  /** Null while the relay has not given one: queued messages, and texts that still stream. */
  seq: number | null;
  /** ISO 8601: the relay's clock, or this device's for what the relay has not seen. */
  ts: string;
  sender: Sender;
  /** Whether the user wrote it, on whichever device. */
  mine: boolean;
  payload: JsonObject;
  edited: boolean;
  /** Set on a text that has not been finished: it flows, or it stopped because its writer did. */
  stream: 'flowing' | 'stalled' | null;
  /** Whether it flowed before the user's eyes: such a text is not folded when it is finished. */
  streamed: boolean;
  failure: Failure | null;
  call: Call | null;
}

/** Entries that no frame made. */
export const LOCAL_TYPES = {
  /** Messages between the last cursor and what is still kept are gone (§4, `gap`). */
  gap: 'local.gap',
} as const;

/** How far a message of the user's has come (§4, receipts). */
export type Delivery = 'queued' | 'relayed' | 'delivered' | 'failed';

/** How far `entry` has come, given the agent's cursor. */
export function deliveryOf(entry: Entry, agentReceived: number): Delivery {
  if (entry.failure) return 'failed';
  if (entry.seq === null) return 'queued';
  return agentReceived >= entry.seq ? 'delivered' : 'relayed';
}

/** Whether a message of this device, or its answer to a question, waits to be taken by the relay. */
export function isQueued({ mine, seq, failure, call }: Entry): boolean {
  return (mine && seq === null && failure === null) || call?.status === 'sending';
}

/** Whether a call waits for somebody. */
export function isOpen(call: Call): boolean {
  return call.status === 'pending' || call.status === 'sending';
}
