/** Puts the pieces of a streamed text together (`text.delta`, §5). */

/** Longest text that is put together; a finished text cannot be longer either (65 536 characters of at most two units). */
const MAX_UNITS = 131_072;

/** A text as far as it has come. */
export interface StreamedText {
  content: string;
  /** A piece was missed: nothing is added until one comes that joins on, or the finished text. */
  gap: boolean;
}

/**
 * Adds one piece. Repeats change nothing, an overlap adds only what is new, and a gap leaves the text where it is. A writer that lost its
 * memory may begin again with other words: from where they differ, the new ones count.
 * @param offset where the piece begins, in UTF-16 units
 */
export function addDelta(text: StreamedText, offset: number, delta: string): StreamedText {
  const { content } = text;
  if (offset > content.length || offset + delta.length > MAX_UNITS) return text.gap ? text : { content, gap: true };
  const known = content.slice(offset, offset + delta.length);
  if (!delta.startsWith(known)) return { content: content.slice(0, offset) + delta, gap: false };
  const fresh = delta.slice(known.length);
  return fresh === '' ? text : { content: content + fresh, gap: false };
}

/** The text without a half character at its end: a piece may end in the middle of a surrogate pair. */
export function shownText(content: string): string {
  const last = content.charCodeAt(content.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? content.slice(0, -1) : content;
}
