/**
 * The signals of the page for one conversation: it counts as seen while the page is visible and the conversation is the one on it. Only
 * that one asks its relay once a minute who is there, which wakes it; the others sleep on until they are told something.
 */
import type { PageSignals } from '../../core/page.ts';
import type { Observable } from './observable.ts';

export function screenSignals(page: PageSignals | null, onScreen: Pick<Observable<boolean>, 'get' | 'subscribe'>): PageSignals | null {
  if (page === null) return null;
  const visible = () => page.visible() && onScreen.get();
  return {
    visible,
    watch(listener) {
      const stops = [page.watch(listener), onScreen.subscribe(() => listener(visible() ? 'shown' : 'hidden'))];
      return () => stops.forEach((stop) => stop());
    },
  };
}
