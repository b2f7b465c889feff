/** What the Worker and the directory may ask of a conversation's Durable Object. The object trusts its callers: nothing else can reach it. */
import type { Participant } from '../protocol/envelope';
import type { Refusal, Result } from '../protocol/errors';
import type { AuditEntry, ConversationInfo, DeviceInfo, ImportAnswer } from '../protocol/http';
import type { ConversationChange } from '../protocol/handshake';

/** A participant that the directory let in, on its way to a conversation. */
export interface Admission {
  participant: Participant;
  /** How the participant is called: the device's name, or the agent's. */
  name: string;
  /** For the welcome: set when the token is in the last third of its life (§3). */
  fresh_token: string | null;
  /** When the directory decided this, on its clock, in ms. */
  at: number;
}

/** Header of an upgrade or file request to a conversation: an {@link Admission} as JSON, percent-encoded. Set by the Worker alone. */
export const ADMISSION_HEADER = 'lineup-admission';
/** Header beside it: the conversation's id. */
export const CONVERSATION_HEADER = 'lineup-conversation';
/** Header of an upgrade's answer: the connection's id, for {@link ConversationApi.saidHello}. */
export const CONNECTION_HEADER = 'lineup-connection';

/** A device as a conversation knows it. */
export type KnownDevice = Pick<DeviceInfo, 'device_id' | 'name' | 'platform' | 'paired_at'>;

/** Everything a new conversation starts with. */
export interface NewConversation {
  conversation_id: string;
  title: string | null;
  created_at: string;
  agent: { id: string; name: string };
  devices: KnownDevice[];
}

/**
 * What the directory tells every conversation of an agent; told again until each has heard, so hearing twice changes nothing.
 *
 * What cuts somebody off says since when (`at`, the directory's clock, in ms): an admission that was decided before it may arrive after it.
 */
export type Tidings =
  | { kind: 'paired'; device: KnownDevice }
  /** Closes the device's sockets with 4403 and forgets its inventory; the others get `system.revoked`. */
  | { kind: 'revoked'; device: KnownDevice; at: number }
  /** Closes every socket with 4403 and deletes all storage: nobody can come back for it. */
  | { kind: 'agent-revoked' }
  /** The agent's older tokens stopped working: closes its sockets with 4401. */
  | { kind: 'agent-token-replaced'; at: number }
  | { kind: 'conversation'; conversation: Pick<ConversationInfo, 'conversation_id' | 'title' | 'created_at'>; change: ConversationChange }
  /** This conversation is gone: closes every socket with 4404 and deletes all storage. */
  | { kind: 'deleted' };

/** What lists need to know of a conversation. */
export interface ConversationSummary {
  head_seq: number;
  last_message_at: string | null;
  /** Ids of the participants that are online here. */
  online: string[];
  /** Id → ISO 8601. */
  last_seen: Record<string, string>;
}

/** Answer of {@link ConversationApi.post}. */
export type PostAnswer = { ok: true; id: string; seq: number | null; duplicate: boolean } | { ok: false; error: Refusal };

/** The RPC methods of `ConversationObject`. Upgrades and files go through its `fetch`. */
export interface ConversationApi {
  /** Makes the conversation's storage. Doing it again changes nothing. */
  create(conversation: NewConversation): Promise<void>;
  /** Processes one envelope as a frame would be (§3 `POST …/messages`); `body` is the raw text. */
  post(from: Participant, body: string): Promise<PostAnswer>;
  /** A page of history as JSON text (§3); ids and limits are checked by the caller. */
  history(participant: Participant, page: { after?: number; before?: number; limit: number }): Promise<string>;
  /** Newest first (§6, 9). */
  audit(limit: number): Promise<AuditEntry[]>;
  /** Takes in a history of another relay; `body` is the raw text. */
  importHistory(body: string): Promise<Result<ImportAnswer>>;
  summary(): Promise<ConversationSummary>;
  tell(tidings: Tidings): Promise<void>;
  /** Resolves once a connection has said hello (true) or has gone without one (false): after 10 s at most. */
  saidHello(connectionId: string): Promise<boolean>;
}
