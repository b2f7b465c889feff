/**
 * The two framings of AstrBot's ACP, as a pure parser of a byte stream: `Content-Length: N\r\n\r\n` before the body, as its specification
 * has it, or the line `{"content-length": N}\n`, as its one implementation had it. The first byte of a message tells which (docs/acp.md).
 */

/** How a message is framed. An answer takes the framing of its request. */
export type Framing = 'header' | 'json-line';

/** What a reader found. After `broken` nothing in the stream can be understood any more. */
export type Found = { kind: 'body'; framing: Framing; bytes: Uint8Array } | { kind: 'broken'; framing: Framing; reason: string };

/** Longest body, in bytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_HEADER_BYTES = 8_192;

const LF = 0x0a;
const CR = 0x0d;
const BRACE = 0x7b;

type State =
  | { name: 'between' }
  | { name: 'head'; framing: Framing; bytes: number[] }
  | { name: 'body'; framing: Framing; length: number; chunks: Uint8Array[]; missing: number }
  | { name: 'broken' };

/** Reads messages out of chunks, however they are split. */
export class FrameReader {
  readonly #maxBytes: number;
  #state: State = { name: 'between' };

  constructor(maxBytes = MAX_BODY_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the stream ends in the middle of a message. */
  get isInside(): boolean {
    return this.#state.name === 'head' || this.#state.name === 'body';
  }

  /** Takes the next bytes. Memory grows with what has come, never with what a header promises. */
  push(chunk: Uint8Array): Found[] {
    const found: Found[] = [];
    for (let at = 0; at < chunk.length && this.#state.name !== 'broken';) at = this.#step(chunk, at, found);
    return found;
  }

  /** Returns where to go on. */
  #step(chunk: Uint8Array, at: number, found: Found[]): number {
    const state = this.#state;
    if (state.name === 'body') {
      const part = chunk.subarray(at, at + state.missing);
      state.chunks.push(part.slice());
      state.missing -= part.length;
      if (state.missing === 0) this.#complete(state, found);
      return at + part.length;
    }
    const byte = chunk[at] ?? 0;
    if (state.name === 'between') this.#begin(byte, found);
    else if (state.name === 'head') this.#head(state, byte, found);
    return at + 1;
  }

  #begin(byte: number, found: Found[]): void {
    // Line ends after a body are no part of the next message.
    if (byte === LF || byte === CR || byte === 0x20 || byte === 0x09) return;
    if (byte === BRACE) this.#state = { name: 'head', framing: 'json-line', bytes: [byte] };
    else if (byte === 0x43 || byte === 0x63) this.#state = { name: 'head', framing: 'header', bytes: [byte] };
    else this.#break('header', 'a message begins with Content-Length or with {"content-length": N}', found);
  }

  #head(state: State & { name: 'head' }, byte: number, found: Found[]): void {
    const { framing, bytes } = state;
    bytes.push(byte);
    if (bytes.length > MAX_HEADER_BYTES) return this.#break(framing, `a header has at most ${MAX_HEADER_BYTES} bytes`, found);
    if (byte !== LF) return;
    if (framing === 'header' && !endsEmpty(bytes)) return;
    const text = String.fromCharCode(...bytes);
    const length = framing === 'header' ? lengthOfHeader(text) : lengthOfLine(text);
    if (typeof length === 'string') return this.#break(framing, length, found);
    if (length > this.#maxBytes) return this.#break(framing, `a message has at most ${this.#maxBytes} bytes`, found);
    const body: State & { name: 'body' } = { name: 'body', framing, length, chunks: [], missing: length };
    this.#state = body;
    if (length === 0) this.#complete(body, found);
  }

  #complete({ framing, length, chunks }: State & { name: 'body' }, found: Found[]): void {
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    found.push({ kind: 'body', framing, bytes });
    this.#state = { name: 'between' };
  }

  #break(framing: Framing, reason: string, found: Found[]): void {
    this.#state = { name: 'broken' };
    found.push({ kind: 'broken', framing, reason });
  }
}

/** A message as bytes. */
export function frameOf(text: string, framing: Framing): Uint8Array {
  const body = new TextEncoder().encode(text);
  const head = framing === 'header' ? `Content-Length: ${body.length}\r\n\r\n` : `{"content-length": ${body.length}}\n`;
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(new TextEncoder().encode(head));
  bytes.set(body, head.length);
  return bytes;
}

/** Whether the last line is empty; a line may end with LF alone. */
function endsEmpty(bytes: readonly number[]): boolean {
  const before = bytes.at(-2);
  return before === LF || (before === CR && bytes.at(-3) === LF);
}

/** The length, or what is wrong. */
function lengthOfHeader(text: string): number | string {
  let length: number | undefined;
  for (const line of text.split(/\r?\n/).filter((each) => each !== '')) {
    const [, name, value] = /^([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return 'a header line has a name, a colon and a value';
    if (name.toLowerCase() !== 'content-length') continue;
    if (!/^\d{1,15}$/.test(value)) return 'Content-Length is a number of bytes';
    if (length !== undefined && length !== Number(value)) return 'Content-Length comes once';
    length = Number(value);
  }
  return length ?? 'Content-Length is missing';
}

function lengthOfLine(text: string): number | string {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    return 'the header line is JSON: {"content-length": N}';
  }
  const [, length] = Object.entries(header as object).find(([name]) => name.toLowerCase() === 'content-length') ?? [];
  return Number.isSafeInteger(length) && (length as number) >= 0 ? (length as number) : 'content-length is missing, or no number of bytes';
}
