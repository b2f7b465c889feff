/** A small typed event emitter: what every part of the client core announces itself with. */

/** Where a listener's own exception goes, so that a fault in one listener neither stops the others nor the connection. */
export type ListenerFault = (error: unknown, event: PropertyKey) => void;

/**
 * Typed events. `Events` maps each event's name to the value that its listeners get.
 *
 * Listeners run at once, in the order in which they were added; one added while an event is announced hears the next one first.
 */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(value: never) => void>>();
  readonly #fault: ListenerFault;

  /** @param fault gets what a listener throws. Default: thrown again outside of the emitter, as an uncaught exception. */
  constructor(fault: ListenerFault = rethrow) {
    this.#fault = fault;
  }

  /** Listens to an event until the returned function is called. */
  on<K extends keyof Events>(event: K, listener: (value: Events[K]) => void): () => void {
    let listeners = this.#listeners.get(event);
    if (!listeners) this.#listeners.set(event, (listeners = new Set()));
    // Wrapped, so that one function can listen twice and each time be taken off alone.
    const entry = (value: Events[K]) => listener(value);
    listeners.add(entry);
    return () => void this.#listeners.get(event)?.delete(entry);
  }

  /** Whether anybody listens to an event. */
  has(event: keyof Events): boolean {
    return (this.#listeners.get(event)?.size ?? 0) > 0;
  }

  /** Tells every listener of an event. */
  emit<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        listener(value as never);
      } catch (error) {
        this.#fault(error, event);
      }
    }
  }
}

function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
