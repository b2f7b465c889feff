/**
 * Cuts a Markdown text into pieces that mean the same alone as together, so that a text which grows is parsed only at its end,
 * and a finished text is not parsed again.
 */

/** What can reach over blank lines: definitions of links and footnotes, and raw HTML. A text with one of them stays whole. */
const REACHES_FAR = /^ {0,3}\[[^\]\n]+\]:|<!--|<(?:script|pre|style|textarea)\b/im;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line that begins a block of its own after a blank line: not indented, no list item, no quotation. */
const FRESH_BLOCK = /^(?![\s>]|[-*+](?:\s|$)|\d{1,9}(?:[.)](?:\s|$)|$))/;

/** The pieces; joined they are the text. Every piece but the last stays the same when text is added behind it. */
export function splitBlocks(text: string): string[] {
  if (REACHES_FAR.test(text)) return [text];
  const pieces: string[] = [];
  let begin = 0;
  let fence: string | null = null;
  let blank = false;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, newline < 0 ? end : newline);
    if (fence === null && blank && at > begin && FRESH_BLOCK.test(line) && line.trim() !== '') {
      pieces.push(text.slice(begin, at));
      begin = at;
    }
    fence = nextFence(fence, line);
    blank = fence === null && line.trim() === '';
    at = end;
  }
  if (begin < text.length || pieces.length === 0) pieces.push(text.slice(begin));
  return pieces;
}

function nextFence(fence: string | null, line: string): string | null {
  const [, mark] = FENCE.exec(line) ?? [];
  if (mark === undefined) return fence;
  if (fence === null) return mark;
  const closes = mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;
  return closes ? null : fence;
}
