/** The clock for components: a value that changes once a second, while somebody looks at it. */
import { useCallback, useSyncExternalStore } from 'react';

/** Whole seconds since the epoch, counted up while `running`; else where they stood. */
export function useSeconds(running: boolean): number {
  const subscribe = useCallback(
    (tick: () => void) => {
      if (!running) return () => undefined;
      const timer = setInterval(tick, 250);
      return () => clearInterval(timer);
    },
    [running],
  );
  return useSyncExternalStore(subscribe, wholeSeconds);
}

function wholeSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
