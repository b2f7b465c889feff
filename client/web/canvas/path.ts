/** SVG path data as numbers: what an agent writes is read here, and only what was read is ever drawn. */

/** How many numbers each command takes. */
const NUMBERS: Readonly<Record<string, number>> = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };
/** Where an arc has its two flags: one digit each, which may stand without a space before what follows. */
const ARC_FLAGS: readonly number[] = [3, 4];

const SPACE = /[ \t\n\f\r]*/y;
const SEPARATOR = /[ \t\n\f\r]*,?[ \t\n\f\r]*/y;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const FLAG = /[01]/y;

/** One command of a path with its numbers. A command that was left out because it repeats is there. */
export interface Segment {
  /** One of `MmLlHhVvCcSsQqTtAaZz`. */
  command: string;
  values: readonly number[];
}

export type ParsedPath = { ok: true; segments: Segment[] } | { ok: false; problem: string };

/** Reads SVG path data. The problem tells what was expected where, counted in UTF-16 units from 0. */
export function parsePath(text: string): ParsedPath {
  const segments: Segment[] = [];
  let at = 0;
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const expected = (what: string): ParsedPath => ({ ok: false, problem: `expected ${what} at ${at}` });

  read(SPACE);
  while (at < text.length || segments.length === 0) {
    let command = text.charAt(at);
    const count = NUMBERS[command.toUpperCase()];
    if (count === undefined) return expected('a command of SVG path data');
    if (segments.length === 0 && command.toUpperCase() !== 'M') return expected('M or m, with which a path begins,');
    at++;
    read(SPACE);
    do {
      const values: number[] = [];
      for (let i = 0; i < count; i++) {
        if (i > 0) read(SEPARATOR);
        const isFlag = command.toUpperCase() === 'A' && ARC_FLAGS.includes(i);
        const value = Number(read(isFlag ? FLAG : NUMBER) ?? Number.NaN);
        if (!Number.isFinite(value)) return expected(isFlag ? '0 or 1' : 'a number');
        values.push(value);
      }
      segments.push({ command, values });
      if (command === 'M') command = 'L';
      if (command === 'm') command = 'l';
    } while (repeats(count));
    read(SPACE);
  }
  return { ok: true, segments };

  /** Whether more numbers follow: then the command goes on without being named again. */
  function repeats(count: number): boolean {
    if (count === 0) return false;
    const before = at;
    read(SEPARATOR);
    NUMBER.lastIndex = at;
    if (NUMBER.test(text)) return true;
    at = before;
    return false;
  }
}

/** Path data of these segments, and of nothing else: letters, digits, signs, dots and spaces. */
export function pathData(segments: readonly Segment[]): string {
  return segments.map(({ command, values }) => command + values.join(' ')).join('');
}
