/** What stands before a route: the owner key, a token, or a token that may enter the conversation of the path (§3). */
import { createMiddleware } from 'hono/factory';
import { admitToken, readToken } from '../auth/admit.ts';
import { bearerOf } from '../auth/bearer.ts';
import { checkOwnerKey } from '../auth/owner-key.ts';
import { refused, type RelayRoutes } from './answers.ts';

/** Lets the owner through. */
export const requireOwner = createMiddleware<RelayRoutes>(async (c, next) => {
  const owner = checkOwnerKey(c.env.LINEUP_OWNER_KEY, bearerOf(c.req.raw));
  return owner.ok ? await next() : refused(c, owner.error);
});

/** Lets through who bears a token of this relay; the directory decides whether its participant is still here. */
export const requireToken = createMiddleware<RelayRoutes>(async (c, next) => {
  const token = await readToken(c.env, bearerOf(c.req.raw));
  if (!token.ok) return refused(c, token.error);
  c.set('token', token.value);
  return await next();
});

/** Lets through who may enter the conversation `:id`. */
export const requireAdmission = createMiddleware<RelayRoutes, '/v1/conversations/:id/*'>(async (c, next) => {
  const admitted = await admitToken(c.env, bearerOf(c.req.raw), c.req.param('id'));
  if (!admitted.ok) return refused(c, admitted.error);
  c.set('admission', admitted.admission);
  return await next();
});
