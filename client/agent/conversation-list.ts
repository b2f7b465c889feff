/** The list of an agent's conversations, asked for until it is there. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationInfo } from '../../src/protocol/http.ts';
import { retryDelay } from '../core/backoff.ts';
import { RelayError } from '../core/errors.ts';
import { sentence } from './run-queue.ts';

/** What becomes of the list. */
export interface ConversationListParts {
  fetch: () => Promise<ConversationInfo[]>;
  /** Gets the conversations, the oldest first. Returns whether that is enough: an agent without any asks again. */
  take: (conversations: ConversationInfo[]) => Promise<boolean>;
  /** The relay does not take the token. */
  refused: () => void;
  problem: (problem: string) => void;
  signal: AbortSignal;
}

/** Asks for the list: at the start, and after each time offline, when a conversation may have been made. */
export class ConversationList {
  readonly #parts: ConversationListParts;
  #asking: Promise<void> | null = null;
  #mustAskAgain = false;

  constructor(parts: ConversationListParts) {
    this.#parts = parts;
  }

  /** Resolves when the list was taken, refused, or nobody wants it any more. */
  ask(): Promise<void> {
    this.#mustAskAgain = this.#asking !== null;
    this.#asking ??= this.#untilTaken().finally(() => {
      this.#asking = null;
      if (this.#mustAskAgain && !this.#parts.signal.aborted) void this.ask();
    });
    return this.#asking;
  }

  async #untilTaken(): Promise<void> {
    const { fetch, take, refused, problem, signal } = this.#parts;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        const conversations = await fetch();
        if (await take(conversations.toSorted((a, b) => a.created_at.localeCompare(b.created_at)))) return;
      } catch (error) {
        if (error instanceof RelayError && error.status === 401) return refused();
        problem(`cannot list the conversations: ${sentence(error)}`);
      }
      await delay(retryDelay(failures + 1, Math.random()), undefined, { signal }).catch(() => undefined);
    }
  }
}
