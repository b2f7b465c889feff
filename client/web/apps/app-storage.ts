/** What apps keep on this device: one JSON object for each instance, filed under the app, so that it can be counted and cleared. */
import { isJsonObject, utf8Bytes, type JsonObject } from '../../../src/protocol/json.ts';
import type { LocalStore } from '../store/local-store.ts';

/** What one app may keep, in bytes. The browser gives the whole page about five million. */
export const MAX_APP_BYTES = 131_072;

type Kept = Record<string, JsonObject>;

/** See the file's head. */
export class AppStorage {
  readonly #local: LocalStore;

  constructor(local: LocalStore) {
    this.#local = local;
  }

  /** What an instance kept; null when it kept nothing. @param instance conversation and instance_id */
  read(appId: string, instance: string): JsonObject | null {
    return this.#all(appId)[instance] ?? null;
  }

  /** Keeps an object in place of the one before, the most recently kept ones first; false when it is too large by itself. */
  write(appId: string, instance: string, data: JsonObject): boolean {
    const { [instance]: _before, ...others } = this.#all(appId);
    const kept: Kept = { [instance]: data, ...others };
    if (utf8Bytes(JSON.stringify({ [instance]: data })) > MAX_APP_BYTES) return false;
    const names = Object.keys(kept);
    while (utf8Bytes(JSON.stringify(kept)) > MAX_APP_BYTES) delete kept[names.pop() ?? ''];
    this.#local.write(keyOf(appId), JSON.stringify(kept));
    return true;
  }

  /** Forgets everything of an app. */
  clear(appId: string): void {
    this.#local.write(keyOf(appId), null);
  }

  /** What an app keeps, in bytes. */
  bytes(appId: string): number {
    return utf8Bytes(this.#local.read(keyOf(appId)) ?? '');
  }

  #all(appId: string): Kept {
    return this.#local.readJson(keyOf(appId), isKept, {});
  }
}

function keyOf(appId: string): string {
  return `app.${appId}`;
}

function isKept(value: unknown): value is Kept {
  return isJsonObject(value) && Object.values(value).every(isJsonObject);
}
