/** `/v1/pairings`: an agent shows a code, a device redeems it (§3). */
import { Hono } from 'hono';
import { pairingBody, redeemBody } from '../../protocol/http.ts';
import { hasIdShape } from '../../protocol/ids.ts';
import { askDirectory, directoryOf } from '../stubs.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';
import { requireToken } from './gates.ts';
import { readBody } from './request-body.ts';

/** Where requests without an address come from: on Cloudflare none, on a machine of one's own all of them. */
const NO_ADDRESS = 'local';

export const pairings = new Hono<RelayRoutes>()
  .post('/redeem', async (c) => {
    const body = await readBody(c.req.raw, redeemBody);
    if (!body.ok) return refused(c, body.error);
    const { code, device } = body.value;
    // Cloudflare sets this header itself; others, such as X-Forwarded-For, are whatever the client likes.
    const address = c.req.header('cf-connecting-ip') ?? NO_ADDRESS;
    const answer = await directoryOf(c.env).redeem({ code, device: { name: device.name, platform: device.platform }, address });
    if (answer.ok) return c.json(answer.value);
    return refused(c, answer.error, answer.retry_after_s === undefined ? {} : { 'Retry-After': String(answer.retry_after_s) });
  })
  .use(requireToken)
  .post('/', async (c) => {
    const body = await readBody(c.req.raw, pairingBody);
    if (!body.ok) return refused(c, body.error);
    const { ttl_s, label = null } = body.value;
    const made = await directoryOf(c.env).makePairing(c.var.token, { ttl_s, label });
    if (!made.ok) return refused(c, made.error);
    const { pairing_id, code, expires_at } = made.value;
    // The code stands behind the #, which browsers keep to themselves.
    return c.json({ pairing_id, code, url: `${new URL(c.req.url).origin}/#pair=${code}`, expires_at }, 201);
  })
  .get('/:id', async (c) => {
    const id = c.req.param('id');
    if (!hasIdShape('pr', id)) return notFound(c, 'pairing');
    const status = await askDirectory(c.env, (directory) => directory.pairing(c.var.token, id));
    return status.ok ? c.json(status.value) : refused(c, status.error);
  });
