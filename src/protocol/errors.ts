/** The error codes of the contract (§8), their HTTP statuses (§3) and the one value that carries them inside. */

/** HTTP status of each code; the keys are all the codes there are. */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_envelope: 400,
  invalid_payload: 400,
  unsupported_version: 400,
  unsupported_type: 400,
  unsupported_data: 400,
  wrong_conversation: 400,
  wrong_direction: 403,
  wrong_target: 400,
  id_conflict: 409,
  call_id_conflict: 409,
  already_settled: 409,
  unknown_call: 404,
  unknown_message: 404,
  unknown_instance: 404,
  undeclared: 409,
  revoked: 409,
  revision_conflict: 409,
  frame_too_large: 413,
  bundle_too_large: 413,
  event_too_large: 413,
  rate_limited: 429,
  too_many: 409,
  storage_full: 503,
  not_configured: 503,
  unauthorized: 401,
  forbidden: 403,
  unsupported_media_type: 415,
  not_found: 404,
  pairing_not_found: 404,
  internal: 500,
} as const;

/** A code of §8. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** Refusals that count as malformed frames: 20 in a minute close the socket with 4400 (§8). */
export const MALFORMED_CODES: ReadonlySet<ErrorCode> = new Set(['invalid_json', 'invalid_envelope', 'unsupported_data', 'frame_too_large']);

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'storage_full', 'internal']);

/** A refusal as a value. `message` is one English sentence that says what was wrong and where (§8). */
export interface Refusal {
  code: ErrorCode;
  message: string;
}

/** Makes a {@link Refusal}. */
export function refusal(code: ErrorCode, message: string): Refusal {
  return { code, message };
}

/** Whether the sender may try the same frame again later (§4, `system.error.retryable`). */
export function isRetryable(code: ErrorCode): boolean {
  return RETRYABLE.has(code);
}

/** Either a value or the reason why there is none. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: Refusal };

/** Wraps a value. */
export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** Wraps a refusal. */
export function refuse(code: ErrorCode, message: string): { ok: false; error: Refusal } {
  return { ok: false, error: refusal(code, message) };
}
