/** `POST /v1/conversations/:id/import`: a history that another relay had. For the owner alone: it says what others have said. */
import { Hono } from 'hono';
import { hasIdShape } from '../../protocol/ids.ts';
import { MAX_PAGE_BYTES } from '../../protocol/limits.ts';
import { askConversation, askDirectory } from '../stubs.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';
import { requireOwner } from './gates.ts';
import { readJsonText } from './request-body.ts';

export const imports = new Hono<RelayRoutes>().post('/v1/conversations/:id/import', requireOwner, async (c) => {
  const id = c.req.param('id');
  if (!hasIdShape('cv', id) || !(await askDirectory(c.env, (directory) => directory.knows(id)))) return notFound(c, 'conversation');
  const body = await readJsonText(c.req.raw, MAX_PAGE_BYTES);
  if (!body.ok) return refused(c, body.error);
  // What is there already is left alone, so asking twice is safe.
  const answer = await askConversation(c.env, id, (conversation) => conversation.importHistory(body.value));
  return answer.ok ? c.json(answer.value) : refused(c, answer.error);
});
