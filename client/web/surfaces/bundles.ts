/** Where the code of an app is that an agent opens by its id alone: the apps that this host has itself. */
import type { Bundle } from '../../../src/protocol/bundle.ts';

/** Gives an enabled app's code, or null for an app that is not there. */
export type BundleSource = (appId: string) => Promise<Bundle | null>;

let source: BundleSource = () => Promise.resolve(null);

/** Whoever has apps says so once, before the first surface is shown. */
export function provideBundles(from: BundleSource): void {
  source = from;
}

/** The code of one of this host's own apps; null when it has none of that id. */
export function bundleOf(appId: string): Promise<Bundle | null> {
  return source(appId);
}
