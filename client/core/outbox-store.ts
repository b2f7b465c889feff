/** Where an outbox keeps what is not yet acknowledged: the port, and the store that forgets with the process. */
import type { Target } from '../../src/protocol/envelope.ts';
import type { JsonObject } from '../../src/protocol/json.ts';

/** A message that waits for the relay's acknowledgement. Never changed once it is made: a resend must have the same content. */
export interface OutboxEntry {
  id: string;
  /** Canonical (§2). */
  type: string;
  payload: JsonObject;
  target?: Target;
  /** The client's clock, ms since the epoch: for display only. */
  created_at: number;
}

/**
 * A place that survives the process. One store belongs to one conversation of one participant.
 *
 * Puts may overlap; their order is the order of the entries. Everything else comes after what it follows from. A store that cannot keep
 * something throws, and the outbox goes on in memory.
 */
export interface OutboxStore {
  /** Whether entries survive the process. */
  readonly durable: boolean;
  /**
   * The entries left over from earlier processes, in the order in which they were put; they are this outbox's from now on.
   * @param adopt gets entries that become this outbox's later, such as those of a browser tab that was closed
   */
  open(adopt: (entries: OutboxEntry[]) => void): Promise<OutboxEntry[]>;
  /** Keeps an entry behind all others. Durable when it resolves. */
  put(entry: OutboxEntry): Promise<void>;
  /** Forgets an entry; one that is not there is no error. */
  remove(id: string): Promise<void>;
  /** Lets go of what the store holds (files, locks, databases). The entries stay. */
  close(): Promise<void>;
}

/** An outbox store in memory: for tests, and for clients that need not survive. */
export class MemoryOutboxStore implements OutboxStore {
  readonly durable: boolean = false;
  readonly #entries = new Map<string, OutboxEntry>();

  open(): Promise<OutboxEntry[]> {
    return Promise.resolve([...this.#entries.values()]);
  }

  put(entry: OutboxEntry): Promise<void> {
    this.#entries.set(entry.id, entry);
    return Promise.resolve();
  }

  remove(id: string): Promise<void> {
    this.#entries.delete(id);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
