/** What processing a frame leads to. Collected inside the transaction, carried out after it, in order. */
import type { Sender } from '../protocol/envelope.ts';
import { isRetryable, type Refusal } from '../protocol/errors.ts';
import { jsonText, type JsonObject } from '../protocol/json.ts';
import type { Audience } from './audience.ts';

/** A message that is now in the log; the pump brings it to every socket that may see it (§4). */
export interface LoggedEffect {
  kind: 'logged';
  seq: number;
  sender: string;
  audience: Audience;
  /** The connection that sent it, which never gets it back live. */
  origin: string | null;
  /** UTF-8 bytes of the frame. */
  bytes: number;
  frame: string;
}

/** A frame without a seq for everyone in an audience. */
export type BroadcastEffect = { kind: 'broadcast'; sender: string; audience: Audience; origin: string | null; frame: string } & (
  | { class: 'control' }
  /** A `kept` frame waits with a socket that has been sent less than `after`, the head when it was made; an `ephemeral` one is dropped (§4, §5). */
  | { class: 'kept' | 'ephemeral'; after: number }
);

/** A frame for one connection, such as an ack. Without a connection (a message sent by HTTP) it goes nowhere. */
export interface ReplyEffect {
  kind: 'reply';
  connection: string | null;
  frame: string;
}

/**
 * A logged message that its participant asks for again: to one connection or, with null, to all of them. One that has not come that
 * far gets it in its turn: a cursor is the highest seq that was seen, and must not skip what waits (§4).
 */
export interface ResentEffect {
  kind: 'resent';
  participant: string;
  connection: string | null;
  seq: number;
  frame: string;
}

/** The answer to a message that came without a connection. */
export interface AnswerEffect {
  kind: 'answer';
  answered: (answer: Answer) => void;
  answer: Answer;
}

export type Effect = LoggedEffect | BroadcastEffect | ReplyEffect | ResentEffect | AnswerEffect;

/** How one inbound message was answered; exactly one for each (§4). */
export type Answer = { ok: true; seq: number | null; duplicate: boolean } | { ok: false; error: Refusal };

let made = 0;
/** An id for a control frame: unique for this sender and process, which is all that a frame needs that is never stored. */
function controlId(): string {
  made = (made + 1) % Number.MAX_SAFE_INTEGER;
  return `r${made.toString(36)}`;
}

/** A control frame of the relay (§4): never stored, no seq. */
export function controlFrame(type: string, payload: object): string {
  return `{"v":1,"id":"${controlId()}","type":"${type}","sender":{"kind":"relay"},"payload":${jsonText(payload as JsonObject)}}`;
}

/** `system.ack`. The id's alphabet needs no escaping. */
export function ackFrame(ref: string, seq: number | null, duplicate: boolean): string {
  return `{"v":1,"id":"${controlId()}","type":"system.ack","sender":{"kind":"relay"},"payload":{"ref":"${ref}","seq":${seq},"duplicate":${duplicate}}}`;
}

/** `system.error`. */
export function errorFrame(ref: string | null, { code, message }: Refusal): string {
  return controlFrame('system.error', { ref, code, message, retryable: isRetryable(code) });
}

/** Everything a delivered envelope is made of (§2). `payload` and `target` are JSON text. */
export interface FrameParts {
  id: string;
  type: string;
  conversationId: string;
  sender: Sender;
  target?: string | undefined;
  seq: number | null;
  /** Ms. */
  at: number;
  payload: string;
}

/** The text of a delivered envelope. */
export function deliveredFrame(parts: FrameParts): string {
  const sender = parts.sender.kind === 'relay' ? '{"kind":"relay"}' : `{"kind":"${parts.sender.kind}","id":"${parts.sender.id}"}`;
  const target = parts.target === undefined ? '' : `"target":${parts.target},`;
  return `{"v":1,"id":"${parts.id}","type":"${parts.type}","conversation_id":"${parts.conversationId}","sender":${sender},${target}"seq":${parts.seq},"ts":"${isoTime(parts.at)}","payload":${parts.payload}}`;
}

let lastAt = Number.NaN;
let lastIso = '';
/** ISO 8601 of a time in ms; the last one is remembered, for a batch shares its time. */
export function isoTime(at: number): string {
  if (at !== lastAt) {
    lastAt = at;
    lastIso = new Date(at).toISOString();
  }
  return lastIso;
}
