/** One piece of work of an agent: a message or an answer that it handles, from its cause to its end. */
import { createHash } from 'node:crypto';

/** The user pressed stop (`run.cancel`). */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor() {
    super('The user stopped this.');
  }
}

/** This process ends. What it was doing is done again by the next one. */
export class Closing extends Error {
  override readonly name = 'Closing';

  constructor() {
    super('The agent is closing.');
  }
}

/**
 * A run, and the ids of everything that it sends.
 *
 * The ids follow from the cause alone. So a process that does the same work again after a crash sends the same ids, and the relay
 * keeps each message and asks each question once (§4, §6).
 */
export class Run {
  /** `run_id` of its status, progress and errors. */
  readonly id: string;
  /** The seq of its cause; 0 when that was no logged message. */
  readonly seq: number;
  readonly #stem: string;
  readonly #controller = new AbortController();
  #made = 0;
  /** The calls that it made under ids of its own; nobody asks for them when it is done. */
  readonly callIds: string[] = [];
  /** Whether it has told a status, so that it must tell when it is over. */
  hasTold = false;

  /** @param cause what makes this run different from every other of the conversation */
  constructor(cause: string, seq: number) {
    this.#stem = createHash('sha256').update(cause).digest('base64url').slice(0, 22);
    this.id = `run_${this.#stem}`;
    this.seq = seq;
  }

  /** Aborted when the run is to end: its reason is {@link Stopped} or {@link Closing}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The id of the next thing that this run sends. */
  nextId(): string {
    return `msg_${this.#stem}_${++this.#made}`;
  }

  end(reason: Stopped | Closing): void {
    this.#controller.abort(reason);
  }
}
