/**
 * `lineup-relay/client/node`: what a device client in Node needs beside `lineup-relay/client`.
 *
 * @module
 */
import { NodeWebSocket } from './websocket-node.ts';
import type { WebSocketConstructor } from './websocket.ts';

export { FileCursorStore } from './cursor-file.ts';
export { FileOutboxStore } from './outbox-file.ts';

/** Give it to a `Connection` as its `WebSocket`: Node 20 has none of its own, and that of later versions cannot let go of a dead connection. */
export const nodeWebSocket: WebSocketConstructor = NodeWebSocket;
