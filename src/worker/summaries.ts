/** What lists show of conversations: asked of each conversation itself, because nobody else knows. */
import type { ConversationSummary } from './conversation-api.ts';
import type { Env } from './env.ts';
import { inParallel } from './in-parallel.ts';
import { logFailure } from './log.ts';
import { askConversation } from './stubs.ts';

/** Conversations that are asked at once. */
const CONCURRENCY = 16;

/** The summary of each conversation by id. One that does not answer is missing: a list is worth having without it. */
export async function summariesOf(env: Env, conversationIds: readonly string[]): Promise<Map<string, ConversationSummary>> {
  const answers = await inParallel(conversationIds, CONCURRENCY, (id) => askConversation(env, id, (conversation) => conversation.summary()));
  const summaries = new Map<string, ConversationSummary>();
  for (const [index, id] of conversationIds.entries()) {
    const answer = answers[index];
    if (answer?.status === 'fulfilled') summaries.set(id, answer.value);
    else logFailure('conversation_without_summary', answer?.reason, { conversation: id });
  }
  return summaries;
}

/** When somebody was last seen, over several conversations: online in any of them is online, and seen now (ms since 1970). */
export function presenceOf(
  participantId: string,
  summaries: Iterable<ConversationSummary>,
  now: number,
): { online: boolean; last_seen: string | null } {
  let last_seen: string | null = null;
  for (const summary of summaries) {
    if (summary.online.includes(participantId)) return { online: true, last_seen: new Date(now).toISOString() };
    const seen = summary.last_seen[participantId];
    // ISO 8601 in UTC sorts as text.
    if (seen !== undefined && (last_seen === null || seen > last_seen)) last_seen = seen;
  }
  return { online: false, last_seen };
}
