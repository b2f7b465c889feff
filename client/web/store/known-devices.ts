/** The names of the user's other devices, as far as this one heard them: the relay tells a device of the others only when they are paired. */
import { isJsonObject } from '../../../src/protocol/json.ts';
import type { LocalStore } from './local-store.ts';

/** So many are remembered, which is as many as an agent can have (§8). */
const MOST = 32;

/** See the file's head. */
export class KnownDevices {
  readonly #local: LocalStore;
  readonly #key: string;

  /** @param agentKey relay and agent: devices are filed under it, as pairings are */
  constructor(local: LocalStore, agentKey: string) {
    this.#local = local;
    this.#key = `devices.${agentKey}`;
  }

  /** The name of a device; undefined when it was never heard. */
  name(deviceId: string): string | undefined {
    return this.#all()[deviceId];
  }

  /** A device was paired. */
  learn(deviceId: string, name: string): void {
    const others = Object.entries(this.#all()).filter(([id]) => id !== deviceId);
    this.#local.write(this.#key, JSON.stringify(Object.fromEntries([...others.slice(1 - MOST), [deviceId, name]])));
  }

  #all(): Record<string, string> {
    return this.#local.readJson(this.#key, isNames, {});
  }
}

function isNames(value: unknown): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((name) => typeof name === 'string');
}
