/**
 * Looks whether something was said in a conversation that is in the list and not connected: once a minute while somebody looks at the
 * page, and when they come back to it. An agent whose conversations are all connected is not asked about, since that would wake them.
 */
import type { PageSignals } from '../../core/page.ts';
import type { AppStore } from './app-store.ts';

/** How often, in ms. */
const LOOK_MS = 60_000;

/** Begins to watch; returns how it ends. */
export function watchLists(app: Pick<AppStore, 'view' | 'refresh'>, page: PageSignals): () => void {
  const look = () => {
    if (!page.visible()) return;
    const { rows, pairings } = app.view.get();
    for (const pairing of pairings) {
      if (!pairing.ended && rows.some((row) => row.pairing.key === pairing.key && !row.connected)) void app.refresh(pairing);
    }
  };
  const timer = setInterval(look, LOOK_MS);
  const unwatch = page.watch((signal) => {
    if (signal === 'shown') look();
  });
  return () => {
    clearInterval(timer);
    unwatch();
  };
}
