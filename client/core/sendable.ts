/** Refuses what the relay would refuse for ever, before it is kept or sent (§2, §5, §8). */
import type { Target } from '../../src/protocol/envelope.ts';
import type { Welcome } from '../../src/protocol/handshake.ts';
import { exceedsBytes, findFlaw, isJsonObject, jsonText, pathText, utf8Bytes, type JsonObject } from '../../src/protocol/json.ts';
import { MAX_TEXT_CHARACTERS } from '../../src/protocol/limits.ts';
import { UnsendableError } from './errors.ts';

/** The limits that one frame can exceed, as the welcome tells them. */
export type FrameLimits = Pick<Welcome['limits'], 'max_frame_bytes' | 'max_bundle_bytes' | 'max_event_bytes'>;

/** What is to be sent. */
export interface Outgoing {
  id: string;
  type: string;
  conversationId: string;
  payload: object;
  target?: Target;
}

/**
 * The text of a frame.
 * @throws UnsendableError naming the limit, or the place that is not fit for JSON
 */
export function frameText(outgoing: Outgoing, limits: FrameLimits): string {
  const { id, type, conversationId, target } = outgoing;
  const payload = outgoing.payload as JsonObject;
  const flaw = findFlaw(payload, 2);
  if (flaw) throw new UnsendableError('invalid_payload', `${pathText(['payload', ...flaw.path])}: ${flaw.problem}`);
  const { content, app, data } = payload;
  if ((type === 'text' || type === 'text.edit') && typeof content === 'string' && characters(content) > MAX_TEXT_CHARACTERS) {
    throw tooLarge('invalid_payload', 'payload.content', 'max_text_characters', MAX_TEXT_CHARACTERS, 'characters');
  }
  if (type === 'lineup.v1.ui.open' && isJsonObject(app) && bundleBytes(app) > limits.max_bundle_bytes) {
    throw tooLarge('bundle_too_large', 'payload.app', 'max_bundle_bytes', limits.max_bundle_bytes);
  }
  if (type === 'lineup.v1.ui.event' && data !== undefined && utf8Bytes(jsonText(data)) >= limits.max_event_bytes) {
    throw tooLarge('event_too_large', 'payload.data', 'max_event_bytes', limits.max_event_bytes - 1);
  }
  const text = envelopeText({ v: 1, id, type, conversation_id: conversationId, ...(target && { target: { ...target } }), payload });
  if (exceedsBytes(text, limits.max_frame_bytes)) throw tooLarge('frame_too_large', 'frame', 'max_frame_bytes', limits.max_frame_bytes);
  return text;
}

function envelopeText(envelope: JsonObject): string {
  try {
    return jsonText(envelope);
  } catch (error) {
    // A BigInt, or a toJSON that throws.
    throw new UnsendableError('invalid_payload', `payload: not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function characters(text: string): number {
  return text.length <= MAX_TEXT_CHARACTERS ? text.length : [...text].length;
}

function bundleBytes(app: JsonObject): number {
  return [app.html, app.css, app.js].reduce<number>((sum, part) => sum + (typeof part === 'string' ? utf8Bytes(part) : 0), 0);
}

function tooLarge(code: string, place: string, limit: string, allowed: number, unit = 'bytes'): UnsendableError {
  return new UnsendableError(code, `${place}: larger than ${limit}, ${allowed} ${unit}`, { limit, allowed });
}
