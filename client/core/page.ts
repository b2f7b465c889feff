/** What a page knows of being looked at and of the network: the reasons to check a connection before its timers do. */

/** What happened to the page. */
export type PageSignal =
  /** It can be seen (again), or was brought back from the browser's cache. */
  | 'shown'
  | 'hidden'
  /** The device says that it has a network (again). */
  | 'network'
  /** The device says that it has none. */
  | 'offline';

/** A source of page signals. */
export interface PageSignals {
  /** Whether somebody can see the page now. */
  visible(): boolean;
  /** Listens until the returned function is called. */
  watch(listener: (signal: PageSignal) => void): () => void;
}

/** The signals of the document that this code runs in, or null where there is none. */
export function documentSignals(): PageSignals | null {
  if (typeof document === 'undefined' || typeof window === 'undefined') return null;
  return {
    visible: () => document.visibilityState === 'visible',
    watch(listener) {
      const visibility = () => listener(document.visibilityState === 'visible' ? 'shown' : 'hidden');
      const shown = () => listener('shown');
      const network = () => listener('network');
      const offline = () => listener('offline');
      document.addEventListener('visibilitychange', visibility);
      window.addEventListener('pageshow', shown);
      window.addEventListener('online', network);
      window.addEventListener('offline', offline);
      return () => {
        document.removeEventListener('visibilitychange', visibility);
        window.removeEventListener('pageshow', shown);
        window.removeEventListener('online', network);
        window.removeEventListener('offline', offline);
      };
    },
  };
}
