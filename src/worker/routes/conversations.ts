/** `/v1/conversations`: list, make, rename, delete (§3). */
import { Hono } from 'hono';
import { conversationBody, renameBody, type ConversationInfo } from '../../protocol/http.ts';
import { hasIdShape } from '../../protocol/ids.ts';
import type { ConversationSummary } from '../conversation-api.ts';
import type { ListedConversation } from '../directory/conversations.ts';
import { askDirectory, directoryOf } from '../stubs.ts';
import { summariesOf } from '../summaries.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';
import { requireToken } from './gates.ts';
import { readBody } from './request-body.ts';

export const conversations = new Hono<RelayRoutes>()
  .get('/', requireToken, async (c) => {
    const listed = await askDirectory(c.env, (directory) => directory.conversations(c.var.token));
    if (!listed.ok) return refused(c, listed.error);
    const summaries = await summariesOf(
      c.env,
      listed.value.map(({ conversation_id }) => conversation_id),
    );
    return c.json({ conversations: listed.value.map((conversation) => conversationInfo(conversation, summaries.get(conversation.conversation_id))) });
  })
  .post('/', requireToken, async (c) => {
    const body = await readBody(c.req.raw, conversationBody);
    if (!body.ok) return refused(c, body.error);
    const made = await directoryOf(c.env).makeConversation(c.var.token, titleOf(body.value));
    return made.ok ? c.json(conversationInfo(made.value), 201) : refused(c, made.error);
  })
  .patch('/:id', requireToken, async (c) => {
    const id = c.req.param('id');
    if (!hasIdShape('cv', id)) return notFound(c, 'conversation');
    const body = await readBody(c.req.raw, renameBody);
    if (!body.ok) return refused(c, body.error);
    const renamed = await askDirectory(c.env, (directory) => directory.renameConversation(c.var.token, id, titleOf(body.value)));
    if (!renamed.ok) return refused(c, renamed.error);
    const summaries = await summariesOf(c.env, [id]);
    return c.json(conversationInfo(renamed.value, summaries.get(id)));
  })
  .delete('/:id', requireToken, async (c) => {
    const id = c.req.param('id');
    if (!hasIdShape('cv', id)) return notFound(c, 'conversation');
    const deleted = await directoryOf(c.env).deleteConversation(c.var.token, id);
    return deleted.ok ? c.body(null, 204) : refused(c, deleted.error);
  });

/** A conversation of which nothing is known beside its name is shown as an empty one. */
function conversationInfo(conversation: ListedConversation, summary?: ConversationSummary): ConversationInfo {
  return { ...conversation, last_message_at: summary?.last_message_at ?? null, head_seq: summary?.head_seq ?? 0 };
}

/** A blank title is none. */
function titleOf(body: { title?: string | null | undefined }): string | null {
  return body.title || null;
}
