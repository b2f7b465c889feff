/** A WebSocket for Node. Its own would do, but cannot let go of a connection that died without a word. */
import { WebSocket, type ClientOptions } from 'ws';

/** The types leave out what is handed through to `net.connect`. */
const OPTIONS: ClientOptions & { autoSelectFamilyAttemptTimeout: number } = {
  perMessageDeflate: false,
  // How long one address of the relay may take before the next is tried too, in ms: slow lines need more than Node's default.
  autoSelectFamilyAttemptTimeout: 2_000,
};

/** Opens sockets for a `Connection` in Node, in versions without a WebSocket of their own too. */
export class NodeWebSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols, OPTIONS);
  }
}
