/** Which of the open surfaces wait for the user's word, on the screen or not: what the badge and the tray count. */
import { Observable, type Schedule } from '../store/observable.ts';
import { bundleChanges } from './bundles.ts';
import { gate, type SurfaceGate } from './gate.ts';
import type { Surface, SurfaceShelf } from './shelf.ts';

/** See the file's head. Lives from {@link start} until what that returned is called. */
export class AskingSurfaces {
  readonly view: Observable<readonly Surface[]>;
  readonly #shelf: SurfaceShelf;
  readonly #agentId: string;
  readonly #gate: Pick<SurfaceGate, 'judge' | 'agreements'>;
  /** Open ids that the gate wants to have asked about. */
  #asked: ReadonlySet<string> = new Set();
  /** Counts judgements: what a slow one says after a newer one has begun is not heard. */
  #round = 0;

  constructor(shelf: SurfaceShelf, agentId: string, schedule: Schedule, judge: Pick<SurfaceGate, 'judge' | 'agreements'> = gate) {
    this.#shelf = shelf;
    this.#agentId = agentId;
    this.#gate = judge;
    this.view = new Observable<readonly Surface[]>(() => this.#look(), schedule);
  }

  /** Follows what is opened, closed, agreed to and put off. */
  start(): () => void {
    const again = () => {
      // What was closed or put off waits no longer, whatever the gate will say of the others.
      this.view.changed();
      this.#judge().catch((error: unknown) => reportError(error));
    };
    const unlisten = [this.#shelf.view, this.#gate.agreements, bundleChanges].map((each) => each.subscribe(again));
    again();
    return () => unlisten.forEach((stop) => stop());
  }

  async #judge(): Promise<void> {
    const round = ++this.#round;
    const { open } = this.#shelf.view.get();
    const verdicts = await Promise.all(open.map(({ app }) => this.#gate.judge(this.#agentId, app)));
    if (round !== this.#round) return;
    this.#asked = new Set(open.flatMap(({ openId }, i) => (verdicts[i]?.is === 'asked' ? [openId] : [])));
    this.view.changed();
  }

  #look(): readonly Surface[] {
    const { open, declined } = this.#shelf.view.get();
    return open.filter(({ openId }) => this.#asked.has(openId) && !declined.has(openId));
  }
}
