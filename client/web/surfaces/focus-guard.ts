/**
 * Notices a surface that takes the keyboard without having been touched. A browser lets every frame focus itself, so what the user types
 * into the app would go to whoever took the focus; the only remedy is to take that frame away.
 */

/** A touch may be told this much later than the focus that it gives, in ms: it takes a longer way. */
const GRACE_MS = 120;
/** A touch or a Tab explains a focus that comes within this time, in ms. */
const RECENT_MS = 600;

/** See the file's head. */
export class FocusGuard {
  readonly #frame: HTMLIFrameElement;
  readonly #onTheft: () => void;
  readonly #ended = new AbortController();
  #lastTouch = -Infinity;
  #lastTab = -Infinity;
  /** The user put the focus there, and it has not been elsewhere since. */
  #entered = false;
  #before: Element | null = document.activeElement;
  #waiting: ReturnType<typeof setTimeout> | null = null;

  constructor(frame: HTMLIFrameElement, onTheft: () => void) {
    this.#frame = frame;
    this.#onTheft = onTheft;
    const { signal } = this.#ended;
    window.addEventListener('blur', () => this.#onBlur(), { signal });
    window.addEventListener('focus', () => this.#onFocus(), { signal });
    document.addEventListener('focusin', ({ target }) => this.#onFocusIn(target), { signal });
    document.addEventListener('keydown', ({ key, timeStamp }) => key === 'Tab' && (this.#lastTab = timeStamp), { capture: true, signal });
  }

  /** The bridge says that the surface was touched. */
  touched(): void {
    this.#lastTouch = performance.now();
    if (this.#waiting === null) return;
    this.#forgive();
    this.#entered = true;
  }

  end(): void {
    this.#forgive();
    this.#ended.abort();
  }

  #onBlur(): void {
    if (document.activeElement !== this.#frame || this.#entered) return;
    const now = performance.now();
    if (now - this.#lastTouch < RECENT_MS || now - this.#lastTab < RECENT_MS) this.#entered = true;
    else this.#waiting ??= setTimeout(() => this.#stolen(), GRACE_MS);
  }

  #onFocus(): void {
    if (document.activeElement === this.#frame) return;
    this.#entered = false;
    this.#forgive();
  }

  #onFocusIn(target: EventTarget | null): void {
    if (target === this.#frame || !(target instanceof Element)) return;
    this.#before = target;
    this.#entered = false;
  }

  #forgive(): void {
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    this.#waiting = null;
  }

  #stolen(): void {
    this.#waiting = null;
    const { body } = document;
    this.#onTheft();
    if (this.#before instanceof HTMLElement && this.#before.isConnected && document.activeElement === body) this.#before.focus();
  }
}
