/**
 * What was said at another relay, taken in with its senders, ids and times. It is history and nothing more: no call waits for an answer,
 * no surface is open, no agent is sent it.
 */
import { describeIssue, readEnvelope, type Envelope, type Participant, type ReadFrame, type Sender } from '../protocol/envelope.ts';
import { ok, refuse, type Refusal, type Result } from '../protocol/errors.ts';
import { HISTORY_TYPES, importBody, type ImportAnswer, type ImportedMessage } from '../protocol/http.ts';
import { exceedsBytes, jsonText, type Json } from '../protocol/json.ts';
import { DEFAULT_CALL_TTL_MS } from '../protocol/limits.ts';
import { audienceOf, type Audience } from './audience.ts';
import { describeCall } from './call-rules.ts';
import type { Call } from './calls.ts';
import { contentDigest } from './digest.ts';
import type { Effect } from './effects.ts';
import type { Ledger } from './ledger.ts';
import { IMPORTED, senderKey } from './log.ts';
import { stamped } from './pump.ts';

/** A message that may be stored. */
interface Imported extends ReadFrame {
  sender: Sender;
  audience: Audience;
  /** Ms. */
  at: number;
  settled: { status: NonNullable<ImportedMessage['settled']>['status']; by: Sender; at: number } | undefined;
}

/** What an import needs of its conversation. */
export interface ImportPlace {
  readonly ledger: Ledger;
  change(fn: (ledger: Ledger, effects: Effect[]) => void): { ok: true } | { ok: false; error: Refusal };
}

/**
 * Takes in messages (§3 `POST …/import`): all of them, or none and why. The agent's are those of the agent here, whoever said them there.
 * What is here already stays as it is, so doing it again changes nothing.
 *
 * Errors: `forbidden` when somebody has spoken here of whom the owner does not know, `invalid_json`, and what a frame of its own would be refused with, with the place.
 * @param now the relay's clock, ms: a time that lies ahead of it counts as now
 */
export function importHistory(place: ImportPlace, body: string, now: number): Result<ImportAnswer> {
  const read = readImport(body, place.ledger, now);
  if (!read.ok) return read;
  const { isUntouched, head } = place.ledger.log;
  if (!isUntouched && read.value.after !== head) return refuse('forbidden', 'conversation: somebody has spoken here; after: expected its newest seq');
  const counts = { imported: 0, known: 0, left_out: 0 };
  const done = place.change((ledger, effects) => {
    for (const message of read.value.messages) counts[take(ledger, message, effects)]++;
    // Where nothing is new, the log still ends with what somebody said.
    if (counts.imported > 0) ledger.log.markImported();
  });
  if (!done.ok) return done;
  const { log } = place.ledger;
  return ok({ ...counts, head_seq: log.head, oldest_seq: log.oldest });
}

function readImport(body: string, ledger: Ledger, now: number): Result<{ messages: Imported[]; after: number | undefined }> {
  let parsed: Json;
  try {
    parsed = JSON.parse(body) as Json;
  } catch {
    return refuse('invalid_json', 'body: not valid JSON');
  }
  const checked = importBody.safeParse(parsed);
  if (!checked.success) return refuse('invalid_payload', describeIssue(checked.error, 'body'));
  const messages: Imported[] = [];
  for (const [position, message] of checked.data.messages.entries()) {
    const read = readMessage(message, ledger, now);
    if (!read.ok) return refuse(read.error.code, `body.messages[${position}].${read.error.message}`);
    messages.push(read.value);
  }
  return ok({ messages, after: checked.data.after });
}

function readMessage(given: ImportedMessage, ledger: Ledger, now: number): Result<Imported> {
  const { meta, limits, agent } = ledger;
  const { id, type: spelled, target, payload, ts, settled } = given as ImportedMessage & Record<string, Json>;
  const frame = { v: 1, id, type: spelled, ...(target !== undefined && { target }), payload } as Json;
  // A result that the relay made has the shape of a device's.
  const from: Participant['kind'] = given.sender.kind === 'agent' ? 'agent' : 'app';
  if (exceedsBytes(jsonText(frame), limits.max_frame_bytes)) return refuse('frame_too_large', `frame: larger than ${limits.max_frame_bytes} bytes`);
  const read = readEnvelope(frame, { conversationId: meta.conversationId, from, limits, controlTypes: false });
  if (!read.ok) return read;
  const { envelope, type } = read.value;
  if (!HISTORY_TYPES.has(envelope.type)) return refuse('unsupported_type', `type: ${envelope.type} is no history`);
  const sender = here(given.sender, agent);
  if (sender.kind === 'relay' && !envelope.type.endsWith('.result'))
    return refuse('wrong_direction', `type: ${envelope.type} is not sent by a relay`);
  if (isCall(envelope.type) && !settled) return refuse('invalid_payload', 'settled: a call that still waits for its answer is no history');
  const { file_id: fileId } = envelope.payload;
  if ((envelope.type === 'image' || envelope.type === 'file') && typeof fileId === 'string' && !ledger.files.has(fileId)) {
    return refuse('invalid_payload', 'payload.file_id: no such file in this conversation');
  }
  if (envelope.target?.kind === 'agent' && envelope.target.id !== undefined) envelope.target.id = agent.id;
  // A device of another relay may be nobody's here: what was for it alone is seen by no other.
  const audience = audienceOf(envelope, type, { kind: from, id: senderKey(sender) }, { agentId: agent.id, hasDevice: () => true });
  if (!audience.ok) return audience;
  return ok({
    envelope,
    type,
    sender,
    audience: audience.value,
    at: Math.min(Date.parse(ts), now),
    settled: settled && { status: settled.status, by: here(settled.by, agent), at: Math.min(Date.parse(settled.at), now) },
  });
}

