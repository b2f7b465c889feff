/**
 * `GET /surface-frame`: the page between the app and what an agent wrote (docs/security.md).
 *
 * The app asks for it at its own origin and is sent on to where the page is kept apart best; `?host=` names the app that asked.
 */
import { Hono } from 'hono';
import { surfaceHeaders } from '../response-headers.ts';
import { asOrigin, mayShow, SURFACE_PATH, surfaceOrigin } from '../surface-place.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';

export const surfaceFrame = new Hono<RelayRoutes>().get(SURFACE_PATH, async (c) => {
  const own = new URL(c.req.url).origin;
  const { LINEUP_SURFACE_ORIGIN: variable } = c.env;
  const asked = c.req.query('host');
  try {
    const place = surfaceOrigin(own, variable);
    if (asked === undefined && place !== own) {
      const headers = { ...surfaceHeaders(own), Location: `${place}${SURFACE_PATH}?host=${encodeURIComponent(own)}` };
      return new Response(null, { status: 302, headers });
    }
  } catch (error) {
    if (error instanceof RangeError) return refused(c, { code: 'not_configured', message: error.message });
    throw error;
  }
  const host = asked === undefined ? own : asOrigin(asked);
  if (host === null || !mayShow(own, host, variable)) return notFound(c, 'host');
  const page = await c.env.ASSETS.fetch(new Request(`${own}${SURFACE_PATH}.txt`));
  return new Response(page.body, { status: page.status, headers: { ...surfaceHeaders(host), 'Content-Type': 'text/html; charset=utf-8' } });
});
