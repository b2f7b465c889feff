/** `/v1/conversations/:id/messages`: pages of history, and one envelope in (§3). */
import { Hono } from 'hono';
import { DEFAULT_PAGE_MESSAGES, MAX_PAGE_MESSAGES } from '../../protocol/limits.ts';
import { askConversation } from '../stubs.ts';
import { refused, type RelayRoutes } from './answers.ts';
import { requireAdmission } from './gates.ts';
import { readInteger } from './query.ts';
import { readJsonText } from './request-body.ts';

export const messages = new Hono<RelayRoutes>()
  .get('/v1/conversations/:id/messages', requireAdmission, async (c) => {
    const after = readInteger(c.req.url, 'after');
    if (!after.ok) return refused(c, after.error);
    const before = readInteger(c.req.url, 'before');
    if (!before.ok) return refused(c, before.error);
    const limit = readInteger(c.req.url, 'limit', 1, MAX_PAGE_MESSAGES);
    if (!limit.ok) return refused(c, limit.error);
    const page = {
      ...(after.value !== undefined && { after: after.value }),
      ...(before.value !== undefined && { before: before.value }),
      limit: limit.value ?? DEFAULT_PAGE_MESSAGES,
    };
    const { participant } = c.var.admission;
    const text = await askConversation(c.env, c.req.param('id'), (conversation) => conversation.history(participant, page));
    return c.body(text, 200, { 'Content-Type': 'application/json' });
  })
  .post('/v1/conversations/:id/messages', requireAdmission, async (c) => {
    const body = await readJsonText(c.req.raw, c.var.limits.max_frame_bytes);
    if (!body.ok) return refused(c, body.error);
    const { participant } = c.var.admission;
    // The envelope's id makes a second attempt a duplicate, so asking twice is safe.
    const answer = await askConversation(c.env, c.req.param('id'), (conversation) => conversation.post(participant, body.value));
    if (!answer.ok) return refused(c, answer.error);
    return c.json({ id: answer.id, seq: answer.seq, duplicate: answer.duplicate }, 202);
  });
