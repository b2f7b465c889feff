/** A checked message on its way into the conversation, and what the rules say of it. */
import { readFrame, type Envelope, type Participant } from '../protocol/envelope.ts';
import type { MessageType } from '../protocol/messages.ts';
import { refusal, type ErrorCode } from '../protocol/errors.ts';
import { audienceOf, type Audience } from './audience.ts';
import type { Answer, Effect } from './effects.ts';
import type { Ledger } from './ledger.ts';
import type { StoredEntry } from './log.ts';

/** A message from a participant. */
export interface Inbound {
  envelope: Envelope;
  type: MessageType;
  from: Participant;
  /** The connection it came by; null for HTTP. */
  connection: string | null;
}

/** Everything that a rule may use. */
export interface RuleContext {
  ledger: Ledger;
  message: Inbound;
  /** The relay's clock, ms: one for the whole batch. */
  now: number;
  /** Where a rule puts what follows from the message; its answer goes out before them. */
  effects: Effect[];
  /** Whether a participant is online (§4). */
  isOnline(id: string): boolean;
}

/** Reads a frame as it came: binary ones are no part of the protocol, text has to be an envelope (§2). */
export function readData(data: string | ArrayBuffer, { meta, limits }: Ledger, from: Participant['kind']): ReturnType<typeof readFrame> {
  if (typeof data === 'string') return readFrame(data, { conversationId: meta.conversationId, from, limits });
  return { ok: false, error: { ref: null, error: refusal('unsupported_data', 'frame: binary frames are not part of the protocol') } };
}

/** The id of a frame that is refused without being read any further. */
export function idOf(data: string | ArrayBuffer): string | null {
  if (typeof data !== 'string') return null;
  try {
    const { id } = JSON.parse(data) as { id?: unknown };
    return typeof id === 'string' && id.length <= 1024 && id.isWellFormed() ? id : null;
  } catch {
    return null;
  }
}

/** What a type does when it is accepted. */
export type Rule = (context: RuleContext) => Answer;

/** An accepted message. */
export function accepted(seq: number | null): Answer {
  return { ok: true, seq, duplicate: false };
}

/** A repeat of an accepted message (§4). */
export function repeated(seq: number | null): Answer {
  return { ok: true, seq, duplicate: true };
}

/** A refused message. */
export function refused(code: ErrorCode, message: string): Answer {
  return { ok: false, error: refusal(code, message) };
}

/**
 * What became of a message that was sent before (§4 "same id again"): the same ack, or `id_conflict`.
 * Undefined for a new message.
 */
export function repeatOf({ ledger, message }: RuleContext): { answer: Answer; entry: StoredEntry } | undefined {
  const { envelope, from } = message;
  const entry = ledger.log.find(from.id, envelope.id);
  if (!entry) return undefined;
  const answer = ledger.log.hasContent(entry, envelope)
    ? repeated(entry.seq)
    : refused('id_conflict', `id: ${envelope.id} was already used for a message with other content`);
  return { answer, entry };
}

/** The audience that the target asks for (§2). */
export function audienceFor({ ledger, message }: Pick<RuleContext, 'ledger' | 'message'>): ReturnType<typeof audienceOf> {
  return audienceOf(message.envelope, message.type, message.from, {
    agentId: ledger.agent.id,
    hasDevice: (id) => ledger.participants.hasDevice(id),
  });
}

/**
 * A frame that follows from a message, for its sender: for the connection that it came by, or, when it came by HTTP, for all
 * that the sender has (§2).
 */
export function toSender({ from, connection }: Inbound, frame: string): Effect {
  if (connection !== null) return { kind: 'reply', connection, frame };
  return { kind: 'broadcast', class: 'control', sender: 'relay', audience: from.id, origin: null, frame };
}

/** Puts the message in the log and on its way to an audience. @returns its seq */
export function log({ ledger, message, now, effects }: RuleContext, audience: Audience, ref?: string): number {
  const entry = ledger.log.append({
    envelope: message.envelope,
    sender: message.from,
    audience,
    origin: message.connection,
    at: now,
    ...(ref !== undefined && { ref }),
  });
  effects.push(entry);
  return entry.seq;
}
