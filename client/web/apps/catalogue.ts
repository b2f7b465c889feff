/** The apps that this host knows. Their code comes with the web app and is loaded when one is opened; an agent names the id alone. */
import type { Bundle } from '../../../src/protocol/bundle.ts';
import type { Inventory } from '../../../src/protocol/inventory.ts';

type Surfaces = NonNullable<Inventory['applications'][number]['surfaces']>;

/** One version of an app. */
export interface AppRelease {
  version: string;
  surfaces: Surfaces;
  load: () => Promise<Bundle>;
}

export interface KnownApp {
  id: string;
  /** As a surface's bar names it; a proper name, the same in every language. */
  name: string;
  /** Oldest first. An app that a user has enabled stays what it is until they upgrade it. */
  releases: readonly [AppRelease, ...AppRelease[]];
}

const SVG_CANVAS = 'com.lineup.svg-canvas';
const FORM = 'com.lineup.form';

export const KNOWN_APPS = [
  {
    id: SVG_CANVAS,
    name: 'Canvas',
    releases: [
      {
        version: '1.0.0',
        surfaces: [{ id: 'canvas', events: ['draw', 'resize', 'snapshot'] }],
        load: async () => (await import('./bundles/svg-canvas.ts')).svgCanvas,
      },
    ],
  },
  {
    id: FORM,
    name: 'Form',
    releases: [
      { version: '1.0.0', surfaces: [{ id: 'form', events: ['submit'] }], load: async () => (await import('./bundles/form.ts')).formOfTexts },
      { version: '1.1.0', surfaces: [{ id: 'form', events: ['submit'] }], load: async () => (await import('./bundles/form.ts')).form },
    ],
  },
] as const satisfies readonly KnownApp[];

/** An app of the catalogue. */
export type KnownAppId = (typeof KNOWN_APPS)[number]['id'];

/** The app of this id; undefined when this host knows none. */
export function knownApp(id: string): KnownApp | undefined {
  return KNOWN_APPS.find((app) => app.id === id);
}

/** The newest release of an app. */
export function newestRelease(app: KnownApp): AppRelease {
  return app.releases.at(-1) ?? app.releases[0];
}
