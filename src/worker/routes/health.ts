/** `GET /healthz` and `GET /.well-known/jwks.json` (§3). */
import { Hono } from 'hono';
import { version } from '../../../package.json';
import { knownRelay } from '../auth/relay-identity.ts';
import type { RelayRoutes } from './answers.ts';

export const health = new Hono<RelayRoutes>()
  .get('/healthz', async (c) => {
    const { identity } = await knownRelay(c.env);
    return c.json({ ok: true, name: 'lineup-relay', relay: identity.relay_id, version, protocol: 1 });
  })
  .get('/.well-known/jwks.json', async (c) => {
    const { identity } = await knownRelay(c.env);
    return c.json({ keys: identity.keys });
  });
