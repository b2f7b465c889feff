/** What can go wrong on the way to a relay, as values that a screen can put into words. */
import { NetworkError, RelayError, UnsendableError } from '../../core/errors.ts';

/** Why something did not work. */
export type Trouble =
  /** No answer came. */
  | { kind: 'offline' }
  /** The relay refused, with a code of §8. `retryAfter` in seconds. */
  | { kind: 'refused'; code: string; message: string; retryAfter: number | null }
  /** Refused before it was sent: over a limit. `limit` as the welcome names it, `allowed` in its unit. */
  | { kind: 'too-large'; limit: string; allowed: number };

/**
 * Puts an error of the client core into a value.
 * @throws whatever it is none of: that is a fault of ours, and belongs to nobody's screen
 */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof NetworkError) return { kind: 'offline' };
  if (error instanceof RelayError) return { kind: 'refused', code: error.code, message: error.message, retryAfter: error.retryAfter ?? null };
  if (error instanceof UnsendableError) {
    if (error.limit !== undefined) return { kind: 'too-large', limit: error.limit, allowed: error.allowed ?? 0 };
    return { kind: 'refused', code: error.code, message: error.message, retryAfter: null };
  }
  throw error;
}

/** For what is tried again anyway: lets trouble on the way pass, and nothing else. */
export function rethrowUnlessTrouble(error: unknown): void {
  troubleOf(error);
}
