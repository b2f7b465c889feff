/** From the text of a frame to a checked envelope (§2), or to the refusal that says what was wrong and where. */
import { z } from 'zod';
import { refusal, refuse, type Refusal, type Result } from './errors.ts';
import { ID_PATTERN } from './ids.ts';
import { exceedsBytes, findFlaw, isJsonObject, jsonText, pathText, utf8Bytes, type Json, type JsonObject } from './json.ts';
import type { Limits } from './limits.ts';
import { canonicalType, MESSAGE_TYPES, type MessageType, type ParticipantKind } from './messages.ts';

// Workers forbid eval, which zod would otherwise try for speed.
z.config({ jitless: true });

/** An agent or a device. */
export interface Participant {
  kind: ParticipantKind;
  id: string;
}

/** Who made a frame: a participant, or the relay. */
export type Sender = Participant | { kind: 'relay' };

/** A message's addressee (§2). Without an id: all of that kind. */
export interface Target {
  kind: ParticipantKind;
  id?: string;
}

/** An envelope as a client sent it, checked and in canonical spelling. */
export interface Envelope {
  id: string;
  /** Canonical. */
  type: string;
  target?: Target;
  payload: JsonObject;
}

/** An envelope as the relay delivers it (§2). */
export interface Delivered extends Envelope {
  v: 1;
  conversation_id?: string;
  sender: Sender;
  /** Null on kept and ephemeral ones. */
  seq?: number | null;
  /** The relay's clock, ISO 8601. */
  ts?: string;
  settled?: { status: string; by: Sender; at: string };
}

/** A refused frame: the refusal, and the id it is about when that could be read. */
export interface RefusedFrame {
  ref: string | null;
  error: Refusal;
}

/** What a frame is read for. */
export interface ReadContext {
  conversationId: string;
  from: ParticipantKind;
  limits: Pick<Limits, 'max_frame_bytes' | 'max_bundle_bytes' | 'max_event_bytes'>;
  /** False for messages over HTTP, where control types do not exist (§3). */
  controlTypes?: boolean;
}

/** A frame that may be processed. */
export interface ReadFrame {
  envelope: Envelope;
  type: MessageType;
}

/** Longest id that an error still names; anything longer is no id and would only be an echo. */
const MAX_REF = 1024;
/** An unknown type that an error may repeat: short enough to hold no token. */
const REPEATABLE_TYPE = /^[\w.:-]{1,40}$/;

/**
 * Reads one frame (§2, §5): size, JSON, envelope, type, direction, payload, in this order.
 *
 * Nothing is looked up or stored. The payload is not changed: unknown fields stay.
 */
export function readFrame(text: string, context: ReadContext): { ok: true; value: ReadFrame } | { ok: false; error: RefusedFrame } {
  if (exceedsBytes(text, context.limits.max_frame_bytes)) {
    return { ok: false, error: { ref: null, error: refusal('frame_too_large', `frame: larger than ${context.limits.max_frame_bytes} bytes`) } };
  }
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch {
    return { ok: false, error: { ref: null, error: refusal('invalid_json', 'frame: not valid JSON') } };
  }
  const ref = isJsonObject(parsed) && typeof parsed.id === 'string' && parsed.id.length <= MAX_REF && parsed.id.isWellFormed() ? parsed.id : null;
  const read = readEnvelope(parsed, context);
  return read.ok ? read : { ok: false, error: { ref, error: read.error } };
}

