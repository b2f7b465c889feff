/**
 * Between the conversation and a bare v1 client: what of the contract such a client has words for, and how it is put.
 *
 * It gets the seven types of its document with the four fields of its envelope, and nothing else.
 */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';

/** An envelope as the document has it. */
export interface V1Envelope {
  v: 1;
  id: string;
  type: string;
  payload: JsonObject;
}

/** Which side a v1 client is. */
export type V1Role = 'agent' | 'app';

/** Where a v1 client finds a file of this conversation, given its id. */
export type FileAddress = (fileId: string) => string;

/** What a v1 client is told of a message, or null when it is none of its business or beyond its words. */
export function toV1(message: Delivered, role: V1Role, fileAddress: FileAddress): V1Envelope | null {
  const payload = role === 'app' ? forApp(message, fileAddress) : forAgent(message, fileAddress);
  if (payload === null) return null;
  return { v: 1, id: message.id, type: TYPES_AS_TEXT.has(message.type) ? 'text' : message.type, payload };
}

/** What the document has no type for, but a person must not miss. */
const TYPES_AS_TEXT: ReadonlySet<string> = new Set(['file', 'error']);

function forApp({ type, sender, payload, settled }: Delivered, fileAddress: FileAddress): JsonObject | null {
  if (type === 'system.pong') return payload;
  // To it everything comes from the agent: what the user wrote on another device would be put into the agent's mouth.
  if (sender.kind === 'app') return null;
  switch (type) {
    case 'text':
    case 'tool.list':
      return payload;
    case 'tool.call':
      // A call of the past that was answered would open a dialog again.
      return settled ? null : payload;
    case 'image':
      return withAddress(payload, fileAddress);
    case 'file':
      return fileText(payload, fileAddress);
    case 'error':
      return { content: String(payload.message) };
    default:
      return null;
  }
}

function forAgent({ type, sender, payload }: Delivered, fileAddress: FileAddress): JsonObject | null {
  if (type === 'system.pong') return payload;
  // What this agent sent itself, by another socket.
  if (sender.kind === 'agent') return null;
  switch (type) {
    case 'text':
    case 'tool.list':
      return payload;
    case 'tool.result':
      return withResult(payload);
    case 'image':
      return withAddress(payload, fileAddress);
    case 'file':
      return fileText(payload, fileAddress);
    default:
      return null;
  }
}

/** The document knows no errors: every result has a message. */
function withResult(payload: JsonObject): JsonObject {
  const { error } = payload;
  if (payload.result !== undefined || typeof error !== 'object' || error === null || Array.isArray(error)) return payload;
  return { ...payload, result: { message: String(error.message) } };
}

function withAddress(payload: JsonObject, fileAddress: FileAddress): JsonObject {
  return typeof payload.file_id === 'string' ? { ...payload, url: fileAddress(payload.file_id) } : payload;
}

function fileText({ name, file_id }: JsonObject, fileAddress: FileAddress): JsonObject {
  return { content: `${String(name)}\n${fileAddress(String(file_id))}` };
}
