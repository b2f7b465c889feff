/** Puts the pieces of a streamed text together (`text.delta`, §5). */

/** Longest text that is put together; a finished text cannot be longer either (65 536 characters of at most two units). */
const MAX_UNITS = 131_072;

/** A text as far as it has come. */
export interface StreamedText {
  content: string;
  /** A piece was missed: nothing more is added, the finished text will bring the rest. */
  broken: boolean;
}

/**
 * Adds one piece. Repeats change nothing, an overlap adds only what is new, and a gap stops the text where it is.
 * @param offset where the piece begins, in UTF-16 units
 */
export function addDelta(text: StreamedText, offset: number, delta: string): StreamedText {
  if (text.broken) return text;
  const have = text.content.length;
  if (offset > have || offset + delta.length > MAX_UNITS) return { ...text, broken: true };
  const fresh = delta.slice(have - offset);
  return fresh === '' ? text : { content: text.content + fresh, broken: false };
}

/** The text without a half character at its end: a piece may end in the middle of a surrogate pair. */
export function shownText(content: string): string {
  const last = content.charCodeAt(content.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? content.slice(0, -1) : content;
}
