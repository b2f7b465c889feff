/** How a text without Markdown is set: its author has placed every line break and every space, and they stay where they are. */

/** Lines of logs and tables are no longer than this, in UTF-16 units; a longer one is a paragraph. */
const LONGEST_LINE = 200;

/**
 * `prose`: paragraphs, set like any other. `lines`: columns, which belong below each other; what is wider than the page scrolls within the
 * message. `wrapped`: the same, with lines so long that nobody would scroll along them.
 */
export type PlainLayout = 'prose' | 'lines' | 'wrapped';

/** Signs that something stands below something else: a tab, an indent, a gap that no sentence ends before, a frame, a table of bars. */
const ALIGNED = /\t|^ {2,}\S|[^\s.!?:…] {2,}\S|\S {3,}\S|[\u2500-\u259F]|^\s*\|.*\|/m;

export function plainLayout(text: string): PlainLayout {
  if (!ALIGNED.test(text.trim())) return 'prose';
  const lines = text.trimEnd().split('\n');
  return lines.some((line) => line.length > LONGEST_LINE) ? 'wrapped' : 'lines';
}
