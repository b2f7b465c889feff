/** Notices of agents: one at a time, each for a while; who sends many is refused. */
import { Observable, type Schedule } from '../store/observable.ts';
import type { Notice } from './handler.ts';

/** How long a notice stays, in ms. */
const SHOWN_MS = 8_000;
/** How many may wait. */
const MOST_WAITING = 3;

export interface ShownNotice extends Notice {
  id: number;
}

export class Notices {
  readonly view: Observable<ShownNotice | null>;
  readonly #queue: ShownNotice[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  constructor(schedule?: Schedule) {
    this.view = new Observable(() => this.#queue[0] ?? null, schedule);
  }

  /** Shows a notice as soon as the ones before it are gone. False when too many wait. */
  readonly show = (notice: Notice): boolean => {
    if (this.#queue.length > MOST_WAITING) return false;
    this.#queue.push({ ...notice, id: ++this.#count });
    if (this.#queue.length === 1) this.#begin();
    return true;
  };

  /** Takes the one on the screen away. */
  close(id: number): void {
    if (this.#queue[0]?.id !== id) return;
    clearTimeout(this.#timer);
    this.#queue.shift();
    this.#begin();
  }

  #begin(): void {
    const [first] = this.#queue;
    if (first) this.#timer = setTimeout(() => this.close(first.id), SHOWN_MS);
    this.view.changed();
  }
}
