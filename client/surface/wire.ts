/**
 * What crosses the walls of a surface: host ⇄ outer frame ⇄ inner frame.
 *
 * Host and outer frame open a channel by two messages of the window: the outer frame says {@link READY}, the host answers with an
 * {@link Opening} and one port. Inner and outer frame likewise: the bridge hands over one port with {@link BRIDGE}. From then on there
 * are ports alone, and on them strings alone.
 */
import type { Bundle } from '../../src/protocol/bundle.ts';
import type { JsonObject } from '../../src/protocol/json.ts';

/** Outer frame → host, once: it listens. */
export const READY = 'lineup.surface.v1 ready';
/** Inner → outer frame, once, with a port: the bridge is there. */
export const BRIDGE = 'lineup.surface.v1 bridge';

/** The namespace of everything that a surface sends. */
export const NAMESPACE = 'lineup.surface.v1';
/** Largest message of a surface, in UTF-8 bytes. */
export const MAX_MESSAGE_BYTES = 16_384;

/** What a surface knows of where it is shown. Lengths are CSS pixels. */
export interface SurfaceContext {
  theme: 'light' | 'dark';
  /** BCP 47. */
  locale: string;
  /** The edges that belong to the device (notch, home indicator). */
  safeArea: { top: number; right: number; bottom: number; left: number };
}

/** Host → outer frame, once. */
export interface Opening {
  bundle: Bundle;
  state: JsonObject;
  context: SurfaceContext;
}

/** Host → bridge, as JSON. */
export type Downward = { type: 'state'; state: JsonObject } | { type: 'context'; context: SurfaceContext } | { type: 'beat' };

/** Bridge → host: the bridge lives. Not JSON, so that the bridge needs nothing that a surface could have changed. */
export const ALIVE = 'alive';
/** Bridge → host: the user has just touched or clicked the surface. */
export const TOUCHED = 'touched';
/** Outer frame → host: the surface sent far too much, and is gone. */
export const FLOODED = 'flooded';
