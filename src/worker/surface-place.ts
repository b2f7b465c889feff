/** Which origin serves the surface page to an app: as far from the app's own as this deployment can. */

/** The surface page's path. */
export const SURFACE_PATH = '/surface-frame';

/** Names of this machine that a browser holds to be different sites, though one server answers both. */
const LOCAL_TWINS: ReadonlyMap<string, string> = new Map([
  ['127.0.0.1', 'localhost'],
  ['localhost', '127.0.0.1'],
]);

/**
 * The origin whose {@link SURFACE_PATH} an app at `app` shows its surfaces in: `LINEUP_SURFACE_ORIGIN` where that is set, on one's own
 * machine the other name of it, else the app's own (the page is then kept apart by its `sandbox` header alone).
 * @param app the app's origin
 * @throws RangeError when the variable is no origin
 */
export function surfaceOrigin(app: string, variable: string | undefined): string {
  if (variable !== undefined && variable.trim() !== '') return readOrigin(variable.trim());
  return twinOf(app) ?? app;
}

/** Whether the page at `own` may be shown inside of an app at `app`. A hostname that only serves surfaces cannot know its apps. */
export function mayShow(own: string, app: string, variable: string | undefined): boolean {
  if (app === own || app === twinOf(own)) return true;
  return variable !== undefined && variable.trim() === own;
}

/** An origin in its one spelling; null for everything else. */
export function asOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { origin, protocol } = new URL(text);
  return origin === text && (protocol === 'https:' || protocol === 'http:') ? origin : null;
}

function readOrigin(text: string): string {
  const origin = asOrigin(text);
  if (origin === null) throw new RangeError('LINEUP_SURFACE_ORIGIN must be an origin such as https://surfaces.example.com');
  return origin;
}

function twinOf(origin: string): string | undefined {
  const url = new URL(origin);
  const twin = LOCAL_TWINS.get(url.hostname);
  if (url.protocol !== 'http:' || twin === undefined) return undefined;
  url.hostname = twin;
  return url.origin;
}
