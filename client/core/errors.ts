/** What can go wrong between a client and the relay, as classes that a caller can tell apart. */

/** The relay refused. `message` is its own English sentence (§8). */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  /** A code of §8; `internal` when something between us and the relay answered in its place. */
  readonly code: string;
  /** HTTP status; 0 for a refusal that came over the socket. */
  readonly status: number;
  /** Seconds to wait before the next try, when the relay said so. */
  readonly retryAfter?: number;
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;

  constructor(refusal: { code: string; message: string; status: number; retryable: boolean; retryAfter?: number }) {
    super(refusal.message);
    this.code = refusal.code;
    this.status = refusal.status;
    this.retryable = refusal.retryable;
    if (refusal.retryAfter !== undefined) this.retryAfter = refusal.retryAfter;
  }

  /** From a refused HTTP call: `{"error":{"code","message"}}`, or whatever a proxy put in its place. */
  static from(status: number, body: string, retryAfterHeader: string | null): RelayError {
    const retryAfter = Number(retryAfterHeader ?? Number.NaN);
    return new RelayError({
      ...readRefusal(status, body),
      status,
      retryable: status === 429 || status >= 500,
      ...(Number.isFinite(retryAfter) && { retryAfter }),
    });
  }
}

/** No answer came: offline, a broken connection, a deadline. Whether the relay acted is not known. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor(cause: unknown) {
    super('The relay could not be reached.', { cause });
  }
}

/** A message that is refused before it is sent, since the relay would refuse it for ever. Never tried again. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError';
  /** The code that the relay would have given (§8). */
  readonly code: string;
  /** The limit that was exceeded, as the welcome names it, such as `max_frame_bytes`. */
  readonly limit?: string;
  /** What the limit allows: bytes, or characters for `max_text_characters`. */
  readonly allowed?: number;

  constructor(code: string, message: string, exceeded?: { limit: string; allowed: number }) {
    super(message);
    this.code = code;
    if (exceeded) {
      this.limit = exceeded.limit;
      this.allowed = exceeded.allowed;
    }
  }
}

/** The message was taken out of the outbox before it was acknowledged. */
export class DiscardedError extends Error {
  override readonly name = 'DiscardedError';

  constructor() {
    super('The message was discarded before the relay acknowledged it.');
  }
}

function readRefusal(status: number, body: string): { code: string; message: string } {
  const unnamed = { code: 'internal', message: `The relay's address answered with HTTP status ${status} and no reason.` };
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return unnamed;
  }
  if (typeof parsed !== 'object' || parsed === null || !('error' in parsed)) return unnamed;
  const { error } = parsed;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return unnamed;
  return typeof error.code === 'string' && typeof error.message === 'string' ? { code: error.code, message: error.message } : unnamed;
}
