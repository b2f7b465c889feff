/** `/v1/devices`: an agent's paired devices, or a device itself (§3). */
import { Hono } from 'hono';
import type { DeviceInfo } from '../../protocol/http.ts';
import { hasIdShape } from '../../protocol/ids.ts';
import { askDirectory, directoryOf } from '../stubs.ts';
import { presenceOf, summariesOf } from '../summaries.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';
import { requireToken } from './gates.ts';

export const devices = new Hono<RelayRoutes>()
  .use(requireToken)
  .get('/', async (c) => {
    const listed = await askDirectory(c.env, (directory) => directory.devices(c.var.token));
    if (!listed.ok) return refused(c, listed.error);
    const summaries = await summariesOf(c.env, listed.value.conversation_ids);
    const now = Date.now();
    const infos = listed.value.devices.map((device): DeviceInfo => ({ ...device, ...presenceOf(device.device_id, summaries.values(), now) }));
    return c.json({ devices: infos });
  })
  .delete('/:id', async (c) => {
    const id = c.req.param('id');
    if (!hasIdShape('dv', id)) return notFound(c, 'device');
    const revoked = await directoryOf(c.env).revokeDevice(c.var.token, id);
    return revoked.ok ? c.body(null, 204) : refused(c, revoked.error);
  });
