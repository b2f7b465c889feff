/** How a capability ended, before it is the `app.result` of a call (§5). */
import type { CapabilityName, CapabilityResult } from '../../../src/protocol/capabilities.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { AppResult } from './request.ts';

/** Statuses that a device gives to what it did not complete. */
type Refused = 'rejected' | 'cancelled' | 'unsupported' | 'failed';

export type Outcome = { status: 'completed'; result: JsonObject } | { status: Refused; error: { code: string; message: string } };

/** It was done. */
export function completed<N extends CapabilityName>(_capability: N, result: CapabilityResult<N>): Outcome {
  return { status: 'completed', result: result as JsonObject };
}

/** It was not. @param message one English sentence for the agent's log */
export function refused(status: Refused, code: string, message: string): Outcome {
  return { status, error: { code, message } };
}

/** The user said no: an answer, and final. */
export const DECLINED = refused('rejected', 'rejected', 'The user declined.');
/** The user closed the question without an answer. */
export const DISMISSED = refused('cancelled', 'dismissed', 'The user dismissed the request.');
/** The page ended while it was at work: it may have happened or not, and is not tried again. */
export const UNKNOWN_OUTCOME = refused('failed', 'unknown_outcome', 'The device stopped in the middle; it may have happened or not.');
export const REVOKED = refused('unsupported', 'revoked', 'This device does not offer the capability any longer.');
export const UNDECLARED = refused('unsupported', 'undeclared', 'This device does not offer the capability.');

/** The frame that says so. */
export function resultOf(callId: string, outcome: Outcome): AppResult {
  return { call_id: callId, ...outcome };
}
