/** The way to the home screen: asked about once, after pairing, and never where the app is installed already. */
import type { LocalStore } from '../store/local-store.ts';
import { Observable } from '../store/observable.ts';

/** `prompt`: the browser has a dialog for it. `share`: the user does it, from the browser's share menu (iPhone, iPad). */
export type InstallWay = 'prompt' | 'share';

/** As Chromium has it; no standard yet. */
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
  readonly userChoice: Promise<unknown>;
}

const KEY = 'install-hint';

/** See the file's head. */
export class Installer {
  /** How it can be installed; null when it cannot, is, or the user said what they think of it. */
  readonly view: Observable<InstallWay | null>;
  readonly #local: LocalStore;
  #prompt: InstallPrompt | null = null;

  constructor(local: LocalStore) {
    this.#local = local;
    this.view = new Observable(
      () => this.#look(),
      (run) => run(),
    );
  }

  /** Listens to the browser. */
  start(): void {
    window.addEventListener('beforeinstallprompt', (event) => {
      // Asked here, when there is something to keep; the browser would ask at any time.
      event.preventDefault();
      this.#prompt = event as InstallPrompt;
      this.view.changed();
    });
    window.addEventListener('appinstalled', () => this.dismiss());
  }

  /** Asks through the browser. Whatever the answer is, it is the last time. */
  async install(): Promise<void> {
    const prompt = this.#prompt;
    this.dismiss();
    await prompt?.prompt();
  }

  /** Never again. */
  dismiss(): void {
    this.#local.write(KEY, 'done');
    this.view.changed();
  }

  #look(): InstallWay | null {
    if (this.#local.read(KEY) !== null || matchMedia('(display-mode: standalone)').matches) return null;
    if (this.#prompt) return 'prompt';
    // Safari's word for it; a browser inside of another app has no share menu that could.
    const { standalone } = navigator as Navigator & { standalone?: boolean };
    return standalone === false && navigator.maxTouchPoints > 0 && !navigator.userAgent.includes('MicroMessenger') ? 'share' : null;
  }
}