/** {@link readFrame} for what is parsed already; nobody measures it here. */
export function readEnvelope(parsed: Json, context: ReadContext): Result<ReadFrame> {
  if (!isJsonObject(parsed)) return refuse('invalid_envelope', 'frame: expected a JSON object');
  const flaw = findFlaw(parsed);
  if (flaw) return refuse(flaw.path[0] === 'payload' ? 'invalid_payload' : 'invalid_envelope', `${pathText(flaw.path) || 'frame'}: ${flaw.problem}`);
  const { v, id, type: spelled, conversation_id, target, payload } = parsed;
  if (typeof v !== 'number') return refuse('invalid_envelope', 'v: expected 1');
  if (v !== 1) return refuse('unsupported_version', `v: this relay speaks version 1, not ${v}`);
  if (typeof id !== 'string' || !ID_PATTERN.test(id)) return refuse('invalid_envelope', 'id: expected 1 to 128 of A-Z a-z 0-9 . _ : -');
  if (typeof spelled !== 'string' || spelled === '') return refuse('invalid_envelope', 'type: expected a string');
  if (conversation_id !== undefined && typeof conversation_id !== 'string') return refuse('invalid_envelope', 'conversation_id: expected a string');
  if (conversation_id !== undefined && conversation_id !== context.conversationId) {
    return refuse('wrong_conversation', 'conversation_id: this socket belongs to another conversation');
  }
  const canonical = canonicalType(spelled);
  const type = canonical === undefined ? undefined : MESSAGE_TYPES.get(canonical);
  if (canonical === undefined || type === undefined) {
    return refuse('unsupported_type', REPEATABLE_TYPE.test(spelled) ? `type: unknown type "${spelled}"` : 'type: unknown type');
  }
  if (type.class === 'control' && context.controlTypes === false) return refuse('unsupported_type', `type: ${canonical} is for sockets only`);
  if (!type.from.includes(context.from)) {
    return refuse('wrong_direction', `type: ${canonical} is not sent by ${context.from === 'agent' ? 'an agent' : 'a device'}`);
  }
  if (!isJsonObject(payload)) return refuse('invalid_envelope', 'payload: expected a JSON object');
  const aimed = readTarget(target);
  if (!aimed.ok) return aimed;
  const problem = checkPayload(canonical, type, payload, context);
  if (problem) return { ok: false, error: problem };
  const envelope: Envelope = { id, type: canonical, payload, ...(aimed.value && { target: aimed.value }) };
  return { ok: true, value: { envelope, type } };
}

function readTarget(target: Json | undefined): Result<Target | undefined> {
  if (target === undefined) return { ok: true, value: undefined };
  if (!isJsonObject(target)) return refuse('invalid_envelope', 'target: expected a JSON object');
  const { kind, id } = target;
  if (kind !== 'agent' && kind !== 'app') return refuse('wrong_target', 'target.kind: expected agent or app');
  if (id === undefined) return { ok: true, value: { kind } };
  if (typeof id !== 'string') return refuse('invalid_envelope', 'target.id: expected a string');
  return { ok: true, value: { kind, id } };
}

function checkPayload(name: string, type: MessageType, payload: JsonObject, context: ReadContext): Refusal | null {
  const sealed = payload.sealed !== undefined && type.class !== 'control';
  if (sealed && (typeof payload.sealed !== 'string' || payload.sealed === '')) return refusal('invalid_payload', 'payload.sealed: expected a string');
  if (name === 'lineup.v1.ui.open') {
    const size = bundleBytes(payload.app);
    if (size > context.limits.max_bundle_bytes) {
      return refusal('bundle_too_large', `payload.app: html, css and js are ${size} bytes, more than ${context.limits.max_bundle_bytes}`);
    }
  }
  const schema = sealed ? type.routing : 'agent' in type.payload ? type.payload[context.from] : type.payload;
  if (schema) {
    const checked = (schema as z.ZodType).safeParse(payload);
    if (!checked.success) return refusal('invalid_payload', describeIssue(checked.error));
  }
  if (name === 'lineup.v1.ui.event' && payload.data !== undefined && utf8Bytes(jsonText(payload.data)) >= context.limits.max_event_bytes) {
    return refusal('event_too_large', `payload.data: must be smaller than ${context.limits.max_event_bytes} bytes`);
  }
  return null;
}

function bundleBytes(app: Json | undefined): number {
  if (!isJsonObject(app)) return 0;
  return [app.html, app.css, app.js].reduce<number>((sum, part) => sum + (typeof part === 'string' ? utf8Bytes(part) : 0), 0);
}

/** One sentence for the first issue that zod found: `payload.state: expected object`. */
export function describeIssue(error: z.core.$ZodError, root = 'payload'): string {
  const [issue] = error.issues;
  if (!issue) return `${root}: invalid`;
  const path = [root, ...issue.path];
  if (issue.code === 'unrecognized_keys') return `${pathText([...path, ...issue.keys.slice(0, 1)])}: unknown field`;
  const said = issue.message
    .replace(/^(Invalid input|Invalid option|Too big|Too small): /, '')
    .replace(/, received undefined$/, ', but it is missing');
  return `${pathText(path)}: ${said}`;
}
