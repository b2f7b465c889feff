/** What a screen can see of one conversation. A new object after each change; what did not change keeps its identity. */
import type { ConnectionState } from '../../core/connection-events.ts';
import type { Entry } from '../model/entry.ts';
import type { Need } from '../model/need.ts';
import type { Unread } from '../model/unread.ts';
import type { HistoryView } from './history.ts';

/** The connection in the words of a user. */
export type LinkView =
  | { name: 'connecting' }
  | { name: 'online' }
  /** Tries again by itself. */
  | { name: 'offline' }
  /** Does not try again: revoked or signed out elsewhere, gone, or opened in another place. */
  | { name: 'stopped'; reason: 'pair-again' | 'not-found' | 'replaced' | 'protocol' };

/** A connection's state in those words. What the app itself closed is about to be opened or gone. */
export function linkView(state: ConnectionState): LinkView {
  switch (state.name) {
    case 'idle':
    case 'connecting':
      return { name: 'connecting' };
    case 'syncing':
    case 'online':
      return { name: 'online' };
    case 'waiting':
      return { name: 'offline' };
    case 'stopped':
      return state.reason === 'closed' ? { name: 'connecting' } : { name: 'stopped', reason: state.reason };
  }
}

/** The agent on the other side. */
export interface AgentView {
  id: string;
  name: string;
  /** Null: not known yet. */
  online: boolean | null;
  /** ISO 8601. */
  lastSeen: string | null;
  /** The agent's cursor: own messages up to it are delivered. */
  received: number;
}

/** What the agent says that it is doing. */
export interface StatusView {
  state: 'idle' | 'thinking' | 'working' | 'waiting' | 'error';
  detail: string | null;
  runId: string | null;
  /** When this device saw it begin, in ms; null when it began before. */
  since: number | null;
}

/** How far the agent's run is. */
export interface ProgressView {
  runId: string;
  percent: number | null;
  message: string | null;
}

/** Limits that the page checks before it sends. Bytes, but for characters of a text. */
export interface SendLimits {
  textCharacters: number;
  fileBytes: number;
}

export interface ConversationView {
  title: string | null;
  link: LinkView;
  /** Whether the connection has been up since the page was opened. */
  wasOnline: boolean;
  agent: AgentView;
  status: StatusView | null;
  progress: ProgressView | null;
  entries: readonly Entry[];
  /** What waits for the user's word. The list is another one only when it says something else. */
  needs: readonly Need[];
  /** Questions that are on the screen: those that wait, and those whose answer is on its way. */
  open: readonly Entry[];
  /** Messages and answers of this device that the relay does not have yet. */
  queued: number;
  /** Whether a text is being written right now. */
  flowing: boolean;
  history: HistoryView;
  limits: SendLimits;
  /** Whether what is queued survives the page. */
  durable: boolean;
  /** Messages of the agent's that came after what was last read on this device. */
  unread: Unread;
  /** Whether everything that was missed has come, on the connection that is up. */
  synced: boolean;
}
