/** Bodies and answers of the HTTP calls of §3. */
import { z } from 'zod';
import { hasIdShape } from './ids.ts';
import { MAX_PAGE_MESSAGES } from './limits.ts';
import { appStatus } from './messages.ts';

const name = z.string().trim().min(1).max(128);

/** `POST /v1/agents` */
export const enrolBody = z.looseObject({ name, agent: z.string().max(128).optional(), version: z.string().max(64).optional() });
/** `POST /v1/pairings` */
export const pairingBody = z.looseObject({ ttl_s: z.number().int().min(30).max(3600).default(600), label: z.string().max(128).optional() });
/** `POST /v1/pairings/redeem` */
export const redeemBody = z.looseObject({ code: z.string().max(64), device: z.looseObject({ name, platform: z.string().min(1).max(64) }) });
/** `POST /v1/conversations` */
export const conversationBody = z.looseObject({ title: z.string().trim().max(256).nullable().optional() });
/** `PATCH /v1/conversations/:id` */
export const renameBody = z.looseObject({ title: z.string().trim().max(256).nullable() });

const sender = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('agent') }),
  z.looseObject({ kind: z.literal('app'), id: z.string().refine((id) => hasIdShape('dv', id), 'expected an id such as dv_…') }),
  z.looseObject({ kind: z.literal('relay') }),
]);
const time = z.iso.datetime({ offset: true, error: 'expected an ISO 8601 time such as 2026-01-01T00:00:00Z' });
/** What an imported message has beside its envelope, which is checked as any other's. */
const importedMessage = z.looseObject({
  sender,
  ts: time,
  settled: z.looseObject({ status: appStatus, by: sender, at: time }).optional(),
});
/** `POST /v1/conversations/:id/import`: messages as `GET …/messages` gives them; `after` is the newest seq that the owner knows of. */
export const importBody = z.looseObject({
  messages: z.array(importedMessage).min(1).max(MAX_PAGE_MESSAGES),
  after: z.number().int().min(0).optional(),
});
export type ImportedMessage = z.infer<typeof importedMessage>;

/** What an import takes: what is history. Surfaces are not, since what is open at one relay cannot be used at another. */
export const HISTORY_TYPES: ReadonlySet<string> = new Set([
  'text',
  'text.edit',
  'image',
  'file',
  'error',
  'run.cancel',
  'tool.call',
  'tool.result',
  'tool.cancel',
  'lineup.v1.app.call',
  'lineup.v1.app.result',
  'lineup.v1.app.cancel',
]);

/** What became of an import, and of the log that it went into. */
export interface ImportAnswer {
  /** Messages that are new here. */
  imported: number;
  /** Messages that were here already, by sender and id. */
  known: number;
  /** Messages about one that is not here, such as an edit of a text; and the end of a call that waits here, or has another end. */
  left_out: number;
  head_seq: number;
  /** Above 1 when retention has taken some of what was imported. */
  oldest_seq: number;
}

/** An enrolled agent as the owner sees it. */
export interface AgentInfo {
  agent_id: string;
  name: string;
  agent: string | null;
  version: string | null;
  enrolled_at: string;
  last_seen: string | null;
  online: boolean;
}

/** A paired device as lists show it. */
export interface DeviceInfo {
  device_id: string;
  name: string;
  platform: string;
  paired_at: string;
  last_seen: string | null;
  online: boolean;
}

/** A conversation as lists show it. */
export interface ConversationInfo {
  conversation_id: string;
  title: string | null;
  created_at: string;
  last_message_at: string | null;
  head_seq: number;
}

/** One call in `GET …/audit` (§6, 9). Neither arguments nor results are in it. */
export interface AuditEntry {
  call_id: string;
  kind: 'tool' | 'app';
  name?: string;
  action?: string;
  capability?: string;
  reason?: string;
  asked_by: { kind: string; id?: string };
  asked_at: string;
  settled_at: string | null;
  status: string;
  settled_by: { kind: string; id?: string } | null;
}

/** What an upload answers. `sha256` is hex. */
export interface FileInfo {
  file_id: string;
  url: string;
  size: number;
  sha256: string;
}

/** A page of `GET …/messages`. */
export interface HistoryPage<T> {
  messages: T[];
  head_seq: number;
  oldest_seq: number;
  has_more: boolean;
}
