/** The apps that this host has itself, as the surfaces need them: their code, by the id alone, and what they keep on this device. */
import type { Bundle } from '../../../src/protocol/bundle.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { Observable } from '../store/observable.ts';

/** Gives an enabled app's code, or null for an app that is not there. */
export type BundleSource = (appId: string) => Promise<Bundle | null>;

/** Whoever has apps. */
export interface OwnApps {
  bundleOf: BundleSource;
  /** What an instance kept; null when it kept nothing. @param instance names conversation and instance_id together */
  kept(appId: string, instance: string): JsonObject | null;
  /** Keeps something in place of what was kept before. */
  keep(appId: string, instance: string, data: JsonObject): void;
}

/** The event by which one of these apps keeps something: it is for the host, and no agent hears of it. */
export const KEEP_EVENT = 'keep';

let apps: OwnApps = { bundleOf: () => Promise.resolve(null), kept: () => null, keep: () => undefined };
let changes = 0;

/** How often the apps changed: another number means that another code may be the right one, or none. */
export const bundleChanges = new Observable(
  () => changes,
  (run) => run(),
);

/** Whoever has apps says so, before the first surface is shown. */
export function provideApps(from: OwnApps): void {
  apps = from;
}

/** An app was enabled, disabled or upgraded. */
export function bundlesChanged(): void {
  changes += 1;
  bundleChanges.flush();
}

/** The code of one of this host's own apps; null when it has none of that id. */
export function bundleOf(appId: string): Promise<Bundle | null> {
  return apps.bundleOf(appId);
}

/** What an instance of one of these apps kept before, as a part of the state it begins with. */
export function keptBy(appId: string, instance: string): { kept?: JsonObject } {
  const kept = apps.kept(appId, instance);
  return kept === null ? {} : { kept };
}

/** Keeps what such an instance wants kept. */
export function keepFor(appId: string, instance: string, data: JsonObject): void {
  apps.keep(appId, instance, data);
}
