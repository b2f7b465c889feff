/** What an agent's folder says of its conversations: how far it has read, and what waits to be sent. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasIdShape } from '../../src/protocol/ids.ts';
import { FileCursorStore } from '../core/cursor-file.ts';
import { readIfThere } from './private-file.ts';

/** One conversation on this machine. */
export interface LocalConversation {
  conversationId: string;
  /** The seq up to which the agent has handled everything; null before its first connection. */
  cursor: number | null;
  /** Messages in the outbox. */
  unsent: number;
}

/** Every conversation that has left something in the agent's folder. Reads only: the agent may be running. */
export async function localQueue(folder: string): Promise<LocalConversation[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  return Promise.all(names.filter((name) => hasIdShape('cv', name)).map((name) => readConversation(folder, name)));
}

async function readConversation(folder: string, conversationId: string): Promise<LocalConversation> {
  // One that cannot be read is as good as none: the agent begins anew.
  const cursor = await new FileCursorStore(join(folder, conversationId, 'cursor.json')).load().catch(() => null);
  const unsent = countUnsent((await readIfThere(join(folder, conversationId, 'outbox.jsonl'))) ?? '');
  return { conversationId, cursor: cursor?.seq ?? null, unsent };
}

/** Each line of an outbox file puts a message in or takes one out. */
function countUnsent(text: string): number {
  const ids = new Set<string>();
  for (const line of text.split('\n')) {
    const put = /^\{"put":\{"id":"([^"]+)"/.exec(line)?.[1];
    const removed = /^\{"removed":"([^"]+)"/.exec(line)?.[1];
    if (put !== undefined) ids.add(put);
    if (removed !== undefined) ids.delete(removed);
  }
  return ids.size;
}
