/** The WebSocket close codes of §4. */
export const CLOSE = {
  /** The first frame was no hello, or too many frames were malformed. A bug: stop. */
  handshake: 4400,
  /** Token missing, invalid or expired: refresh once, then pair again. */
  unauthorized: 4401,
  /** Revoked: pair again. */
  revoked: 4403,
  /** No such conversation, deleted, or not yours: stop. */
  notFound: 4404,
  /** No hello within 10 s: retry. */
  helloTimeout: 4408,
  /** A newer socket of the same participant and session: stop. */
  replaced: 4409,
  /** Too fast, after warnings: retry with backoff. */
  tooFast: 4429,
  /** Retention has dropped what this socket had still to be sent: retry, like after any other code, and be told of the gap. */
  fellBehind: 1013,
} as const;

/** A close code of the relay. */
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];
