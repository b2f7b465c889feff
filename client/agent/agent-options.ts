/** What an agent is made with, and what it tells of itself. */
import type { ConnectionState, StopReason } from '../core/connection-events.ts';
import type { ConnectionOptions } from '../core/connection-options.ts';
import type { AgentConnection } from './agent-conversation.ts';

/** Who an agent is, and where. */
export interface LineUpAgentOptions {
  /** The relay's origin, such as `https://relay.example`. */
  relay: string;
  /** The agent's token, as enrolment gave it. Fresher ones are kept in `state`. */
  token: string;
  /** A folder for what must survive the process: unsent messages, how far it has read, open questions, the token. One process at a time. */
  state: string;
  /** What it calls itself in its hello. Devices show the name that it was enrolled with: `lineup setup --name`. */
  name: string;
  /** What it is, such as `Hermes`. Default: its name. */
  agent?: string;
  version?: string;
  /** The conversation that new devices are greeted in. Default: the agent's oldest. */
  conversationId?: string;
  /** Gets what a person who looks after the agent may want to know; never a token, never a message's content. Default: problems go to stderr. */
  log?: (event: AgentEvent) => void;
  /** Default: the real {@link Connection}. */
  connect?: (options: ConnectionOptions) => AgentConnection;
  /** Default: the global fetch. */
  fetch?: typeof fetch;
}

/** What an agent tells of itself. */
export type AgentEvent = { conversationId?: string } & ({ kind: 'state'; state: ConnectionState } | { kind: 'problem'; problem: string });

/** Why an agent ended: `closed` by its own process, or what the relay said. */
export type AgentEnd = Exclude<StopReason, 'not-found'>;

/** The token that was given is none that a relay gives to an agent. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}
