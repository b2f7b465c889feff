/** Whether there is room for panes side by side. */
import { useSyncExternalStore } from 'react';

const WIDE = '(min-width: 900px)';

export function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(WIDE);
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => matchMedia(WIDE).matches,
  );
}
