/** After a deploy an open page may ask for a part of itself that no longer exists: it reloads, once. */

const RELOADED = 'lineup.reloaded-for-chunk';
/** A second miss within this many ms is no deploy, and reloading would go round in circles. */
const ONCE_IN_MS = 60_000;

export function reloadOnMissingChunk(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(history.state?.[RELOADED] ?? 0);
    if (Date.now() - last < ONCE_IN_MS) return;
    event.preventDefault();
    history.replaceState({ ...history.state, [RELOADED]: Date.now() }, '');
    location.reload();
  });
}
