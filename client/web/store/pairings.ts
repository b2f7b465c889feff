/** The agents this browser is paired with, and the token for each. */
import type { CredentialStore } from '../../core/connection-options.ts';
import type { Redeemed } from '../../core/http.ts';
import { isJsonObject } from '../../../src/protocol/json.ts';
import type { LocalStore } from './local-store.ts';

/** One agent at one relay, as this device knows it. */
export interface Pairing {
  /** Relay and agent: everything else is filed under it. */
  key: string;
  /** The relay's origin. */
  relay: string;
  agent: { id: string; name: string };
  deviceId: string;
  /** How the user calls this device. */
  deviceName: string;
  /** The conversation to begin with while the list is not there: the one that the pairing came with, while there is that. Null when there is none. */
  conversationId: string | null;
  token: string;
  /** Set when the relay let this device go: nothing connects any more until it is paired again. */
  ended: boolean;
}

const KEY = 'pairings';

/** Reads and writes the pairings. Tabs share them: nothing is cached here. */
export class PairingBook {
  readonly #store: LocalStore;

  constructor(store: LocalStore) {
    this.#store = store;
  }

  all(): Pairing[] {
    return this.#store.readJson(KEY, isPairings, []);
  }

  find(key: string): Pairing | undefined {
    return this.all().find((pairing) => pairing.key === key);
  }

  /** Keeps a pairing in place of an earlier one with the same agent, which is returned. */
  add(relay: string, redeemed: Redeemed, deviceName: string): { pairing: Pairing; earlier: Pairing | undefined } {
    const pairing: Pairing = {
      key: `${relay}|${redeemed.agent.id}`,
      relay,
      agent: redeemed.agent,
      deviceId: redeemed.device_id,
      deviceName,
      conversationId: redeemed.conversation_id,
      token: redeemed.token,
      ended: false,
    };
    const others = this.all();
    const earlier = others.find(({ key }) => key === pairing.key);
    this.#write([...others.filter(({ key }) => key !== pairing.key), pairing]);
    return { pairing, earlier };
  }

  /** Changes a pairing, if it is still there. */
  update(key: string, change: Partial<Pick<Pairing, 'token' | 'ended' | 'agent' | 'conversationId'>>): void {
    this.#write(this.all().map((pairing) => (pairing.key === key ? { ...pairing, ...change } : pairing)));
  }

  remove(key: string): void {
    this.#write(this.all().filter((pairing) => pairing.key !== key));
  }

  /** Where a connection finds and keeps the token of one device; a pairing that was made anew meanwhile is not touched. */
  credentials(key: string, deviceId: string): CredentialStore {
    return {
      load: () => {
        const pairing = this.find(key);
        return pairing?.deviceId === deviceId ? pairing.token : null;
      },
      save: (token) => {
        if (this.find(key)?.deviceId === deviceId) this.update(key, { token });
      },
    };
  }

  #write(pairings: Pairing[]): void {
    this.#store.write(KEY, pairings.length === 0 ? null : JSON.stringify(pairings));
  }
}

function isPairings(value: unknown): value is Pairing[] {
  return Array.isArray(value) && value.every(isPairing);
}

function isPairing(value: unknown): value is Pairing {
  if (!isJsonObject(value) || !isJsonObject(value.agent)) return false;
  const texts = [value.key, value.relay, value.deviceId, value.deviceName, value.conversationId ?? '', value.token, value.agent.id, value.agent.name];
  return texts.every((text) => typeof text === 'string') && typeof value.ended === 'boolean';
}
