/** How a text without Markdown is set: its author has placed every line break and every space, and they stay where they are. */

/** Lines of logs and tables are no longer than this, in UTF-16 units; a longer one is a paragraph. */
const LONGEST_LINE = 200;

/**
 * `prose`: one paragraph, set like any other. `lines`: several lines that belong below each other; what is wider than the page scrolls
 * within the message. `wrapped`: the same, with lines so long that nobody would scroll along them.
 */
export type PlainLayout = 'prose' | 'lines' | 'wrapped';

export function plainLayout(text: string): PlainLayout {
  const lines = text.trimEnd().split('\n');
  if (lines.length === 1 && !/\t| {2}/.test(text.trim())) return 'prose';
  return lines.some((line) => line.length > LONGEST_LINE) ? 'wrapped' : 'lines';
}
