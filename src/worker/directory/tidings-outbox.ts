/**
 * What the directory still has to tell conversations. A letter is written with the change that it tells, so it cannot be forgotten,
 * and is kept until its conversation has heard it. Each conversation hears its letters one after another, in the order of the changes.
 */
import type { Clock, Sql } from '../../conversation/ports.ts';
import type { NewConversation, Tidings } from '../conversation-api.ts';
import { inParallel } from '../in-parallel.ts';

/** What a conversation is told: to come into being, or some tidings. */
export type Letter = { kind: 'create'; conversation: NewConversation } | Tidings;

/** Takes one letter to one conversation; rejects when it was not heard. */
export type Courier = (conversationId: string, letter: Letter) => Promise<void>;

/** A letter that nobody has tried to deliver for this long was left behind by a crash, in ms. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;
/** Conversations that are told at once. */
const CONCURRENCY = 8;

type HeadRow = { conversation_id: string; tidings_id: number; letter: string; attempts: number; due_at: number };

/** The outbox over the table `tidings`. */
export class TidingsOutbox {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #courier: Courier;
  /** Conversation → the end of its deliveries so far: two deliveries to one conversation never run beside each other. */
  readonly #lanes = new Map<string, Promise<void>>();

  constructor(sql: Sql, clock: Clock, courier: Courier) {
    this.#sql = sql;
    this.#clock = clock;
    this.#courier = courier;
  }

  /** Adds a letter; call it within the transaction of the change. */
  put(conversationId: string, letter: Letter): void {
    const due = this.#clock.now() + FIRST_RETRY_MS;
    this.#sql.exec('INSERT INTO tidings (conversation_id, letter, due_at) VALUES (?, ?, ?)', conversationId, JSON.stringify(letter), due);
  }

  /** Throws away what a conversation has not heard, because it is going away. */
  drop(conversationId: string): void {
    this.#sql.exec('DELETE FROM tidings WHERE conversation_id = ?', conversationId);
  }

  /** Whether a conversation has not yet heard that it exists. */
  isUnborn(conversationId: string): boolean {
    const head = this.#head(conversationId);
    return head !== undefined && (JSON.parse(head.letter) as Letter).kind === 'create';
  }

  /** Tries to deliver everything that these conversations have not heard; never rejects. What fails stays and falls due later. */
  async deliver(conversationIds: readonly string[]): Promise<void> {
    await inParallel(conversationIds, CONCURRENCY, (id) => this.#deliverInTurn(id));
  }

  /** Delivers to the conversations whose next letter is due; never rejects. */
  async deliverDue(): Promise<void> {
    const now = this.#clock.now();
    await this.deliver(
      this.#heads()
        .filter((head) => head.due_at <= now)
        .map((head) => head.conversation_id),
    );
  }

  /** When the next letter falls due, in ms since 1970; null when everything has been heard. */
  nextDueAt(): number | null {
    return this.#heads().reduce<number | null>((next, head) => (next === null ? head.due_at : Math.min(next, head.due_at)), null);
  }

  async #deliverInTurn(conversationId: string): Promise<void> {
    const before = this.#lanes.get(conversationId) ?? Promise.resolve();
    const turn = before.then(() => this.#deliverAll(conversationId));
    this.#lanes.set(conversationId, turn);
    try {
      await turn;
    } finally {
      if (this.#lanes.get(conversationId) === turn) this.#lanes.delete(conversationId);
    }
  }

  async #deliverAll(conversationId: string): Promise<void> {
    for (let head = this.#head(conversationId); head; head = this.#head(conversationId)) {
      try {
        await this.#courier(conversationId, JSON.parse(head.letter) as Letter);
      } catch {
        // The courier has logged why. The letters behind this one wait for it, so that none overtakes another.
        const due = this.#clock.now() + Math.min(FIRST_RETRY_MS * 2 ** head.attempts, MAX_RETRY_MS);
        this.#sql.exec('UPDATE tidings SET attempts = attempts + 1, due_at = ? WHERE tidings_id = ?', due, head.tidings_id);
        return;
      }
      this.#sql.exec('DELETE FROM tidings WHERE tidings_id = ?', head.tidings_id);
    }
  }

  #head(conversationId: string): HeadRow | undefined {
    return this.#sql.exec<HeadRow>(
      'SELECT conversation_id, tidings_id, letter, attempts, due_at FROM tidings WHERE conversation_id = ? ORDER BY tidings_id LIMIT 1',
      conversationId,
    )[0];
  }

  /** The next letter of each conversation: SQLite takes the bare columns beside MIN() from the row that has it. */
  #heads(): { conversation_id: string; due_at: number }[] {
    return this.#sql.exec<{ conversation_id: string; due_at: number; tidings_id: number }>(
      'SELECT conversation_id, due_at, MIN(tidings_id) AS tidings_id FROM tidings GROUP BY conversation_id',
    );
  }
}
