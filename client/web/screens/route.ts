/** Where in the app the user is: kept in the address after `#`, so that back and reload work. A pairing code never stays there. */
import { useSyncExternalStore } from 'react';

export type Route =
  /** The list, or the conversation when there is only one. */
  { name: 'root' } | { name: 'pair' } | { name: 'conversation'; key: string } | { name: 'pairing'; key: string };

export function readRoute(hash: string): Route {
  const [, place, rest] = /^#\/([a-z]+)(?:\/(.+))?$/.exec(hash) ?? [];
  if (place === 'pair') return { name: 'pair' };
  if ((place === 'conversation' || place === 'pairing') && rest !== undefined) return { name: place, key: decode(rest) };
  return { name: 'root' };
}

export function conversationHref(key: string): string {
  return `#/conversation/${encodeURIComponent(key)}`;
}

export function pairingHref(key: string): string {
  return `#/pairing/${encodeURIComponent(key)}`;
}

/** The hash as a string is what is compared, so a route is only made anew when it is another one. */
export function useHash(): string {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener('hashchange', listener);
      return () => window.removeEventListener('hashchange', listener);
    },
    () => location.hash,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Typed by hand: leads nowhere, and the root is shown.
    return '';
  }
}
