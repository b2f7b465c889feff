/** The whole of a conversation as the relay keeps it, from its beginning, page by page. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { MAX_PAGE_MESSAGES } from '../../../src/protocol/limits.ts';
import type { LoadPage } from '../store/history.ts';

/** How far it has come. */
export interface Gathered {
  count: number;
  /** 0 to 1. */
  share: number;
}

/** See the file's head. A run that ended early goes on where it was with the next {@link run}. */
export class Gathering {
  /** Ascending by seq. */
  readonly messages: Delivered[] = [];
  readonly #load: LoadPage;
  #after = 0;

  constructor(load: LoadPage) {
    this.#load = load;
  }

  /**
   * Fetches everything that is not here yet. False when it was stopped before the end; what came until then stays.
   * @throws RelayError, NetworkError
   */
  async run(signal: AbortSignal, onProgress: (gathered: Gathered) => void): Promise<boolean> {
    while (!signal.aborted) {
      const page = await this.#load({ after: this.#after, limit: MAX_PAGE_MESSAGES });
      // Another run may be at this page by now.
      if (signal.aborted) break;
      this.messages.push(...page.messages);
      this.#after = page.messages.at(-1)?.seq ?? page.head_seq;
      onProgress({ count: this.messages.length, share: this.#share(page) });
      if (!page.has_more || page.messages.length === 0) return true;
    }
    return false;
  }

  #share({ head_seq, oldest_seq }: { head_seq: number; oldest_seq: number }): number {
    const all = head_seq - oldest_seq + 1;
    return all <= 0 ? 1 : Math.min(1, Math.max(0, (this.#after - oldest_seq + 1) / all));
  }
}
