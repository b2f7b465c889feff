/** A client's WebSocket that tells of its end as soon as either side speaks of it, and not only once the line is down. */
import { WebSocket } from 'ws';

/**
 * Emits `leaving` before a close is answered or sent. Whoever was told that the socket is closed may rely on what follows from it:
 * `ws` itself emits `close` when the connection is gone, which the client may see first.
 */
export class ClientSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    this.emit('leaving');
    super.close(code, reason);
  }
}

/** Calls `left` once, when a socket is going or has gone. */
export function onLeaving(socket: WebSocket, left: () => void): void {
  let hasLeft = false;
  const once = (): void => {
    if (hasLeft) return;
    hasLeft = true;
    left();
  };
  socket.once('leaving', once);
  socket.once('close', once);
}
