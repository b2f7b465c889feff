/** `/v1/conversations/:id/files`: bytes in and out; the conversation keeps them (§3). */
import { Hono } from 'hono';
import { hasIdShape } from '../../protocol/ids.ts';
import { conversationRequest } from '../conversation-request.ts';
import { askConversation } from '../stubs.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';
import { requireAdmission } from './gates.ts';
import { readBytes } from './request-body.ts';

export const files = new Hono<RelayRoutes>()
  .post('/v1/conversations/:id/files', requireAdmission, async (c) => {
    const id = c.req.param('id');
    const max = c.var.limits.max_file_bytes;
    // Read here, so that a body without end costs the conversation nothing.
    const body = await readBytes(c.req.raw, max);
    if (!body) return refused(c, { code: 'frame_too_large', message: `body: larger than ${max} bytes` });
    const type = c.req.header('content-type');
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const request = conversationRequest(id, c.var.admission, '/files', { method: 'POST', headers, body });
    // Not asked twice: a second attempt would store a second file.
    return await c.env.CONVERSATIONS.getByName(id).fetch(request);
  })
  .get('/v1/conversations/:id/files/:file_id', requireAdmission, async (c) => {
    const id = c.req.param('id');
    const fileId = c.req.param('file_id');
    if (!hasIdShape('fl', fileId)) return notFound(c, 'file');
    const range = c.req.header('range');
    const headers: Record<string, string> = range === undefined ? {} : { range };
    const request = () => conversationRequest(id, c.var.admission, `/files/${fileId}`, { headers });
    return await askConversation(c.env, id, (conversation) => conversation.fetch(request()));
  });
