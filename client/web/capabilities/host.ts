/**
 * What this device is to all its agents together: the apps and capabilities it declares, and the desk at which their calls arrive.
 * The page has one.
 */
import i18next from 'i18next';
import type { Inventory } from '../../../src/protocol/inventory.ts';
import { AppCenter } from '../apps/app-center.ts';
import { AppStorage } from '../apps/app-storage.ts';
import { noticeHeading } from '../attention/notice-heading.ts';
import { followOutside, takeBackOutside, tellOutside } from '../attention/outside.ts';
import { holdWhileSeen } from '../attention/seen.ts';
import { currentInventory } from '../inventory/inventory.ts';
import type { LocalStore } from '../store/local-store.ts';
import { nextFrame, Observable } from '../store/observable.ts';
import { bundlesChanged, provideApps } from '../surfaces/bundles.ts';
import { pauseSurfaces } from '../surfaces/pause.ts';
import { browserCan } from './ability.ts';
import { CoolDown } from './cool-down.ts';
import type { DeskView } from './desk-parts.ts';
import { CapabilityDesk } from './desk.ts';
import { BrowserExclusion } from './exclusion.ts';
import { BrowserJournal } from './journal.ts';
import { Notices } from '../attention/notices.ts';
import { CapabilityPolicy } from './policy.ts';

/** The part of the host that a conversation needs. */
export interface ConversationHost {
  readonly desk: Pick<CapabilityDesk, 'take' | 'settled' | 'pending' | 'leave' | 'asking'> & {
    readonly view: Pick<Observable<DeskView>, 'subscribe'>;
  };
  /** What the device declares now (§7). Watch it to declare each change. */
  readonly inventory: Pick<Observable<Inventory>, 'get' | 'subscribe'>;
}

/** See the file's head. Lives as long as the page. */
export class DeviceHost implements ConversationHost {
  readonly apps: AppCenter;
  readonly policy: CapabilityPolicy;
  readonly coolDown: CoolDown;
  readonly notices: Notices;
  readonly desk: CapabilityDesk;
  readonly inventory: Observable<Inventory>;
  /** Whether the app center is open; null while it never was, so that nothing of it is loaded. */
  readonly centerShown: Observable<boolean | null>;
  #centerShown: boolean | null = null;
  readonly #channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('lineup-capabilities');
  readonly #local: LocalStore;

  constructor(local: LocalStore) {
    this.#local = local;
    this.apps = new AppCenter(local, new AppStorage(local));
    this.policy = new CapabilityPolicy(local, browserCan);
    this.coolDown = new CoolDown(local, Date.now);
    this.inventory = new Observable(
      () => currentInventory({ apps: this.apps, policy: this.policy, local }),
      (run) => run(),
    );
    this.centerShown = new Observable<boolean | null>(
      () => this.#centerShown,
      (run) => run(),
    );
    const visible = () => document.visibilityState === 'visible';
    this.notices = new Notices({
      visible,
      outside: (notice) => tellOutside(notice, noticeHeading(notice, i18next.t), reportError),
      takeBack: (which) => takeBackOutside(which, reportError),
    });
    this.desk = new CapabilityDesk({
      journal: new BrowserJournal(),
      exclusion: new BrowserExclusion(),
      policy: this.policy,
      coolDown: this.coolDown,
      run: async (call, context) => (await import('./handlers/all.ts')).run(call, context),
      show: this.notices.show,
      announce: (key) => this.#channel?.postMessage(key),
      clock: () => performance.now(),
      fault: reportError,
      schedule: nextFrame,
    });
  }

  /** Follows the user, other tabs, and the desk. */
  start(): void {
    provideApps(this.apps);
    this.apps.view.subscribe(() => {
      this.#declared();
      bundlesChanged();
    });
    this.policy.view.subscribe(() => this.#declared());
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') this.desk.takenElsewhere(data);
    });
    this.#local.watch((key) => {
      if (key === null || key.startsWith('app')) this.apps.view.changed();
      if (key === null || key.startsWith('capabilities.')) this.policy.view.changed();
    });
    this.#pauseSurfacesWhileAsking();
    document.addEventListener('visibilitychange', () => {
      this.desk.rearm();
      this.notices.pageChanged();
    });
    followOutside();
    holdWhileSeen(reportError);
    window.addEventListener('focus', () => this.desk.rearm());
  }

  showCenter(shown: boolean): void {
    this.#centerShown = shown;
    this.centerShown.changed();
  }

  #declared(): void {
    const before = this.inventory.get().revision;
    if (currentInventory({ apps: this.apps, policy: this.policy, local: this.#local }).revision === before) return;
    this.inventory.changed();
    this.desk.policyChanged().catch(reportError);
  }

  /** Nothing that an agent made runs beside a question that only the host may ask. */
  #pauseSurfacesWhileAsking(): void {
    let resume: (() => void) | null = null;
    this.desk.view.subscribe(() => {
      const asking = this.desk.view.get().question !== null;
      if (asking) resume ??= pauseSurfaces();
      else {
        resume?.();
        resume = null;
      }
    });
  }
}
