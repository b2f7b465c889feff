/**
 * `lineup-relay/client`: write a device client, for browsers and every other platform with a WebSocket.
 *
 * @example
 * import { Connection, IndexedDbOutboxStore, MemoryCursorStore, parsePairingInput, RelayHttp } from 'lineup-relay/client';
 *
 * const { code, origin } = parsePairingInput(scanned);
 * const paired = await RelayHttp.redeem(origin, code, { name: 'My phone', platform: 'web' });
 *
 * @module
 */
export { Connection, type SendOptions, type Sent } from './connection.ts';
export type { ConnectionOptions, CredentialStore, Introduction } from './connection-options.ts';
export type { ConnectionEvents, ConnectionState, SentState, SentUpdate, StopReason } from './connection-events.ts';
export { RelayHttp, type Enrolled, type Health, type IssuedToken, type Pairing, type PairingStatus, type Redeemed } from './http.ts';
export { parsePairingInput, type PairingInput } from './pairing.ts';
export { DiscardedError, NetworkError, RelayError, UnsendableError } from './errors.ts';
export { isMessage, type DurableType, type EphemeralType, type Message } from './frames.ts';
export { MemoryCursorStore, type Cursor, type CursorStore } from './cursor-store.ts';
export { MemoryOutboxStore, type OutboxEntry, type OutboxStore } from './outbox-store.ts';
export { IndexedDbOutboxStore } from './outbox-indexeddb.ts';
export type { WebSocketConstructor, WebSocketLike } from './websocket.ts';
export { checkToolCall, describeTools, TOOLS, type ToolName } from '../../src/protocol/tools.ts';
export type { Delivered, Envelope, Participant, Sender, Target } from '../../src/protocol/envelope.ts';
export type { Payloads } from '../../src/protocol/messages.ts';
