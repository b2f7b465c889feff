/** What a conversation's store is made of. */
import type { Connection } from '../../core/connection.ts';
import type { RelayHttp } from '../../core/http.ts';
import type { Participant } from '../../../src/protocol/envelope.ts';
import type { ConversationHost } from '../capabilities/host.ts';
import type { LinkView } from './conversation-view.ts';
import type { LocalStore } from './local-store.ts';
import type { Schedule } from './observable.ts';

/** The part of a connection that is used here, so that a scripted one can stand in for it. */
export type Link = Pick<
  Connection,
  'on' | 'state' | 'outbox' | 'durable' | 'start' | 'reconnect' | 'close' | 'send' | 'retry' | 'discard' | 'isUntried'
>;

/** The HTTP calls that are used here. */
export type ConversationHttp = Pick<RelayHttp, 'history' | 'upload' | 'download'>;

export interface ConversationOptions {
  conversationId: string;
  /** This device. */
  me: Participant;
  agent: { id: string; name: string };
  /** Relay and agent: what the user decides about an agent is filed under it. */
  agentKey: string;
  /** What this device declares, and where calls of its capabilities go. */
  host: ConversationHost;
  title: string | null;
  link: Link;
  http: ConversationHttp;
  local: LocalStore;
  /** Called when the connection stopped for good. */
  onStopped?: (reason: Extract<LinkView, { name: 'stopped' }>['reason']) => void;
  /** Called when the list of conversations is another one. */
  onConversations?: () => void;
  schedule?: Schedule;
  now?: () => number;
}
