/** `GET /v1/conversations/:id/audit`: what was asked of the devices and how it ended, for the agent and the owner (§3, §6). */
import { Hono, type Context } from 'hono';
import { refuse, type Result } from '../../protocol/errors.ts';
import { hasIdShape } from '../../protocol/ids.ts';
import { admitToken } from '../auth/admit.ts';
import { bearerOf } from '../auth/bearer.ts';
import { checkOwnerKey } from '../auth/owner-key.ts';
import { askConversation, askDirectory } from '../stubs.ts';
import { refused, type RelayRoutes } from './answers.ts';
import { readInteger } from './query.ts';

const DEFAULT_ENTRIES = 50;
const MAX_ENTRIES = 100;

export const audit = new Hono<RelayRoutes>().get('/v1/conversations/:id/audit', async (c) => {
  const id = c.req.param('id');
  const allowed = await mayAudit(c, id);
  if (!allowed.ok) return refused(c, allowed.error);
  const limit = readInteger(c.req.url, 'limit', 1, MAX_ENTRIES);
  if (!limit.ok) return refused(c, limit.error);
  const entries = await askConversation(c.env, id, (conversation) => conversation.audit(limit.value ?? DEFAULT_ENTRIES));
  return c.json({ entries });
});

async function mayAudit(c: Context<RelayRoutes>, conversationId: string): Promise<Result<null>> {
  const bearer = bearerOf(c.req.raw);
  const owner = checkOwnerKey(c.env.LINEUP_OWNER_KEY, bearer);
  if (owner.ok) {
    const known = hasIdShape('cv', conversationId) && (await askDirectory(c.env, (directory) => directory.knows(conversationId)));
    return known ? { ok: true, value: null } : refuse('not_found', 'conversation: not found');
  }
  const admitted = await admitToken(c.env, bearer, conversationId);
  if (!admitted.ok) return admitted;
  if (admitted.admission.participant.kind !== 'agent') return refuse('forbidden', 'audit: only the agent and the owner may read it');
  return { ok: true, value: null };
}
