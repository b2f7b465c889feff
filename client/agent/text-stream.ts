/** One text that grows while it is written (§5, text.delta): sends what is new, a few times a second, to whoever is there. */
import type { Connection } from '../core/connection.ts';

/** Pause between two deltas, in ms: well below the relay's rate limit, and quick enough to read along. */
const PAUSE_MS = 50;

/** A growing text. Deltas are ephemeral; the finished text follows as an ordinary `text` with the same id. */
export class TextStream {
  readonly #sendNow: Connection['sendNow'];
  /** The `id` of the finished text. */
  readonly messageId: string;
  #content = '';
  /** UTF-16 units that were handed to the socket. */
  #sent = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(sendNow: Connection['sendNow'], messageId: string) {
    this.#sendNow = sendNow;
    this.messageId = messageId;
  }

  /** Everything that was written so far. */
  get content(): string {
    return this.#content;
  }

  /** Appends. */
  write(delta: string): void {
    this.#content += delta;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#flush();
    }, PAUSE_MS);
  }

  /** Somebody may be listening who missed the beginning: the next delta carries the whole text. */
  startOver(): void {
    this.#sent = 0;
  }

  /** Sends nothing more. */
  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #flush(): void {
    const end = this.#content.length - (/[\uD800-\uDBFF]$/.test(this.#content) ? 1 : 0);
    if (end <= this.#sent) return;
    const delta = this.#content.slice(this.#sent, end);
    if (this.#sendNow('text.delta', { message_id: this.messageId, offset: this.#sent, delta })) this.#sent = end;
  }
}
