/** What routes share: the types of their context, and how a refusal and JSON text are answered (§3). */
import type { Context } from 'hono';
import { ERROR_STATUS, type ErrorCode, type Refusal } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Claims } from '../auth/claims.ts';
import type { Admission } from '../conversation-api.ts';
import type { Env } from '../env.ts';

/** What Hono knows of a request. */
export interface RelayRoutes {
  Bindings: Env;
  Variables: {
    limits: Limits;
    /** Set by `requireToken`. */
    token: Claims;
    /** Set by `requireAdmission`. */
    admission: Admission;
  };
}

/** The error body of §3 with the code's status. */
export function refused<C extends ErrorCode>(c: Context, { code, message }: Refusal & { code: C }, headers: Record<string, string> = {}) {
  // RFC 6750: what a 401 wants.
  if (ERROR_STATUS[code] === 401) c.header('WWW-Authenticate', 'Bearer');
  return c.json({ error: { code, message } }, ERROR_STATUS[code], headers);
}

/** The 404 of a path or id that is not there. */
export function notFound(c: Context, what: string) {
  return refused(c, { code: 'not_found', message: `${what}: not found` });
}
