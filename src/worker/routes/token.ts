/** `POST /v1/token`: a fresh token for the same participant (§3). */
import { Hono } from 'hono';
import { askDirectory } from '../stubs.ts';
import { refused, type RelayRoutes } from './answers.ts';
import { requireToken } from './gates.ts';

export const token = new Hono<RelayRoutes>().use(requireToken).post('/', async (c) => {
  const issued = await askDirectory(c.env, (directory) => directory.refresh(c.var.token));
  return issued.ok ? c.json(issued.value) : refused(c, issued.error);
});
