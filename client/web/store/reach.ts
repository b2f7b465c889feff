/** Which relays this page can talk to at all. */

/**
 * Whether a page at `page` may talk to a relay: to its own, and to any other that is encrypted. Both are origins. Anything else a browser
 * refuses (mixed content, and the page's own Content-Security-Policy): only the relay's own page can talk to it.
 */
export function canReach(relay: string, page = location.origin): boolean {
  return relay === page || relay.startsWith('https://');
}
