/** What a connection needs from its surroundings. Everything that differs between a browser, Node and a test comes in here. */
import type { Delivered, Participant } from '../../src/protocol/envelope.ts';
import type { Clock } from './clock.ts';
import type { CursorStore } from './cursor-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { PageSignals } from './page.ts';
import type { WebSocketConstructor } from './websocket.ts';

/** Where the participant's token lives. */
export interface CredentialStore {
  /** Null: there is none, the connection stops with `pair-again`. */
  load(): string | null | Promise<string | null>;
  /** A fresh token for the same participant; the old one still works until it runs out. */
  save(token: string): void | Promise<void>;
}

/** How the client introduces itself (§4). A device names its `platform`, an agent its `agent`. */
export interface Introduction {
  name: string;
  platform?: string;
  agent?: string;
  version?: string;
  /** An agent that lost the context of its calls settles them all as cancelled, at its first connection. */
  cancel_pending?: boolean;
}

/** One conversation of one participant. */
export interface ConnectionOptions {
  /** The relay's origin, such as `https://relay.example`. */
  relay: string;
  conversationId: string;
  self: Participant;
  credentials: CredentialStore;
  hello: Introduction;
  outbox: OutboxStore;
  cursor: CursorStore;
  /**
   * Where a client without a cursor begins: `head` (default) gets only what is new and pages older messages over HTTP, `oldest` gets the
   * whole log. An agent that must not miss what was said before its first connection begins at the oldest.
   */
  start?: 'head' | 'oldest';
  /**
   * Called with every new message, before the `message` event. While the promise that it returns is pending the stored cursor stays
   * before that message, so that a process that dies in the middle gets it again; later messages are delivered meanwhile.
   */
  process?: (message: Delivered) => void | Promise<void>;
  /** Names this process or tab; a second connection with the same session replaces the first. Default: random. */
  session?: string;
  /** Default: the global WebSocket. */
  WebSocket?: WebSocketConstructor;
  /** Default: the global fetch; used to refresh the token alone. */
  fetch?: typeof fetch;
  /** Default: the document, where there is one. Null: none. */
  page?: PageSignals | null;
  clock?: Clock;
  /** 0 ≤ x < 1. Default: Math.random. */
  random?: () => number;
}
