/** A drawing board (§11): what is on it, and what each action makes of it. Boards are replaced, never changed. */

/** One line. */
export interface Stroke {
  /** Path data made from parsed numbers. */
  path: string;
  /** A CSS colour that was checked. */
  color: string;
  /** Of the line, in units of the board. */
  width: number;
}

export interface Board {
  instanceId: string;
  /** The call that opened it. */
  openCall: string;
  width: number;
  height: number;
  strokes: readonly Stroke[];
  /** Closed by the user or the agent: nothing can be done with it any more. */
  closed: boolean;
  /** The newest calls that were carried out: one that is heard again, after a crash, is not carried out twice. */
  done: readonly string[];
  /** When it was opened, in ms. */
  openedAt: number;
}

/** Ink on paper. */
export const INK = '#23201c';
export const LINE_WIDTH = 4;
const MOST_STROKES = 5_000;
const MOST_CHARACTERS = 1_000_000;
const DONE_KEPT = 64;

/** Whether one more line has room. */
export function hasRoom({ strokes }: Board, path: string): boolean {
  return strokes.length < MOST_STROKES && strokes.reduce((sum, stroke) => sum + stroke.path.length, path.length) <= MOST_CHARACTERS;
}

export function drawn(board: Board, stroke: Stroke): Board {
  return { ...board, strokes: [...board.strokes, stroke] };
}

/** The newest line is gone, whoever drew it. */
export function undone(board: Board): Board {
  return { ...board, strokes: board.strokes.slice(0, -1) };
}

export function cleared(board: Board): Board {
  return { ...board, strokes: [] };
}

export function closed(board: Board): Board {
  return { ...board, strokes: [], closed: true };
}

/** Remembers that a call was carried out. */
export function noted(board: Board, callId: string): Board {
  return { ...board, done: [...board.done, callId].slice(-DONE_KEPT) };
}

/** The drawing as SVG. Everything in it is a number, a checked colour, or written here. */
export function svgOf({ width, height, strokes }: Board): string {
  const lines = strokes.map((stroke) => `<path d="${stroke.path}" stroke="${stroke.color}" stroke-width="${stroke.width}"/>`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<g fill="none" stroke-linecap="round" stroke-linejoin="round">${lines.join('')}</g></svg>`
  );
}
