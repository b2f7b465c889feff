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

/** The newest hits first. Case does not matter, nor do accents and other marks. */
export function find(entries: readonly Entry[], query: string, most: number): Hit[] {
  const wanted = bare(query.trim()).text;
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
  const { text: plain, places } = bare(text);
  const found = plain.indexOf(wanted);
  if (found < 0) return null;
  const place = places[found] ?? 0;
  const begin = Math.max(0, place - BEFORE);
  const end = places[found + wanted.length] ?? text.length;
  const line = (part: string) => part.replaceAll(/\s+/g, ' ');
  return {
    entry,
    before: (begin > 0 ? '…' : '') + line(text.slice(begin, place)),
    match: text.slice(place, end),
    after: line(text.slice(end, end + AFTER)),
  };
}

/** A text in lower case and without marks, and for each unit of it the place in the text where its character begins. */
function bare(text: string): { text: string; places: number[] } {
  let plain = '';
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const left = character.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
    for (let i = 0; i < left.length; i++) places.push(at);
    plain += left;
    at += character.length;
  }
  return { text: plain, places };
}
