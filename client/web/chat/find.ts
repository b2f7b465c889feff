/** Search in what is loaded of a conversation. */
import type { Entry } from '../model/entry.ts';
import { markdownOf } from '../timeline/message-markdown.ts';

/** A place where the words were found: the text around them in three parts. */
export interface Hit {
  entry: Entry;
  before: string;
  match: string;
  after: string;
}

/** So much is shown before and after a match, in UTF-16 units. */
const BEFORE = 32;
const AFTER = 120;

/** The newest hits first. Case does not matter. */
export function find(entries: readonly Entry[], query: string, most: number): Hit[] {
  const wanted = query.trim().toLowerCase();
  const hits: Hit[] = [];
  if (wanted === '') return hits;
  for (let i = entries.length - 1; i >= 0 && hits.length < most; i--) {
    const entry = entries[i];
    const hit = entry && hitIn(entry, wanted);
    if (hit) hits.push(hit);
  }
  return hits;
}

function hitIn(entry: Entry, wanted: string): Hit | null {
  const text = entry.type === 'file' ? markdownOf(entry).slice(1, -1) : markdownOf(entry);
  const lower = text.toLowerCase();
  // Lower case can be longer than the text, and then places in one are not places in the other.
  const place = (lower.length === text.length ? lower : text).indexOf(wanted);
  if (place < 0) return null;
  const begin = Math.max(0, place - BEFORE);
  const end = place + wanted.length;
  const line = (part: string) => part.replaceAll(/\s+/g, ' ');
  return {
    entry,
    before: (begin > 0 ? '…' : '') + line(text.slice(begin, place)),
    match: text.slice(place, end),
    after: line(text.slice(end, end + AFTER)),
  };
}
