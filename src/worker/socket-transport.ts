/** A hibernatable WebSocket as the conversation's transport. */
import type { ConnectionState, Transport } from '../conversation/connection.ts';
import type { CloseCode } from '../protocol/close-codes.ts';

/** Carries one connection; its state lives in the socket's attachment and so survives hibernation. */
export class SocketTransport implements Transport {
  readonly #ctx: DurableObjectState;
  readonly #socket: WebSocket;
  #closed = false;

  constructor(ctx: DurableObjectState, socket: WebSocket) {
    this.#ctx = ctx;
    this.#socket = socket;
  }

  send(frame: string): void {
    if (!this.#closed) this.#socket.send(frame);
  }

  close(code: CloseCode, reason: string): void {
    this.#closed = true;
    this.#socket.serializeAttachment(null);
    this.#socket.close(code, reason);
  }

  save(state: ConnectionState): void {
    this.#socket.serializeAttachment(state);
  }

  lastPingAt(): number | null {
    return this.#ctx.getWebSocketAutoResponseTimestamp(this.#socket)?.getTime() ?? null;
  }
}
