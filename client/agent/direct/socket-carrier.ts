/** What carries a connection in direct mode: a WebSocket of this process, which the runtime here does not answer pings for. */
import type { WebSocket } from 'ws';
import type { Transport } from '../../../src/conversation/connection.ts';
import type { CloseCode } from '../../../src/protocol/close-codes.ts';

/** A full client's socket as the conversation's transport. */
export class SocketCarrier implements Transport {
  readonly #socket: WebSocket;
  #pingedAt: number | null = null;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  send(frame: string): void {
    // A peer that is going gets no more; its close event follows.
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame);
  }

  close(code: CloseCode, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** This process does not sleep: the state that it has is the state. */
  save(): void {}

  lastPingAt(): number | null {
    return this.#pingedAt;
  }

  /** Answers the text frame `ping` (§4 keepalive). @returns whether it was one */
  answerPing(frame: string): boolean {
    if (frame !== 'ping') return false;
    this.#pingedAt = Date.now();
    this.send('pong');
    return true;
  }
}
