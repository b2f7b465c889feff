/** The part of the app that is there without a network, and the word that there is a newer one. */
import { Observable } from '../store/observable.ts';

/** An open page asks no more often than this, in ms, whether there is a newer version. */
const ASK_EVERY_MS = 900_000;

let newer = false;
let later = false;
let asked = 0;

/** Whether the relay serves another version of the page than the one that runs, and the user has not put it off. */
export const updateReady = new Observable(
  () => newer && !later,
  (run) => run(),
);

/** The user wants to hear no more of it: it comes when the page is loaded the next time. */
export function putOffUpdate(): void {
  later = true;
  updateReady.changed();
}

/** Keeps the page for when there is no network. Where the browser has no such thing, or refuses, the page goes on without. */
export async function keepShell(): Promise<void> {
  asked = Date.now();
  document.addEventListener('visibilitychange', () => void askForNewer());
  // A page on a desk may be looked at for days.
  setInterval(() => void askForNewer(), ASK_EVERY_MS);
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register('/sw.js');
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
    const own = loaded.flatMap(({ origin, pathname }) => (origin === location.origin ? [pathname] : []));
    // A worker's own port has no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    active?.postMessage({ keep: [...new Set([...own, ...(await parts())])] });
  } catch (error) {
    if (!(error instanceof DOMException || error instanceof TypeError)) throw error;
  }
}

/**
 * Every file that this version is made of, also those that were not needed yet: without a network they are there too, and after a deploy
 * an open page still finds its own. None where the page is not built, or the relay has another version by now.
 */
async function parts(): Promise<string[]> {
  const answer = await fetch('/parts.json', { cache: 'no-cache' });
  if (!answer.ok || answer.headers.get('content-type')?.includes('json') !== true) return [];
  const listed = Object.values((await answer.json()) as Record<string, { file: string; css?: string[] }>);
  const files = listed.flatMap(({ file, css = [] }) => [file, ...css]).map((file) => `/${file}`);
  return files.includes(runningScript() ?? '') ? files : [];
}

/** The path of the script that this page began with. */
function runningScript(): string | null {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]');
  return script && new URL(script.src).pathname;
}

async function askForNewer(): Promise<void> {
  if (document.visibilityState !== 'visible' || Date.now() - asked < ASK_EVERY_MS) return;
  asked = Date.now();
  try {
    const answer = await fetch('/', { cache: 'no-cache' });
    const running = runningScript();
    if (!answer.ok || running === null) return;
    newer = !(await answer.text()).includes(running);
    updateReady.changed();
  } catch (error) {
    // No network: nothing is known, and the next look asks again.
    if (!(error instanceof TypeError)) throw error;
  }
}
