/** Which of the known apps the user has, in which version. Stored, and shared by all tabs. */
import type { Bundle } from '../../../src/protocol/bundle.ts';
import type { Inventory } from '../../../src/protocol/inventory.ts';
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts';
import type { LocalStore } from '../store/local-store.ts';
import { Observable } from '../store/observable.ts';
import type { OwnApps } from '../surfaces/bundles.ts';
import type { AppStorage } from './app-storage.ts';
import { KNOWN_APPS, knownApp, newestRelease, type AppRelease, type KnownApp } from './catalogue.ts';

/** One app as the app center lists it. */
export interface AppRow {
  id: string;
  name: string;
  enabled: boolean;
  version: string;
  /** A newer version that came with the web app; null when there is none. */
  upgrade: string | null;
  /** What it keeps on this device, in bytes. */
  storedBytes: number;
}

interface Installed {
  enabled: boolean;
  version: string;
}

const KEY = 'apps';

/** See the file's head. */
export class AppCenter implements OwnApps {
  readonly view: Observable<readonly AppRow[]>;
  readonly #storage: AppStorage;
  readonly #local: LocalStore;

  constructor(local: LocalStore, storage: AppStorage) {
    this.#local = local;
    this.#storage = storage;
    this.view = new Observable(
      () => KNOWN_APPS.map((app) => this.#row(app)),
      (run) => run(),
    );
  }

  /** The enabled apps, as an inventory declares them (§7). */
  get declared(): Inventory['applications'] {
    return KNOWN_APPS.flatMap((app) => {
      const { enabled } = this.#installed(app);
      const { version, surfaces } = this.#release(app);
      return enabled ? [{ id: app.id, version, surfaces: surfaces.map(({ id, events }) => ({ id, events: [...events] })) }] : [];
    });
  }

  isEnabled(id: string): boolean {
    const app = knownApp(id);
    return app !== undefined && this.#installed(app).enabled;
  }

  /** The code of an enabled app; null for one that is disabled or not known here: then nothing runs. */
  readonly bundleOf = async (id: string): Promise<Bundle | null> => {
    const app = knownApp(id);
    return app && this.#installed(app).enabled ? this.#release(app).load() : null;
  };

  /** What an instance of an app kept here; null when it kept nothing. */
  kept(id: string, instance: string): JsonObject | null {
    return this.isEnabled(id) ? this.#storage.read(id, instance) : null;
  }

  /** Keeps what an instance of an enabled app wants kept. */
  keep(id: string, instance: string, data: JsonObject): void {
    if (!this.isEnabled(id)) return;
    this.#storage.write(id, instance, data);
    this.view.changed();
  }

  enable(id: string): void {
    this.#change(id, { enabled: true });
  }

  /** @param forget whether what the app kept here goes too */
  disable(id: string, forget: boolean): void {
    if (forget) this.#storage.clear(id);
    this.#change(id, { enabled: false });
  }

  /** Goes on with the newest version. */
  upgrade(id: string): void {
    const app = knownApp(id);
    if (app) this.#change(id, { version: newestRelease(app).version });
  }

  /** Forgets what an app kept here. */
  clear(id: string): void {
    this.#storage.clear(id);
    this.view.changed();
  }

  #row(app: KnownApp): AppRow {
    const { version } = this.#release(app);
    const newest = newestRelease(app).version;
    return {
      id: app.id,
      name: app.name,
      enabled: this.#installed(app).enabled,
      version,
      upgrade: newest === version ? null : newest,
      storedBytes: this.#storage.bytes(app.id),
    };
  }

  /** A version that is no longer shipped is as good as the newest. */
  #release(app: KnownApp): AppRelease {
    const { version } = this.#installed(app);
    return app.releases.find((release) => release.version === version) ?? newestRelease(app);
  }

  #installed(app: KnownApp): Installed {
    return this.#all()[app.id] ?? { enabled: true, version: newestRelease(app).version };
  }

  #change(id: string, change: Partial<Installed>): void {
    const app = knownApp(id);
    if (!app) return;
    this.#local.write(KEY, JSON.stringify({ ...this.#all(), [id]: { ...this.#installed(app), ...change } }));
    this.view.changed();
  }

  #all(): Record<string, Installed> {
    return this.#local.readJson(KEY, isInstalled, {});
  }
}

function isInstalled(value: unknown): value is Record<string, Installed> {
  return (
    isJsonObject(value) &&
    Object.values(value).every((each) => isJsonObject(each) && typeof each.enabled === 'boolean' && typeof each.version === 'string')
  );
}
