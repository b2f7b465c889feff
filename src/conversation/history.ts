/** Pages of history over HTTP (§3), as JSON text: stored frames are never parsed on their way out. */
import type { Participant } from '../protocol/envelope.ts';
import { MAX_PAGE_BYTES } from '../protocol/limits.ts';
import type { Ledger } from './ledger.ts';
import { stamped } from './pump.ts';

/** Which page. `limit` is 1 to 100. */
export interface PageQuery {
  after?: number | undefined;
  before?: number | undefined;
  limit: number;
}

/**
 * `{messages, head_seq, oldest_seq, has_more}`, ascending by seq, at most 1 MiB: with `after` the nearest newer, with `before`
 * alone the nearest older, with neither the newest. `has_more` looks in the same direction.
 */
export function historyPage(ledger: Ledger, participant: Participant, { after, before, limit }: PageQuery): string {
  const { log } = ledger;
  const order = after === undefined ? { order: 'descending' as const } : {};
  const entries = log.read(participant, { after: after ?? 0, before, limit: limit + 1, ...order });
  const start = '{"messages":[';
  const end = (hasMore: boolean): string => `],"head_seq":${log.head},"oldest_seq":${log.oldest},"has_more":${hasMore}}`;
  const messages: string[] = [];
  let bytes = start.length + end(false).length;
  for (const entry of entries.slice(0, limit)) {
    const sent = stamped(ledger, entry);
    bytes += sent.bytes + (messages.length > 0 ? 1 : 0);
    if (messages.length > 0 && bytes > MAX_PAGE_BYTES) break;
    messages.push(sent.frame);
  }
  if (after === undefined) messages.reverse();
  return `${start}${messages.join(',')}${end(entries.length > messages.length)}`;
}
