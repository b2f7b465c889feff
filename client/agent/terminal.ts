/** What the command says, and where: results on stdout, everything else on stderr, JSON when asked for, colours only where somebody looks. */

/** The SGR codes that switch each colour on and off. */
const COLOURS = { green: [32, 39], red: [31, 39], yellow: [33, 39], cyan: [36, 39], dim: [2, 22], bold: [1, 22] } as const;

/** A colour by its name. */
export type Colour = keyof typeof COLOURS;

/** Where a terminal writes; the process's own streams, or a test's. */
export interface Streams {
  out: { write(text: string): unknown; isTTY?: boolean };
  err: { write(text: string): unknown; isTTY?: boolean };
}

/** The person or the script that runs the command. */
export class Terminal {
  readonly #streams: Streams;
  readonly #env: NodeJS.ProcessEnv;
  /** Whether results are JSON, one document a line; set by `--json`. */
  json = false;

  constructor(streams: Streams = { out: process.stdout, err: process.stderr }, env: NodeJS.ProcessEnv = process.env) {
    this.#streams = streams;
    this.#env = env;
  }

  /** Whether a person reads stdout. */
  get interactive(): boolean {
    return this.#streams.out.isTTY === true && !this.json;
  }

  /** Whether a person reads stderr, while stdout may be a script's. */
  get isWatched(): boolean {
    return this.#streams.err.isTTY === true && !this.json;
  }

  /** A result: `data` as one line of JSON with `--json`, otherwise `text`. */
  result(data: unknown, text: string): void {
    this.#streams.out.write(`${this.json ? JSON.stringify(data) : text}\n`);
  }

  /** A line for a person about what goes on; not there with `--json`, which has {@link result} alone on stdout. */
  say(text: string): void {
    if (!this.json) this.#streams.out.write(`${text}\n`);
  }

  /** A line on stderr, with `--json` too: what a script need not read. */
  note(text: string): void {
    this.#streams.err.write(`lineup: ${oneLine(text)}\n`);
  }

  /** Text in a colour, where colours are wanted: a terminal, and no `NO_COLOR`. */
  paint(colour: Colour, text: string): string {
    const { NO_COLOR = '', TERM } = this.#env;
    const isWanted = this.interactive && NO_COLOR === '' && TERM !== 'dumb';
    const [on, off] = COLOURS[colour];
    return isWanted ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }

  /** Lines with their columns below each other. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): string {
    const widths = head.map((title, column) => Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(width)));
    const line = (row: readonly string[]) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
        .join('  ')
        .trimEnd();
    return [this.paint('dim', line(head)), ...rows.map((row) => line(row.map(oneLine)))].join('\n');
  }
}

/** Whatever others named (a device, a title) stays in its line, and cannot steer the terminal or turn the direction of what is read. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
}

/** Columns that a text takes: wide characters count twice. */
function width(text: string): number {
  let columns = 0;
  for (const character of text)
    columns +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(
        character,
      )
        ? 2
        : 1;
  return columns;
}
