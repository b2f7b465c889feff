/** Carries the history of a conversation from one relay to another, page by page, with the bytes of its files. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { FileInfo, HistoryPage, ImportAnswer } from '../../../src/protocol/http.ts';
import { MAX_PAGE_MESSAGES } from '../../../src/protocol/limits.ts';
import { RelayError } from '../../core/errors.ts';
import type { RelayHttp } from '../../core/http.ts';
import { carryKey, fileOf, isAnnouncement, staysBecause, withFile, type StayReason } from './carry.ts';

/** One end of a move: a conversation at a relay. Each call tries again by itself while the network fails. */
export interface MoveEnd {
  conversationId: string;
  http: Pick<RelayHttp, 'history' | 'download' | 'upload'>;
}

/** What was carried and what was not. */
export interface MoveTally {
  moved: number;
  /** Messages that had been there before: of an earlier try, or from there. */
  already: number;
  files: number;
  bytes: number;
  /** Messages of there that the relay has let go of meanwhile, since it keeps less. */
  trimmed: number;
  stayed: Record<StayReason | 'stray', number>;
}

/** What is at an end already. */
export interface Present {
  /** By {@link carryKey}. */
  keys: ReadonlySet<string>;
  head: number;
  oldest: number;
  /** Seq of the newest message that is no announcement; 0 when there is none. */
  spoken: number;
}

interface MoveParts {
  from: MoveEnd;
  to: MoveEnd;
  /** Only what was said after this seq. */
  since: number;
  /** What is there before. */
  present: Present;
  /**
   * Brings messages in. They are there for good when this resolves.
   * @param after the newest seq of there, as far as is known
   */
  bring(messages: Delivered[], after: number): Promise<ImportAnswer>;
}

/**
 * @returns what became of it, the seq up to which nothing will have to go any more, and the newest seq of there
 * @throws what the calls throw; what was brought by then is found again by {@link presentAt}
 */
export async function moveHistory({ from, to, since, present, bring }: MoveParts): Promise<{ tally: MoveTally; doneTo: number; head: number }> {
  let { head } = present;
  let doneTo = since;
  let isWaiting = false;
  const tally: MoveTally = {
    moved: 0,
    already: 0,
    files: 0,
    bytes: 0,
    trimmed: 0,
    stayed: { open_calls: 0, surfaces: 0, files: 0, unknown: 0, stray: 0 },
  };
  const surfaces = new Set<unknown>();
  const copies = new Map<string, FileInfo | null>();
  const copy = async (fileId: string): Promise<FileInfo | null> => {
    const made = copies.get(fileId) ?? (await copyFile(from, to, fileId));
    if (made && !copies.has(fileId)) {
      tally.files += 1;
      tally.bytes += made.size;
    }
    copies.set(fileId, made);
    return made;
  };
  for await (const { messages: page } of pagesOf(from, since)) {
    const batch: Delivered[] = [];
    for (const message of page) {
      const stays = staysBecause(message);
      // A question that is open now goes with a later move, which begins there.
      isWaiting ||= stays === 'open_calls';
      if (!isWaiting) doneTo = message.seq ?? doneTo;
      if (isAnnouncement(message)) continue;
      if (stays === 'surfaces') surfaces.add(message.payload.instance_id);
      else if (stays) tally.stayed[stays] += 1;
      if (stays) continue;
      if (present.keys.has(carryKey(message))) {
        tally.already += 1;
        continue;
      }
      const fileId = fileOf(message);
      const file = fileId === null ? undefined : await copy(fileId);
      if (file === null) tally.stayed.files += 1;
      else batch.push(bare(file ? withFile(message, file) : message));
    }
    if (batch.length === 0) continue;
    const { imported, known, left_out, head_seq, oldest_seq } = await bring(batch, head);
    tally.moved += imported;
    tally.already += known;
    tally.stayed.stray += left_out;
    tally.trimmed = oldest_seq - present.oldest;
    head = head_seq;
  }
  tally.stayed.surfaces = surfaces.size;
  return { tally, doneTo, head };
}

/** Looks at what is at an end. */
export async function presentAt(end: MoveEnd): Promise<Present> {
  const keys = new Set<string>();
  const present = { head: 0, oldest: 1, spoken: 0 };
  for await (const { messages, head_seq, oldest_seq } of pagesOf(end, 0)) {
    Object.assign(present, { head: head_seq, oldest: oldest_seq });
    for (const message of messages) {
      keys.add(carryKey(message));
      if (!isAnnouncement(message)) present.spoken = message.seq ?? present.spoken;
    }
  }
  return { ...present, keys };
}

async function* pagesOf({ http, conversationId }: MoveEnd, since: number): AsyncGenerator<HistoryPage<Delivered>> {
  for (let after = since, hasMore = true; hasMore;) {
    const page = await http.history(conversationId, { after, limit: MAX_PAGE_MESSAGES });
    yield page;
    const last = page.messages.at(-1)?.seq;
    if (last === undefined || last === null) return;
    after = last;
    hasMore = page.has_more;
  }
}

/** What an import reads, and no more: a page of history then always fits into one request. */
function bare({ v, id, type, sender, target, ts, settled, payload }: Delivered): Delivered {
  return { v, id, type, sender, payload, ...(target && { target }), ...(ts !== undefined && { ts }), ...(settled && { settled }) };
}

/** Null when the bytes are gone, or are more than the other relay takes in one file. */
async function copyFile(from: MoveEnd, to: MoveEnd, fileId: string): Promise<FileInfo | null> {
  const bytes = await unlessRefused('not_found', () => from.http.download(from.conversationId, fileId));
  if (!bytes) return null;
  return await unlessRefused('frame_too_large', () => to.http.upload(to.conversationId, bytes, bytes.type || 'application/octet-stream'));
}

async function unlessRefused<T>(code: string, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof RelayError && error.code === code) return null;
    throw error;
  }
}
