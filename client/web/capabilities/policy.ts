/** What this device offers at all, and what its user decided once for later calls. */
import { CAPABILITIES, CAPABILITY_NAMES, type CapabilityName } from '../../../src/protocol/capabilities.ts';
import type { LocalStore } from '../store/local-store.ts';
import { Observable } from '../store/observable.ts';

/** A remembered yes: one agent, one capability. */
export interface Grant {
  /** Relay and agent, as pairings are filed. */
  agent: string;
  capability: CapabilityName;
}

export interface PolicyView {
  /** What this browser can do at all, and whether the user offers it. */
  capabilities: readonly { name: CapabilityName; offered: boolean }[];
  grants: readonly Grant[];
}

const OFF = 'capabilities.off';
const GRANTS = 'capabilities.grants';

/** Shared by all tabs: what is asked is what is stored. */
export class CapabilityPolicy {
  readonly view: Observable<PolicyView>;
  readonly #local: LocalStore;
  readonly #possible: (name: CapabilityName) => boolean;

  /** @param possible whether this browser can do it */
  constructor(local: LocalStore, possible: (name: CapabilityName) => boolean) {
    this.#local = local;
    this.#possible = possible;
    this.view = new Observable(
      () => this.#look(),
      (run) => run(),
    );
  }

  /** The capabilities that are offered to agents. */
  get offered(): CapabilityName[] {
    const off = this.#off();
    return CAPABILITY_NAMES.filter((name) => this.#possible(name) && !off.includes(name));
  }

  offers(name: CapabilityName): boolean {
    return this.offered.includes(name);
  }

  /** Offers a capability, or does so no longer; what was remembered for it is forgotten then. */
  offer(name: CapabilityName, offered: boolean): void {
    const off = this.#off().filter((each) => each !== name);
    this.#write(OFF, offered ? off : [...off, name]);
    if (!offered) this.#writeGrants((grant) => grant.capability !== name);
    this.view.changed();
  }

  /** Whether a yes may be remembered: never for what reaches the device itself, and only where it can be kept. */
  canRemember(name: CapabilityName): boolean {
    return CAPABILITIES[name].risk === 'user_confirmation' && this.#local.durable;
  }

  isGranted(agent: string, capability: CapabilityName): boolean {
    return this.canRemember(capability) && this.#grants().some((grant) => grant.agent === agent && grant.capability === capability);
  }

  grant(agent: string, capability: CapabilityName): void {
    if (!this.canRemember(capability) || this.isGranted(agent, capability)) return;
    this.#write(GRANTS, [...this.#grants(), { agent, capability }]);
    this.view.changed();
  }

  revoke({ agent, capability }: Grant): void {
    this.#writeGrants((grant) => grant.agent !== agent || grant.capability !== capability);
    this.view.changed();
  }

  /** Forgets what was allowed to agents that this device is not paired with any more. */
  keepOnly(agents: readonly string[]): void {
    if (this.#grants().every(({ agent }) => agents.includes(agent))) return;
    this.#writeGrants(({ agent }) => agents.includes(agent));
    this.view.changed();
  }

  #look(): PolicyView {
    const off = this.#off();
    const possible = CAPABILITY_NAMES.filter((name) => this.#possible(name));
    return { capabilities: possible.map((name) => ({ name, offered: !off.includes(name) })), grants: this.#grants() };
  }

  #off(): string[] {
    return this.#local.readJson(OFF, (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'), []);
  }

  #grants(): Grant[] {
    return this.#local.readJson(GRANTS, isGrants, []);
  }

  #writeGrants(keep: (grant: Grant) => boolean): void {
    this.#write(GRANTS, this.#grants().filter(keep));
  }

  #write(key: string, list: readonly unknown[]): void {
    this.#local.write(key, list.length === 0 ? null : JSON.stringify(list));
  }
}

function isGrants(value: unknown): value is Grant[] {
  const names: readonly unknown[] = CAPABILITY_NAMES;
  return Array.isArray(value) && value.every((each: Partial<Grant>) => typeof each?.agent === 'string' && names.includes(each.capability));
}