/** Somebody of the other relay, as who that is here: the agent is this conversation's. */
function here(sender: ImportedMessage['sender'], agent: Participant): Sender {
  if (sender.kind === 'agent') return agent;
  return sender.kind === 'app' ? { kind: 'app', id: sender.id } : { kind: 'relay' };
}

function isCall(type: string): boolean {
  return type === 'tool.call' || type === 'lineup.v1.app.call';
}

/** Stores one message, unless it is here or what it is about is not. */
function take(ledger: Ledger, message: Imported, effects: Effect[]): 'imported' | 'known' | 'left_out' {
  const { log, calls, edits, files } = ledger;
  const { envelope, sender } = message;
  const { type, payload } = envelope;
  if (log.find(senderKey(sender), envelope.id)) return 'known';
  const callId = String(payload.call_id);
  switch (type) {
    case 'text.edit': {
      const messageId = String(payload.message_id);
      const original = log.find(senderKey(sender), messageId);
      if (original?.type !== 'text') return 'left_out';
      const previous = edits.replace(messageId, append(ledger, { ...message, audience: original.audience }, messageId, effects));
      if (previous !== undefined) log.compact(previous);
      return 'imported';
    }
    case 'tool.call':
    case 'lineup.v1.app.call':
      if (calls.get(callId)) return 'known';
      takeCall(ledger, message, callId, effects);
      return 'imported';
    case 'tool.cancel':
    case 'lineup.v1.app.cancel': {
      const ended = endedCall(ledger, envelope);
      if (ended?.status !== 'cancelled') return 'left_out';
      append(ledger, { ...message, audience: ended.audience }, callId, effects);
      return 'imported';
    }
    case 'tool.result':
    case 'lineup.v1.app.result':
      if (!endedCall(ledger, envelope)) return 'left_out';
      calls.resultFollowed(callId, append(ledger, { ...message, audience: 'agent' }, callId, effects));
      return 'imported';
    default: {
      const seq = append(ledger, message, undefined, effects);
      if (typeof payload.file_id === 'string') files.referred(payload.file_id, seq);
      return 'imported';
    }
  }
}

/** The call that a message tells the end of, if it came as ended and its result has not followed yet: a call has one end. */
function endedCall(ledger: Ledger, envelope: Envelope): Call | undefined {
  const { call_id: callId, kind } = describeCall(envelope);
  const call = ledger.calls.get(callId);
  return call?.kind === kind && call.status !== 'pending' && call.result_seq === null ? call : undefined;
}

/** Stores a call with its end, so that nobody is ever asked. */
function takeCall(ledger: Ledger, message: Imported, callId: string, effects: Effect[]): void {
  const { envelope, at, settled } = message;
  if (!settled) return;
  // One that the relay ended as it began was never shown to a device.
  const audience = settled.by.kind === 'relay' && settled.at <= at ? 'agent' : message.audience;
  const { expires_at: expires } = envelope.payload;
  ledger.calls.addEnded({
    ...describeCall(envelope),
    seq: ledger.log.head + 1,
    audience,
    digest: contentDigest(envelope),
    asked_by: ledger.agent.id,
    asked_at: at,
    expires_at: typeof expires === 'string' ? Date.parse(expires) : at + DEFAULT_CALL_TTL_MS,
    status: settled.status,
    settled_at: settled.at,
    settled_by: JSON.stringify(settled.by),
    result_seq: null,
  });
  append(ledger, { ...message, audience }, callId, effects);
}

function append(ledger: Ledger, { envelope, sender, audience, at }: Imported, ref: string | undefined, effects: Effect[]): number {
  const logged = ledger.log.append({ envelope, sender, audience, origin: IMPORTED, at, ...(ref !== undefined && { ref }) });
  // A call that is over is told as such, to who is looking too.
  effects.push({ ...logged, ...stamped(ledger, { ...logged, type: envelope.type, ref: ref ?? null }) });
  return logged.seq;
}
