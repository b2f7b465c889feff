/**
 * The routes of the relay that need no more than `Request` and `Response`, and what an answer is when there is none to be had.
 * Sockets are opened differently on every platform, so whoever serves this app adds them.
 */
import { Hono, type Context } from 'hono';
import { routePath } from 'hono/route';
import { readLimits } from '../protocol/limits.ts';
import { logFailure } from './log.ts';
import { preflight } from './response-headers.ts';
import { agents } from './routes/agents.ts';
import { refused, type RelayRoutes } from './routes/answers.ts';
import { audit } from './routes/audit.ts';
import { conversations } from './routes/conversations.ts';
import { devices } from './routes/devices.ts';
import { files } from './routes/files.ts';
import { health } from './routes/health.ts';
import { imports } from './routes/imports.ts';
import { messages } from './routes/messages.ts';
import { pageOrNotFound } from './routes/page.ts';
import { pairings } from './routes/pairings.ts';
import { surfaceFrame } from './routes/surface-frame.ts';
import { token } from './routes/token.ts';

/** The relay as one Hono app, but for its sockets. */
export const app = new Hono<RelayRoutes>();

app.use(async (c, next) => {
  if (c.req.method === 'OPTIONS') return preflight();
  return await next();
});
app.route('/', health);
app.route('/', surfaceFrame);
app.use(async (c, next) => {
  const problem = readLimitsInto(c);
  return problem === undefined ? await next() : refused(c, { code: 'not_configured', message: problem });
});
app.route('/v1/agents', agents);
app.route('/v1/pairings', pairings);
app.route('/v1/token', token);
app.route('/v1/devices', devices);
app.route('/v1/conversations', conversations);
app.route('/', messages);
app.route('/', imports);
app.route('/', audit);
app.route('/', files);
app.notFound(pageOrNotFound);
app.onError((error, c) => {
  logFailure('request_failed', error, { method: c.req.method, route: routePath(c, -1), status: 500 });
  return refused(c, { code: 'internal', message: 'the relay failed; trying again may help' });
});

/** Sets the limits of a request; answers what is wrong with the relay's variables, which only its owner can put right. */
function readLimitsInto(c: Context<RelayRoutes>): string | undefined {
  try {
    c.set('limits', readLimits(c.env));
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
