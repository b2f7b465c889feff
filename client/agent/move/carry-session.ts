/** What the program behind the agent knows of a conversation goes along: it is the same program, on the same machine. */
import { join } from 'node:path';
import { BOOKS, SessionBook } from '../acp/session-book.ts';
import { readRunner } from '../agent-claim.ts';
import { makePrivateFolder } from '../private-file.ts';
import type { Setup } from '../setup.ts';

/** A conversation and whose it is. */
interface Place {
  setup: Pick<Setup, 'state' | 'agentId'>;
  conversationId: string;
}

/**
 * Has the program go on with its session in the conversation at the other end.
 * @returns false when it has none that can go on there: it begins a new one. A process that runs there already would not read of it
 */
export async function carrySession(from: Place, to: Place): Promise<boolean> {
  const folder = folderOf(to);
  if (await readRunner(folder)) return false;
  await makePrivateFolder(folder);
  const carry = (name: string) =>
    SessionBook.carry(
      { path: join(folderOf(from), name), conversationId: from.conversationId },
      { path: join(folder, name), conversationId: to.conversationId },
    );
  // It belongs to the same agent there; what that one knows is behind its own server, and is about the conversation here.
  await carry(BOOKS.agents);
  return (await Promise.all([carry(BOOKS.acp), carry(BOOKS.astrbot)])).includes(true);
}

function folderOf({ setup }: Place): string {
  return join(setup.state, setup.agentId);
}
