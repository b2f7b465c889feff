/** Does an agent's work in one conversation: one run after the other, each from its cause to its end, whatever its handler does. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '../../src/protocol/envelope.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import type { Chat } from './chat.ts';
import { Deferred } from './deferred.ts';
import { Closing, Stopped, type Run } from './run.ts';

/** What a handler does with its chat. */
export type Work = (chat: Chat) => Promise<unknown> | void;

/** What a queue needs of its conversation. */
export interface RunQueueParts {
  chat: (run: Run, target: Target | undefined) => Chat;
  setState: (state: Payloads['status']['state'], run: Run) => Promise<void>;
  /** Something failed that the user cannot see; one sentence without any content. */
  problem: (problem: string) => void;
}

/** How long the work that is being done may take to end, in ms. */
const CLOSE_PATIENCE_MS = 2_000;

/** The runs of one conversation. */
export class RunQueue {
  readonly #parts: RunQueueParts;
  readonly #runs = new Set<Run>();
  /** Resolves when the turn is free and nobody waits for it. */
  #tail: Promise<void> = Promise.resolve();
  /** Whose turn it is, and how it gives it back. */
  readonly #turns = new Map<Run, () => void>();
  #isClosing = false;

  constructor(parts: RunQueueParts) {
    this.#parts = parts;
  }

  /**
   * Does a piece of work when those before it are done. Never rejects.
   *
   * When this process ends first, the promise never resolves: the work is not done, and the next process begins it again.
   * @param target who hears what the work says; default: all devices
   */
  async begin(run: Run, work: Work, target?: Target): Promise<void> {
    this.#add(run);
    await this.#takeTurn(run);
    await this.#perform(run, work, target);
    this.#giveTurn(run);
    this.#runs.delete(run);
    if (run.signal.reason instanceof Closing) await new Promise<never>(() => undefined);
  }

  /**
   * Does a piece of the agent's own work, now, whatever else is being done. Stop and the end of the process reach it too.
   * @throws what the work throws
   */
  async beside<T>(run: Run, work: (chat: Chat) => Promise<T>): Promise<T> {
    this.#add(run);
    try {
      return await work(this.#parts.chat(run, undefined));
    } finally {
      this.#runs.delete(run);
      if (run.hasTold && !this.#isClosing) await this.#parts.setState('idle', run);
    }
  }

  /** Lets the next run begin while this one waits for the user; it goes on when it is its turn again. */
  async aside<T>(run: Run, waiting: Promise<T>): Promise<T> {
    const hadTurn = this.#giveTurn(run);
    try {
      return await waiting;
    } finally {
      if (hadTurn) await this.#takeTurn(run);
    }
  }

  /** The user pressed stop: ends the run of that id, or everything that was asked before `seq`. */
  stop(runId: string | undefined, seq: number): void {
    for (const run of this.#runs) if (runId === undefined ? run.seq < seq : run.id === runId) run.end(new Stopped());
  }

  /** Ends the work that is being done, and takes no more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const run of this.#runs) run.end(new Closing());
    // A handler that does not listen to its signal is not waited for.
    await Promise.race([this.#tail, delay(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
  }

  #add(run: Run): void {
    this.#runs.add(run);
    if (this.#isClosing) run.end(new Closing());
  }

  async #takeTurn(run: Run): Promise<void> {
    const before = this.#tail;
    const turn = new Deferred<void>();
    this.#tail = turn.promise;
    await before;
    this.#turns.set(run, () => turn.resolve());
  }

  #giveTurn(run: Run): boolean {
    this.#turns.get(run)?.();
    return this.#turns.delete(run);
  }

  async #perform(run: Run, work: Work, target: Target | undefined): Promise<void> {
    if (run.signal.aborted) return;
    const chat = this.#parts.chat(run, target);
    try {
      await this.#parts.setState('thinking', run);
      await work(chat);
      await this.#parts.setState('idle', run);
    } catch (error) {
      await this.#failed(run, chat, error);
    }
  }

  async #failed(run: Run, chat: Chat, error: unknown): Promise<void> {
    const { reason } = run.signal;
    if (reason instanceof Closing) return;
    try {
      // After a stop, whatever the handler throws is only its way to end.
      if (reason instanceof Stopped) return await this.#parts.setState('idle', run);
      this.#parts.problem(`a handler failed: ${sentence(error)}`);
      await chat.fail('agent_error', 'The agent could not finish this. Please try again.', true);
      await this.#parts.setState('error', run);
    } catch (unsaid) {
      if (!run.signal.aborted) this.#parts.problem(`cannot say what failed: ${sentence(unsaid)}`);
    }
  }
}

/** An error as one sentence. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
