/** Carries the history of a conversation from one relay to another, page by page, with the bytes of its files. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { FileInfo, ImportAnswer } from '../../../src/protocol/http.ts';
import { MAX_PAGE_MESSAGES } from '../../../src/protocol/limits.ts';
import { RelayError } from '../../core/errors.ts';
import type { RelayHttp } from '../../core/http.ts';
import { carryKey, fileOf, staysBecause, withFile, type StayReason } from './carry.ts';

/** One end of a move: a conversation at a relay. Each call tries again by itself while the network fails. */
export interface MoveEnd {
  conversationId: string;
  http: Pick<RelayHttp, 'history' | 'download' | 'upload'>;
}

/** What was carried and what was not. */
export interface MoveTally {
  /** Messages that are there now, those of an earlier try included. */
  moved: number;
  files: number;
  bytes: number;
  /** Seqs of there that the relay has let go of already, since it keeps less. */
  trimmed: number;
  stayed: Record<StayReason | 'stray', number>;
}

interface MoveParts {
  from: MoveEnd;
  to: MoveEnd;
  /** Brings messages in. They are there for good when this resolves. */
  bring(messages: Delivered[]): Promise<ImportAnswer>;
  /** Keys of what an earlier try has brought. */
  known: ReadonlySet<string>;
}

/** @throws what the calls throw; what was brought by then is found again by {@link knownAt} */
export async function moveHistory({ from, to, bring, known }: MoveParts): Promise<MoveTally> {
  const tally: MoveTally = { moved: 0, files: 0, bytes: 0, trimmed: 0, stayed: { open_calls: 0, surfaces: 0, files: 0, unknown: 0, stray: 0 } };
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
  for await (const page of pagesOf(from)) {
    const batch: Delivered[] = [];
    for (const message of page) {
      const stays = staysBecause(message);
      if (stays === 'surfaces') surfaces.add(message.payload.instance_id);
      else if (stays) tally.stayed[stays] += 1;
      if (stays) continue;
      if (known.has(carryKey(message))) {
        tally.moved += 1;
        continue;
      }
      const fileId = fileOf(message);
      const file = fileId === null ? undefined : await copy(fileId);
      if (file === null) tally.stayed.files += 1;
      else batch.push(bare(file ? withFile(message, file) : message));
    }
    if (batch.length === 0) continue;
    const { imported, known: there, left_out, oldest_seq } = await bring(batch);
    tally.moved += imported + there;
    tally.stayed.stray += left_out;
    tally.trimmed = oldest_seq - 1;
  }
  tally.stayed.surfaces = surfaces.size;
  return tally;
}

/** What is at an end already, by {@link carryKey}. */
export async function knownAt(end: MoveEnd): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const page of pagesOf(end)) for (const message of page) keys.add(carryKey(message));
  return keys;
}

async function* pagesOf({ http, conversationId }: MoveEnd): AsyncGenerator<Delivered[]> {
  for (let after = 0, hasMore = true; hasMore;) {
    const { messages, has_more } = await http.history(conversationId, { after, limit: MAX_PAGE_MESSAGES });
    const last = messages.at(-1)?.seq;
    if (last === undefined || last === null) return;
    yield messages;
    after = last;
    hasMore = has_more;
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
