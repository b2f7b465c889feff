/** Processes a batch of messages in one transaction (group commit). A bad one is refused alone, whatever it does. */
import { refusal, type Refusal } from '../protocol/errors.ts';
import { expireCalls } from './call-rules.ts';
import { ackFrame, errorFrame, type Answer, type Effect } from './effects.ts';
import { loadLedger, type Ledger } from './ledger.ts';
import type { Inbound } from './message.ts';
import { RULES } from './message-rules.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Sql } from './ports.ts';
import { retain } from './retention.ts';

/** A message that waits for its commit. Its connection gets the answer, or `answered` does when there is none (HTTP). */
export interface Waiting {
  message: Inbound;
  answered?: (answer: Answer) => void;
}

/** What a committer's owner does with each transaction. */
export interface CommitHooks {
  /** Runs at the end of every transaction, inside it. */
  committing(ledger: Ledger): void;
  /** Hears of what storage threw, once all of that transaction is undone; must log no content. */
  rolledBack(error: unknown): void;
}

/** Owns the ledger of one conversation: every change to it goes through here. */
export class Committer {
  readonly #sql: Sql;
  readonly #limits: Limits;
  readonly #hooks: CommitHooks;
  #ledger: Ledger;
  /** The ledger in memory has changes that were undone in storage. */
  #stale = false;

  constructor(sql: Sql, limits: Limits, ledger: Ledger, hooks: CommitHooks) {
    this.#sql = sql;
    this.#limits = limits;
    this.#ledger = ledger;
    this.#hooks = hooks;
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  /**
   * Commits a batch and answers what to do next, in order: each answer before what follows from its message.
   *
   * When the batch as a whole fails, each message is tried alone: those that fail are refused (`storage_full` or `internal`).
   */
  commit(batch: readonly Waiting[], now: number, isOnline: (id: string) => boolean): Effect[] {
    const whole = this.#attempt(batch, now, isOnline);
    if (whole.ok) return whole.effects;
    return batch.flatMap((waiting) => {
      const alone = this.#attempt([waiting], now, isOnline);
      return alone.ok ? alone.effects : [answer(waiting, { ok: false, error: alone.error })];
    });
  }

  /** Runs a change of the ledger as a transaction. On failure nothing of it remains, in storage or in memory. Never throws. */
  change(fn: (ledger: Ledger) => void): { ok: true } | { ok: false; error: Refusal } {
    try {
      if (this.#stale) this.#reload();
      this.#sql.transaction(() => {
        fn(this.#ledger);
        this.#hooks.committing(this.#ledger);
      });
      return { ok: true };
    } catch (error) {
      this.#stale = true;
      this.#hooks.rolledBack(error);
      try {
        this.#reload();
      } catch (unreadable) {
        // Storage cannot even be read: the next change tries again.
        this.#hooks.rolledBack(unreadable);
      }
      return { ok: false, error: storageRefusal(error) };
    }
  }

  #attempt(
    batch: readonly Waiting[],
    now: number,
    isOnline: (id: string) => boolean,
  ): { ok: true; effects: Effect[] } | { ok: false; error: Refusal } {
    const effects: Effect[] = [];
    const done = this.change((ledger) => {
      expireCalls(ledger, now, effects);
      for (const waiting of batch) this.#process(waiting, now, effects, isOnline);
      retain(ledger, now);
    });
    return done.ok ? { ok: true, effects } : done;
  }

  #reload(): void {
    const loaded = loadLedger(this.#sql, this.#limits);
    if (loaded) {
      loaded.participants.recall(this.#ledger.participants);
      this.#ledger = loaded;
    }
    this.#stale = false;
  }

  #process(waiting: Waiting, now: number, effects: Effect[], isOnline: (id: string) => boolean): void {
    const { message } = waiting;
    const rule = RULES.get(message.envelope.type);
    const start = effects.length;
    const said: Answer = rule
      ? rule({ ledger: this.#ledger, message, now, effects, isOnline })
      : { ok: false, error: refusal('unsupported_type', `type: ${message.envelope.type} is not stored`) };
    effects.splice(start, 0, answer(waiting, said));
  }
}

function answer({ message, answered }: Waiting, said: Answer): Effect {
  const { envelope, connection } = message;
  if (answered) return { kind: 'answer', answered, answer: said };
  const frame = said.ok ? ackFrame(envelope.id, said.seq, said.duplicate) : errorFrame(envelope.id, said.error);
  return { kind: 'reply', connection, frame };
}

function storageRefusal(error: unknown): Refusal {
  const full = error instanceof Error && /SQLITE_FULL|disk is full|storage limit|quota|exceeded/i.test(error.message);
  return full
    ? refusal('storage_full', 'storage: the relay has no room for this message now; try again later')
    : refusal('internal', 'storage: the relay could not store this message; try again later');
}
