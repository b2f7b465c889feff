/** The WebSocket that the platform or the application brings, and where it connects to (§4). */

/** The part of a WebSocket that is used: the browser's, Node's own and the `ws` package's all have it. */
export interface WebSocketLike {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Lets go at once. Browsers have it not: they stop waiting for a dead connection by themselves. */
  terminate?(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}

/** Opens a socket. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/** The address of a conversation's socket. */
export function socketUrl(relay: string, conversationId: string): string {
  const url = new URL(`/v1/conversations/${encodeURIComponent(conversationId)}/socket`, relay);
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  return url.href;
}

/**
 * The platform's own WebSocket.
 * @throws TypeError when it has none
 */
export function platformWebSocket(): WebSocketConstructor {
  if (typeof WebSocket === 'undefined') throw new TypeError('This platform has no WebSocket: give one, or use Node 22 or newer.');
  return WebSocket;
}
