/** The web app: static files, and its one page for every other path. */
import type { Context } from 'hono';
import { asPage, isHashed } from '../response-headers.ts';
import { SURFACE_PATH, surfaceOrigin } from '../surface-place.ts';
import { notFound, type RelayRoutes } from './answers.ts';

/** Paths that belong to the API: what is not there is no page. */
const API_PATH = /^\/(?:v1|mcp|relay|healthz|\.well-known)(?:\/|$)/;

/** Answers what no route took: a file of the web app, its page, or the 404 of the API. */
export async function pageOrNotFound(c: Context<RelayRoutes>): Promise<Response> {
  const { path, method } = c.req;
  if (API_PATH.test(path) || (method !== 'GET' && method !== 'HEAD')) return notFound(c, 'path');
  const file = await c.env.ASSETS.fetch(c.req.raw);
  // A chunk of an older build is gone; the page in its place would be a script that does not parse, kept for a year.
  if (isHashed(path) && file.headers.get('content-type')?.startsWith('text/html')) return notFound(c, 'file');
  return asPage(file, path, surfaceAddresses(new URL(c.req.url).origin, c.env.LINEUP_SURFACE_ORIGIN));
}

/** Where the surface page is: asked for here, and served from where it is kept apart best. */
function surfaceAddresses(own: string, variable: string | undefined): string[] {
  try {
    return [...new Set([own, surfaceOrigin(own, variable)])].map((origin) => origin + SURFACE_PATH);
  } catch (error) {
    // The variable is no origin: the surface page itself says so.
    if (error instanceof RangeError) return [own + SURFACE_PATH];
    throw error;
  }
}
