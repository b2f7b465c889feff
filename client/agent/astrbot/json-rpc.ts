/** JSON-RPC 2.0 as AstrBot's ACP speaks it: its error codes, and what a decoded body is. */
import { findFlaw, isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';

/** The codes of the specification, by name. */
export const ACP_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  agentNotFound: -32000,
  agentBusy: -32001,
  taskNotFound: -32002,
} as const;

/** An error of the protocol: a code of the specification, or whatever the other side gave. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** As the `error` of a response. */
  toJson(): JsonObject {
    return { code: this.code, message: this.message, ...(this.data !== undefined && { data: this.data }) };
  }
}

/** The id of a request. Null stands for one that could not be read. */
export type RpcId = string | number | null;

/** One message. */
export type RpcMessage =
  | { kind: 'call'; id: RpcId | undefined; method: string; params: Json | undefined }
  | { kind: 'answer'; id: RpcId; result: Json }
  | { kind: 'failure'; id: RpcId; error: RpcError }
  | { kind: 'invalid'; id: RpcId; reason: string };

/**
 * The JSON of a body.
 * @throws RpcError parseError for what is no UTF-8, no JSON, or nested too deeply
 */
export function decodeBody(bytes: Uint8Array): Json {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw new RpcError(ACP_CODES.parseError, 'Parse error: the body is no JSON in UTF-8');
  }
  if (findFlaw(value))
    throw new RpcError(ACP_CODES.parseError, 'Parse error: the body is nested too deeply, or has a key or a text that is not allowed');
  return value;
}

/** What one element of a body is. A call without an id is a notification, which gets no answer. */
export function readMessage(value: Json): RpcMessage {
  if (!isJsonObject(value)) return { kind: 'invalid', id: null, reason: 'expected an object' };
  const { id, method, params, result, error } = value;
  const knownId = typeof id === 'string' || typeof id === 'number' ? id : null;
  if (value.jsonrpc !== '2.0') return { kind: 'invalid', id: knownId, reason: 'jsonrpc: expected "2.0"' };
  if (id !== undefined && id !== null && knownId === null) return { kind: 'invalid', id: null, reason: 'id: expected a string or a number' };
  if (typeof method === 'string') {
    const isOdd = params !== undefined && (typeof params !== 'object' || params === null);
    const callId = id === undefined ? undefined : knownId;
    return isOdd ? { kind: 'invalid', id: knownId, reason: 'params: expected an object or an array' } : { kind: 'call', id: callId, method, params };
  }
  if (isJsonObject(error)) {
    const { code, message, data } = error;
    const read = new RpcError(
      typeof code === 'number' ? code : ACP_CODES.internalError,
      typeof message === 'string' ? message : 'no reason given',
      data,
    );
    return { kind: 'failure', id: knownId, error: read };
  }
  if (result !== undefined) return { kind: 'answer', id: knownId, result };
  return { kind: 'invalid', id: knownId, reason: 'method: expected a string' };
}

/** A response. */
export function answerOf(id: RpcId, outcome: { result: Json } | { error: RpcError }): JsonObject {
  return 'error' in outcome ? { jsonrpc: '2.0', id, error: outcome.error.toJson() } : { jsonrpc: '2.0', id, result: outcome.result };
}
