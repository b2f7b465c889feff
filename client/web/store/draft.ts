/** The text that was typed into a conversation and not sent. It outlives the page. */
import type { LocalStore } from './local-store.ts';

/** See the file's head. */
export class Draft {
  readonly #local: LocalStore;
  readonly #key: string;
  /** What this page wrote last. */
  #typed = '';

  constructor(local: LocalStore, conversationId: string) {
    this.#local = local;
    this.#key = `draft.${conversationId}`;
  }

  /** What this page has, even of a conversation that is gone; else what is kept. */
  get text(): string {
    return this.#typed || (this.#local.read(this.#key) ?? '');
  }

  /** Keeps what was typed. An empty field takes back what this page kept, and never what another tab wrote since. */
  keep(text: string): void {
    const before = this.text;
    this.#typed = text;
    if (text !== '') this.#local.write(this.#key, text);
    else if (this.#local.read(this.#key) === before) this.#local.write(this.#key, null);
  }
}
