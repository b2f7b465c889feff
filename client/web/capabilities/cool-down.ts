/** An agent that was told no twice in a row has to wait: its calls are answered without disturbing anybody. */
import { isJsonObject } from '../../../src/protocol/json.ts';
import type { LocalStore } from '../store/local-store.ts';

/** How many refusals in a row it takes. */
const IN_A_ROW = 2;

/** How long an agent then waits, in ms. */
export const COOL_DOWN_MS = 300_000;

/** @property until in ms since the epoch; 0 while the agent may ask */
interface Standing {
  refusals: number;
  until: number;
}

const KEY = 'capabilities.cool-down';

/** Per agent, for all tabs of this browser. */
export class CoolDown {
  readonly #local: LocalStore;
  readonly #now: () => number;

  constructor(local: LocalStore, now: () => number) {
    this.#local = local;
    this.#now = now;
  }

  /** When the agent may ask again, in ms since the epoch; null when it may now. */
  until(agent: string): number | null {
    const { until } = this.#standing(agent);
    // A clock that was set back must not make an agent wait for years.
    return until > this.#now() && until <= this.#now() + COOL_DOWN_MS ? until : null;
  }

  /** How long the agent still has to wait, in whole seconds; 0 when it may ask. */
  secondsLeft(agent: string): number {
    return Math.ceil(Math.max(0, (this.until(agent) ?? 0) - this.#now()) / 1_000);
  }

  /** The user refused once more. */
  refused(agent: string): void {
    const { refusals, until } = this.#standing(agent);
    const inARow = (until === 0 ? refusals : 0) + 1;
    this.#write(agent, { refusals: inARow, until: inARow >= IN_A_ROW ? this.#now() + COOL_DOWN_MS : 0 });
  }

  /** The user allowed something, or lets the agent ask again. */
  clear(agent: string): void {
    this.#write(agent, null);
  }

  #standing(agent: string): Standing {
    return this.#all()[agent] ?? { refusals: 0, until: 0 };
  }

  #all(): Record<string, Standing> {
    return this.#local.readJson(KEY, isStandings, {});
  }

  #write(agent: string, standing: Standing | null): void {
    const { [agent]: _before, ...others } = this.#all();
    const all = standing === null ? others : { ...others, [agent]: standing };
    this.#local.write(KEY, Object.keys(all).length === 0 ? null : JSON.stringify(all));
  }
}

function isStandings(value: unknown): value is Record<string, Standing> {
  return (
    isJsonObject(value) &&
    Object.values(value).every((each) => isJsonObject(each) && typeof each.refusals === 'number' && typeof each.until === 'number')
  );
}
