/**
 * The host's end of one running surface: its frame, the one port to it, and the reasons to take it down (docs/security.md).
 * Knows nothing of React or of the store.
 */
import type { Bundle } from '../../../src/protocol/bundle.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { TokenBucket } from '../../surface/token-bucket.ts';
import { ALIVE, FLOODED, READY, TOUCHED, type Downward, type Opening, type SurfaceContext } from '../../surface/wire.ts';
import { FocusGuard } from './focus-guard.ts';
import { readSurfaceMessage } from './message.ts';

/** Why a surface was taken down. */
export type Gone = 'silent' | 'flood' | 'focus' | 'unreachable';

/** What the host hears of a surface. */
export interface SurfaceListeners {
  onEvent(event: string, data: JsonObject): void;
  /** A height in CSS pixels, within the limits, at most four times a second. */
  onResize(height: number): void;
  /** It is gone already. */
  onGone(why: Gone): void;
}

/** Where the surface page is asked for: sent on to where it is kept apart best, and, if that cannot be reached, at this very origin. */
const ADDRESSES = [() => '/surface-frame', () => `/surface-frame?host=${encodeURIComponent(location.origin)}`] as const;
/** How long the surface page may take to say that it is there, in ms. */
const READY_WITHIN_MS = 8_000;
/** Between two beats, in ms; this many unanswered ones in a row end a surface. */
const BEAT_MS = 2_000;
const MISSED_BEATS = 3;
/** Limits of a height: CSS pixels, and a share of the window. */
const MIN_HEIGHT = 120;
const MAX_SHARE = 0.7;
/** At most four heights a second. */
const RESIZE_MS = 250;
/** How deep a frame may stand inside of the surface and still be known as part of it. */
const MAX_FRAME_DEPTH = 16;

/** See the file's head. Runs from its construction to {@link end}. */
export class SurfaceFrame {
  readonly #frame: HTMLIFrameElement;
  readonly #listeners: SurfaceListeners;
  readonly #opening: Opening;
  readonly #guard: FocusGuard;
  /** Nothing in a surface has a reason to speak past its port. */
  readonly #aside = new TokenBucket(20, 40, () => performance.now());
  readonly #hear = (event: MessageEvent<unknown>) => this.#onWindowMessage(event);
  #address = 0;
  #port: MessagePort | null = null;
  #missed = 0;
  #beat: ReturnType<typeof setInterval> | null = null;
  #ready: ReturnType<typeof setTimeout> | null = null;
  #resize: ReturnType<typeof setTimeout> | null = null;
  #height = 0;
  #resizedAt = -Infinity;

  /** @param title what assistive technology calls the frame */
  constructor(
    place: HTMLElement,
    title: string,
    opening: { bundle: Bundle; state: JsonObject; context: SurfaceContext },
    listeners: SurfaceListeners,
  ) {
    this.#listeners = listeners;
    this.#opening = opening;
    this.#frame = document.createElement('iframe');
    this.#frame.title = title;
    this.#frame.setAttribute('sandbox', 'allow-scripts');
    this.#frame.setAttribute('allow', '');
    this.#frame.referrerPolicy = 'no-referrer';
    this.#guard = new FocusGuard(this.#frame, () => this.#gone('focus'));
    window.addEventListener('message', this.#hear);
    this.#ask();
    place.append(this.#frame);
  }

  /** Gives the surface another state. */
  setState(state: JsonObject): void {
    this.#opening.state = state;
    this.#tell({ type: 'state', state });
  }

  /** Tells the surface that it is shown in another way. */
  setContext(context: SurfaceContext): void {
    this.#opening.context = context;
    this.#tell({ type: 'context', context });
  }

  /** Takes the surface down. */
  end(): void {
    for (const timer of [this.#ready, this.#beat, this.#resize]) if (timer !== null) clearTimeout(timer);
    window.removeEventListener('message', this.#hear);
    this.#guard.end();
    this.#port?.close();
    this.#port = null;
    this.#frame.remove();
  }

  #ask(): void {
    const address = ADDRESSES[this.#address];
    if (!address) {
      this.#gone('unreachable');
      return;
    }
    this.#address += 1;
    this.#frame.src = address();
    this.#ready = setTimeout(() => this.#ask(), READY_WITHIN_MS);
  }

  #onWindowMessage(event: MessageEvent<unknown>): void {
    // Whoever it is from comes first: what strangers send is not even read.
    if (!this.#isOurs(event.source)) return;
    if (this.#port === null && event.source === this.#frame.contentWindow && event.data === READY) this.#open();
    else if (!this.#aside.take()) this.#gone('flood');
  }

  #isOurs(source: MessageEventSource | null): boolean {
    const top = this.#frame.contentWindow;
    if (source === null || top === null || !('parent' in source)) return false;
    let at: Window = source;
    for (let depth = 0; depth < MAX_FRAME_DEPTH; depth++) {
      if (at === top) return true;
      if (at === at.parent) return false;
      at = at.parent;
    }
    return false;
  }

  #open(): void {
    if (this.#ready !== null) clearTimeout(this.#ready);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.addEventListener('message', (event: MessageEvent<unknown>) => this.#onMessage(event.data));
    port1.start();
    // To whoever is in the frame: that can be the surface page alone (frame-src), and its origin is nobody's.
    this.#frame.contentWindow?.postMessage(this.#opening, '*', [port2]);
    this.#beat = setInterval(() => this.#onBeat(), BEAT_MS);
  }

  #onMessage(data: unknown): void {
    if (data === ALIVE) this.#missed = 0;
    else if (data === TOUCHED) this.#guard.touched();
    else if (data === FLOODED) this.#gone('flood');
    else {
      const message = readSurfaceMessage(data);
      if (message?.type === 'event') this.#listeners.onEvent(message.event, message.data);
      else if (message?.type === 'resize') this.#onResize(message.height);
    }
  }

  #onBeat(): void {
    // A hidden page is slowed down by the browser, and so is what it holds.
    if (document.visibilityState === 'hidden') this.#missed = 0;
    else if (this.#missed >= MISSED_BEATS) this.#gone('silent');
    else this.#missed += 1;
    this.#tell({ type: 'beat' });
  }

  #onResize(height: number): void {
    this.#height = Math.round(Math.max(MIN_HEIGHT, Math.min(height, window.innerHeight * MAX_SHARE)));
    const wait = this.#resizedAt + RESIZE_MS - performance.now();
    this.#resize ??= setTimeout(
      () => {
        this.#resize = null;
        this.#resizedAt = performance.now();
        this.#listeners.onResize(this.#height);
      },
      Math.max(0, wait),
    );
  }

  #tell(message: Downward): void {
    this.#port?.postMessage(JSON.stringify(message));
  }

  #gone(why: Gone): void {
    this.end();
    this.#listeners.onGone(why);
  }
}
