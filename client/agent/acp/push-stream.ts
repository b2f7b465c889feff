/** Text that arrives in pieces from somewhere else, as something to iterate over. */

/** Pieces are kept until they are read. One reader. */
export class PushStream implements AsyncIterable<string> {
  readonly #pieces: string[] = [];
  #isEnded = false;
  #wake: (() => void) | null = null;

  push(piece: string): void {
    this.#pieces.push(piece);
    this.#wake?.();
  }

  /** No more will come. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const pieces = this.#pieces.splice(0);
      if (pieces.length > 0) yield pieces.join('');
      else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
