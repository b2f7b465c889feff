/** The web app: static files, and its one page for every other path. */
import type { Context } from 'hono';
import { asPage, isHashed } from '../response-headers.ts';
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
  return asPage(file, path);
}
