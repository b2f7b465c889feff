/** Processes a batch of messages in one transaction (group commit). A bad one is refused alone, whatever it does. */
import { refusal, type Refusal } from '../protocol/errors.ts';
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

/** Owns the ledger of one conversation: every change to it goes through here. */
export class Committer {
  #sql: Sql;
  #limits: Limits;
  #ledger: Ledger;
  #onChange: (ledger: Ledger) => void;
  #report: (error: unknown) => void;

  /**
   * @param onChange runs at the end of every transaction, inside it
   * @param report hears of errors that storage threw; it must log no content
   */
  constructor(sql: Sql, limits: Limits, ledger: Ledger, onChange: (ledger: Ledger) => void, report: (error: unknown) => void) {
    this.#sql = sql;
    this.#limits = limits;
    this.#ledger = ledger;
    this.#onChange = onChange;
    this.#report = report;
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
    let effects: Effect[] = [];
    const whole = this.change((ledger) => {
      for (const waiting of batch) this.#process(waiting, now, effects, isOnline);
      retain(ledger, now);
    });
    if (whole.ok) return effects;
    effects = [];
    for (const waiting of batch) {
      const own: Effect[] = [];
      const alone = this.change((ledger) => {
        this.#process(waiting, now, own, isOnline);
        retain(ledger, now);
      });
      if (alone.ok) effects.push(...own);
      else effects.push(answer(waiting, { ok: false, error: alone.error }));
    }
    return effects;
  }

  /** Runs a change of the ledger as a transaction. On failure nothing of it remains, in storage or in memory. */
  change(fn: (ledger: Ledger) => void): { ok: true } | { ok: false; error: Refusal } {
    try {
      this.#sql.transaction(() => {
        fn(this.#ledger);
        this.#onChange(this.#ledger);
      });
      return { ok: true };
    } catch (error) {
      this.#report(error);
      this.#ledger = loadLedger(this.#sql, this.#limits) ?? this.#ledger;
      return { ok: false, error: storageRefusal(error) };
    }
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
