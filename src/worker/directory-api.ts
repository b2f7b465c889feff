/** What the Worker may ask of the directory's Durable Object. Tokens arrive as claims: the Worker has verified them already. */
import type { Refusal, Result } from '../protocol/errors.ts';
import type { AgentInfo } from '../protocol/http.ts';
import type { Claims } from './auth/claims.ts';
import type { Denial } from './auth/denial.ts';
import type { IssuedToken, RelayIdentity } from './auth/token.ts';
import type { Admission, KnownDevice } from './conversation-api.ts';
import type { ListedConversation } from './directory/conversations.ts';
import type { PairingState } from './directory/pairings.ts';

/** Name of the one directory that a relay has. */
export const DIRECTORY_NAME = 'directory';

/** Whether a bearer may enter a conversation. */
export type AdmissionAnswer = { ok: true; admission: Admission } | { ok: false; denial: Denial };

/** What enrolling answers. */
export interface Enrolment extends IssuedToken {
  agent_id: string;
  conversation_id: string;
}

/** An agent without what only its conversations know, and which those are. */
export interface ListedAgent {
  agent: Omit<AgentInfo, 'last_seen' | 'online'>;
  conversation_ids: string[];
}

/** Devices, and the conversations that know when they were last seen. */
export interface ListedDevices {
  devices: KnownDevice[];
  conversation_ids: string[];
}

/** A new pairing. */
export interface PairingOffer {
  pairing_id: string;
  code: string;
  expires_at: string;
}

/** What `GET /v1/pairings/:id` answers. */
export interface PairingStatus {
  state: PairingState;
  label?: string;
  device?: KnownDevice;
}

/** Somebody who wants to redeem a code. */
export interface RedeemRequest {
  code: string;
  device: { name: string; platform: string };
  /** Where it comes from, for counting failures. */
  address: string;
}

/** What redeeming answers. */
export interface Redemption extends IssuedToken {
  device_id: string;
  agent: { id: string; name: string };
  conversation_id: string;
}

/** A redemption, a refusal, or a refusal that ends after so many seconds. */
export type RedeemAnswer = { ok: true; value: Redemption } | { ok: false; error: Refusal; retry_after_s?: number };

/** The RPC methods of `DirectoryObject`. */
export interface DirectoryApi {
  /** The relay's id and public keys; made on first use. */
  identity(): Promise<RelayIdentity>;
  /** Decides whether the bearer exists, its token is current and the conversation is its own; in this order. Null is no conversation. */
  admit(token: Claims, conversationId: string | null): Promise<AdmissionAnswer>;
  /** Whether there is such a conversation. */
  knows(conversationId: string): Promise<boolean>;
  /** A fresh token for the same participant. */
  refresh(token: Claims): Promise<Result<IssuedToken>>;

  enrol(agent: { name: string; agent: string | null; version: string | null }): Promise<Enrolment>;
  agents(): Promise<ListedAgent[]>;
  /** The agent that the bearer is, or is paired with. */
  ownAgent(token: Claims): Promise<Result<ListedAgent>>;
  /** False when there is no such agent. Its devices go with it, and its conversations are forgotten. */
  revokeAgent(agentId: string): Promise<boolean>;
  /** Ends an agent's tokens and makes a new one; null when there is no such agent. */
  replaceToken(agentId: string): Promise<IssuedToken | null>;

  makePairing(token: Claims, pairing: { ttl_s: number; label: string | null }): Promise<Result<PairingOffer>>;
  pairing(token: Claims, pairingId: string): Promise<Result<PairingStatus>>;
  redeem(request: RedeemRequest): Promise<RedeemAnswer>;

  devices(token: Claims): Promise<Result<ListedDevices>>;
  revokeDevice(token: Claims, deviceId: string): Promise<Result<null>>;

  conversations(token: Claims): Promise<Result<ListedConversation[]>>;
  makeConversation(token: Claims, title: string | null): Promise<Result<ListedConversation>>;
  renameConversation(token: Claims, conversationId: string, title: string | null): Promise<Result<ListedConversation>>;
  deleteConversation(token: Claims, conversationId: string): Promise<Result<null>>;
}
