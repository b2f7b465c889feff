/** What the two sides say to each other when a socket opens (§4). */
import { z } from 'zod';
import type { Participant, Sender } from './envelope.ts';
import type { Limits } from './limits.ts';

/** Payload of `system.hello`. A bare v1 client sends no `session` and gets one of its own. */
export const hello = z.looseObject({
  name: z.string().min(1).max(256),
  agent: z.string().max(256).optional(),
  platform: z.string().max(256).optional(),
  version: z.string().max(128).optional(),
  session: z.string().min(1).max(128).optional(),
  attempt: z.number().int().min(0).optional(),
  resume: z.looseObject({ epoch: z.string().max(128), seq: z.number().int().min(0) }).optional(),
  cancel_pending: z.boolean().optional(),
  token: z.string().optional(),
});
export type Hello = z.infer<typeof hello>;

/** Someone on the other side, as the welcome tells it. */
export interface Peer extends Participant {
  name: string;
  online: boolean;
  /** ISO 8601, or null for one that never connected. */
  last_seen: string | null;
  /** The peer's cursor, so that a sender which lost its memory can still show what was delivered. */
  received: number;
}

/** Payload of `system.welcome` (§4). */
export interface Welcome {
  you: Participant;
  conversation: { id: string; title: string | null };
  epoch: string;
  head_seq: number;
  oldest_seq: number;
  resumed: boolean;
  gap: boolean;
  peers: Peer[];
  /** The agent's latest `status` payload. */
  status: unknown;
  pending_calls: string[];
  surfaces: string[];
  /** For an agent only: the current inventory of each device. */
  inventories?: { device_id: string; revision: string }[];
  /** All of them (§8). */
  limits: Limits;
  /** A fresh token when the old one is in its last third. */
  token: string | null;
}

/** Payload of `system.ack`. */
export interface Ack {
  ref: string;
  seq: number | null;
  duplicate: boolean;
}

/** Payload of `system.error`. */
export interface ErrorFrame {
  ref: string | null;
  code: string;
  message: string;
  retryable: boolean;
}

/** Payload of `system.settled`. */
export interface Settled {
  call_id: string;
  status: CallStatus;
  by: Sender;
}

/** How a call ends (§6). */
export type CallStatus = 'completed' | 'rejected' | 'cancelled' | 'expired' | 'unsupported' | 'failed';

/** `change` of `system.conversation`. */
export type ConversationChange = 'created' | 'renamed' | 'deleted';
