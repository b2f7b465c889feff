/** What a surface says, read as what it is: text from a stranger. */
import { utf8Bytes, findFlaw, isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';
import { EVENT_PATTERN } from '../../../src/protocol/ids.ts';
import { MAX_MESSAGE_BYTES, NAMESPACE } from '../../surface/wire.ts';

/** A message that passed every check. */
export type SurfaceMessage = { type: 'event'; event: string; data: JsonObject } | { type: 'resize'; height: number };

/** `data` stands as deep in this message as in the payload of a `ui.event`, less the envelope around that. */
const MESSAGE_DEPTH = 2;

/** Reads one message; null for whatever is none: too long, no JSON, too deep, of another shape. */
export function readSurfaceMessage(text: unknown): SurfaceMessage | null {
  if (typeof text !== 'string' || text.length > MAX_MESSAGE_BYTES || utf8Bytes(text) > MAX_MESSAGE_BYTES) return null;
  const message = parse(text);
  if (!isJsonObject(message) || findFlaw(message, MESSAGE_DEPTH) !== null || message.namespace !== NAMESPACE) return null;
  const { type, event, data, height } = message;
  if (type === 'event' && typeof event === 'string' && EVENT_PATTERN.test(event) && isJsonObject(data)) return { type, event, data };
  if (type === 'resize' && typeof height === 'number') return { type, height };
  return null;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // A surface may send anything: what is no JSON is no message.
    return undefined;
  }
}
