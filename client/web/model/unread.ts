/** What counts as a message that somebody has to read: what the agent says or asks, not what this device answers by itself. */
import type { Payloads } from '../../../src/protocol/messages.ts';
import type { Entry } from './entry.ts';
import { isQuestion } from './tool-desk.ts';

/** How many messages of the agent's are not read. */
export interface Unread {
  count: number;
  /** There may be more among the older messages that are not loaded. */
  more: boolean;
}

/** @param read everything up to this seq is read @param hasOlder whether older messages can be loaded */
export function unreadOf(entries: readonly Entry[], read: number, hasOlder: boolean): Unread {
  const count = entries.reduce((sum, entry) => sum + Number((entry.seq ?? 0) > read && isSaid(entry)), 0);
  return { count, more: hasOlder && (entries[0]?.seq ?? 0) > read + 1 };
}

function isSaid({ type, sender, payload }: Entry): boolean {
  if (sender.kind !== 'agent' || type === 'lineup.v1.app.call') return false;
  return type !== 'tool.call' || isQuestion(payload as Payloads['tool.call']);
}
