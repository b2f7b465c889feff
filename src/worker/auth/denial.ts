/** Why a bearer is not let in, and what that is on each wire: one table for sockets (§4) and HTTP (§3). */
import { CLOSE, type CloseCode } from '../../protocol/close-codes.ts';
import { refusal, type Refusal } from '../../protocol/errors.ts';

/** What keeps a bearer out. */
export type Denial =
  /** No token, or one that this relay did not sign or that has run out. */
  | 'invalid'
  /** A good token of an agent that was given a newer one in its place. */
  | 'replaced'
  /** A good token of a participant that is no longer here. */
  | 'revoked'
  /** A good token, and a conversation that is not there or not this participant's. */
  | 'not_found';

/** What each denial is on a socket and over HTTP. */
export const DENIALS: Readonly<Record<Denial, { close: CloseCode; status: 401 | 404; error: Refusal }>> = {
  invalid: { close: CLOSE.unauthorized, status: 401, error: refusal('unauthorized', 'token: missing, expired or not valid on this relay') },
  replaced: { close: CLOSE.unauthorized, status: 401, error: refusal('unauthorized', 'token: replaced by a newer one of this agent') },
  revoked: { close: CLOSE.revoked, status: 401, error: refusal('unauthorized', 'token: its participant was revoked') },
  not_found: { close: CLOSE.notFound, status: 404, error: refusal('not_found', 'conversation: not found') },
};
