/** Hands each message over to an agent once: one that was handed over before this process began may have been done, in part or whole. */
import { createHash } from 'node:crypto';
import type { Chat } from '../chat.ts';
import { Closing } from '../run.ts';
import type { ConversationLines } from './conversation-lines.ts';
import type { PromptMessage } from './prompt-content.ts';
import type { SessionBook } from './session-book.ts';

/** What it stands on. */
export interface OnceOptions {
  /** The agent's name in sentences for the user. */
  title: string;
  book: SessionBook;
  lines: ConversationLines;
}

/** Called right before the agent gets the message; keeps that, and its session where it is new. */
export type HandOver = (kept: { sessionId?: string }) => Promise<void>;

/**
 * Does the work of a message, unless it was done before.
 * @param work does it, and hands the message over
 * @param failed tells the user what went wrong
 */
export async function once(
  { title, book, lines }: OnceOptions,
  chat: Chat,
  message: PromptMessage,
  work: (handOver: HandOver) => Promise<void>,
  failed: (error: unknown) => Promise<void>,
): Promise<void> {
  const { conversationId, signal } = chat;
  const cause = createHash('sha256')
    .update(`${JSON.stringify(message.sender)} ${message.id}`)
    .digest('hex')
    .slice(0, 32);
  if (book.hasFinished(conversationId, cause)) return;
  if (book.workingOn(conversationId) === cause) {
    // Only the user can say whether it is to be done again. An id of its own: what the earlier process said under the run's is there.
    const words = `${title} was at this when lineup ended. It may have done a part of it. Ask again to have it done.`;
    await lines.send(conversationId, 'error', { code: 'agent_interrupted', message: words, retryable: true }, `interrupted_${cause}`);
    return book.finish(conversationId, cause);
  }
  try {
    await work((kept) => book.set(conversationId, { ...kept, working_on: cause }));
  } catch (error) {
    if (signal.reason instanceof Closing) throw error;
    if (!signal.aborted) await failed(error);
  }
  await book.finish(conversationId, cause);
  signal.throwIfAborted();
}
