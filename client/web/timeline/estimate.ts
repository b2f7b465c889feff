/** How high an entry probably is before it has been laid out. Close is good enough: what is shown is measured. */
import { isOpen, type Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';

/** Width of an average character and height of a line of text, in pixels at the default text size. */
const CHARACTER = 8;
const LINE = 24;
/** A long text begins folded; none of them is estimated higher than that. */
const MOST_LINES = 24;

const known = new WeakMap<Entry, { width: number; height: number }>();

/** @param width of the column, in pixels; the answer is in pixels too */
export function estimatedHeight(entry: Entry, width: number): number {
  const before = known.get(entry);
  if (before?.width === width) return before.height;
  const height = estimate(entry, width);
  known.set(entry, { width, height });
  return height;
}

function estimate(entry: Entry, width: number): number {
  switch (entry.type) {
    case 'text': {
      const content = textField(entry.payload, 'content') ?? '';
      const perLine = Math.max(16, ((entry.mine ? 0.8 : 1) * Math.min(width, 600)) / CHARACTER);
      const lines = Math.ceil(content.length / perLine) + content.split('\n', MOST_LINES).length - 1;
      return 36 + LINE * Math.max(1, Math.min(MOST_LINES, lines));
    }
    case 'image':
      return 260;
    case 'file':
      return 80;
    case 'tool.call':
      return entry.call && isOpen(entry.call) ? 280 : 40;
    default:
      return 40;
  }
}
