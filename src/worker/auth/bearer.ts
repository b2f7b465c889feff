/** Where a token travels: in `Authorization: Bearer` (§3), or, from a browser that opens a socket, as a second subprotocol (§4). Never in a URL. */

/** The subprotocol that the relay selects when it was offered. */
export const SUBPROTOCOL = 'lineup.v1';
const TOKEN_SUBPROTOCOL = 'lineup.token.';

/** The bearer token of a request, or undefined. */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** What an upgrade request says about itself. */
export interface SocketOffer {
  /** Undefined when it brought none; then the token may come in the hello. */
  token: string | undefined;
  /** Whether `lineup.v1` was offered, and is so to be selected. */
  selectable: boolean;
}

/** The token and the subprotocol of an upgrade request. */
export function socketOffer(request: Request): SocketOffer {
  const offered = (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((protocol) => protocol.trim());
  const carried = offered.find((protocol) => protocol.startsWith(TOKEN_SUBPROTOCOL))?.slice(TOKEN_SUBPROTOCOL.length);
  return { token: bearerOf(request) ?? carried, selectable: offered.includes(SUBPROTOCOL) };
}
