/** `GET /healthz` and `GET /.well-known/jwks.json` (§3). */
import { Hono } from 'hono';
import manifest from '../../../package.json' with { type: 'json' };
import { knownRelay } from '../auth/relay-identity.ts';
import type { RelayRoutes } from './answers.ts';

export const health = new Hono<RelayRoutes>()
  .get('/healthz', async (c) => {
    const { identity } = await knownRelay(c.env);
    // Without an owner key no agent can enrol: the page at this address says so, to whoever has just deployed it.
    const configured = Boolean(c.env.LINEUP_OWNER_KEY?.trim());
    // Clients judge their own clock by it. Not every platform sends one by itself, and workerd does not.
    c.header('date', new Date().toUTCString());
    return c.json({ ok: true, name: 'lineup-relay', relay: identity.relay_id, version: manifest.version, protocol: 1, configured });
  })
  .get('/.well-known/jwks.json', async (c) => {
    const { identity } = await knownRelay(c.env);
    return c.json({ keys: identity.keys });
  });
