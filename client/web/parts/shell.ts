/** The part of the app that is there without a network, and the word that there is a newer one. */
import { Observable } from '../store/observable.ts';

/** An open page asks no more often than this, in ms, whether there is a newer version. */
const ASK_EVERY_MS = 900_000;

let newer = false;
let asked = 0;

/** Whether the relay serves another version of the page than the one that runs. */
export const updateReady = new Observable(
  () => newer,
  (run) => run(),
);

/** Keeps the page for when there is no network. Where the browser has no such thing, or refuses, the page goes on without. */
export async function keepShell(): Promise<void> {
  asked = Date.now();
  document.addEventListener('visibilitychange', () => void askForNewer());
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register('/sw.js');
    const { active } = await navigator.serviceWorker.ready;
    const files = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
    // A worker's own port has no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    active?.postMessage({ keep: files.flatMap(({ origin, pathname }) => (origin === location.origin ? [pathname] : [])) });
  } catch (error) {
    if (!(error instanceof DOMException || error instanceof TypeError)) throw error;
  }
}

async function askForNewer(): Promise<void> {
  if (document.visibilityState !== 'visible' || Date.now() - asked < ASK_EVERY_MS) return;
  asked = Date.now();
  try {
    const answer = await fetch('/', { cache: 'no-cache' });
    const running = document.querySelector<HTMLScriptElement>('script[type=module][src]');
    if (!answer.ok || running === null) return;
    newer = !(await answer.text()).includes(new URL(running.src).pathname);
    updateReady.changed();
  } catch (error) {
    // No network: nothing is known, and the next look asks again.
    if (!(error instanceof TypeError)) throw error;
  }
}
