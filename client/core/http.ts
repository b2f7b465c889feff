/** The relay's HTTP calls (§3), typed. One object for one participant; what needs no token is static. */
import type { Delivered, Target } from '../../src/protocol/envelope.ts';
import type { AgentInfo, AuditEntry, ConversationInfo, DeviceInfo, FileInfo, HistoryPage } from '../../src/protocol/http.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { within } from './deadline.ts';
import { NetworkError, RelayError } from './errors.ts';
import { uploadWithProgress, type UploadProgress } from './upload.ts';

/** `GET /healthz` */
export interface Health {
  ok: true;
  name: string;
  /** The relay's own id, `rl_…`: the same at whatever address it is reached. */
  relay: string;
  version: string;
  protocol: number;
  /** Whether an owner key is set, so that agents can enrol. Not told by every relay. */
  configured?: boolean;
}

/** A token as the relay hands it out. */
export interface IssuedToken {
  token: string;
  /** ISO 8601, on the relay's clock; for display only. */
  expires_at: string;
}

/** What a redeemed pairing gives the new device. */
export interface Redeemed extends IssuedToken {
  device_id: string;
  agent: { id: string; name: string };
  conversation_id: string;
}

/** What enrolment gives the new agent. */
export interface Enrolled extends IssuedToken {
  agent_id: string;
  conversation_id: string;
}

/** A pairing that was just made. */
export interface Pairing {
  pairing_id: string;
  code: string;
  /** `<relay origin>/#pair=<code>` */
  url: string;
  expires_at: string;
}

/** What became of a pairing. */
export interface PairingStatus {
  state: 'pending' | 'redeemed' | 'expired';
  device?: DeviceInfo;
}

/** An envelope for `POST …/messages`. */
export interface PostedEnvelope {
  id: string;
  type: string;
  payload: JsonObject;
  target?: Target;
}

/** Which page of history: `before` alone gives the nearest older, neither the newest. */
export interface HistoryQuery {
  after?: number;
  before?: number;
  /** 1 to 100; default 50. */
  limit?: number;
}

/** Where and as whom to call. */
export interface RelayHttpOptions {
  /** The relay's origin, such as `https://relay.example`. */
  origin: string;
  /** The participant's token, asked for at each call. */
  token: () => string | Promise<string>;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
}

/** How long a JSON call may take, in ms. Files are not limited: their size is not known here. */
const CALL_DEADLINE_MS = 30_000;

/**
 * The HTTP side of the relay for one participant.
 *
 * Every call throws {@link RelayError} when the relay refuses, and {@link NetworkError} when no answer came. Nothing is tried again here.
 */
export class RelayHttp {
  readonly #origin: string;
  readonly #token: () => string | Promise<string>;
  readonly #fetch: typeof fetch;

  constructor(options: RelayHttpOptions) {
    this.#origin = options.origin;
    this.#token = options.token;
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** Redeems a pairing code: `pairing_not_found` for an unknown, used or expired one, `too_many`, or `rate_limited` with retryAfter. */
  static redeem(origin: string, code: string, device: { name: string; platform: string }, call: typeof fetch = globalThis.fetch): Promise<Redeemed> {
    return json(call, new URL('/v1/pairings/redeem', origin), { method: 'POST', body: { code, device } });
  }

  /** Enrols an agent with the owner key: `unauthorized`, or `not_configured` when the relay has no owner key yet. */
  static enrol(
    origin: string,
    ownerKey: string,
    agent: { name: string; agent?: string; version?: string },
    call: typeof fetch = globalThis.fetch,
  ): Promise<Enrolled> {
    return json(call, new URL('/v1/agents', origin), { method: 'POST', body: agent, token: ownerKey });
  }

  /** What the relay says of itself. Needs no token. */
  static health(origin: string, call: typeof fetch = globalThis.fetch): Promise<Health> {
    return json(call, new URL('/healthz', origin), {});
  }

  /** What the relay says of itself. */
  health(): Promise<Health> {
    return RelayHttp.health(this.#origin, this.#fetch);
  }

  /** A fresh token for the same participant. It is not stored here. */
  refreshToken(): Promise<IssuedToken> {
    return this.#call('/v1/token', { method: 'POST' });
  }

  /** The agent's conversations; a device sees those of the agent that it is paired with. */
  async conversations(): Promise<ConversationInfo[]> {
    return (await this.#call<{ conversations: ConversationInfo[] }>('/v1/conversations')).conversations;
  }

  createConversation(title?: string): Promise<ConversationInfo> {
    return this.#call('/v1/conversations', { method: 'POST', body: title === undefined ? {} : { title } });
  }

  renameConversation(conversationId: string, title: string | null): Promise<ConversationInfo> {
    return this.#call(`/v1/conversations/${encodeURIComponent(conversationId)}`, { method: 'PATCH', body: { title } });
  }

  /** Deletes a conversation and everything in it, for everyone. */
  deleteConversation(conversationId: string): Promise<void> {
    return this.#call(`/v1/conversations/${encodeURIComponent(conversationId)}`, { method: 'DELETE' });
  }

  /** The agent that this participant is, or is paired with, as the relay sees it. */
  ownAgent(): Promise<AgentInfo> {
    return this.#call('/v1/agents/self');
  }

  /** For an agent all of its devices; for a device itself. */
  async devices(): Promise<DeviceInfo[]> {
    return (await this.#call<{ devices: DeviceInfo[] }>('/v1/devices')).devices;
  }

  /** Revokes a device: one of the agent's own, or oneself. */
  unpair(deviceId: string): Promise<void> {
    return this.#call(`/v1/devices/${encodeURIComponent(deviceId)}`, { method: 'DELETE' });
  }

  /** Makes a pairing code (agents only). `ttl_s` is in seconds, 30 to 3600, default 600. */
  createPairing(pairing: { ttl_s?: number; label?: string } = {}): Promise<Pairing> {
    return this.#call('/v1/pairings', { method: 'POST', body: pairing });
  }

  /** What became of a pairing (agents only). */
  pairing(pairingId: string): Promise<PairingStatus> {
    return this.#call(`/v1/pairings/${encodeURIComponent(pairingId)}`);
  }

  /** One page of history, ascending by seq. */
  history(conversationId: string, query: HistoryQuery = {}): Promise<HistoryPage<Delivered>> {
    return this.#call(`${conversationPath(conversationId)}/messages`, { query });
  }

  /** Sends one envelope without a socket. `seq` is null for kept and ephemeral types. */
  postMessage(conversationId: string, envelope: PostedEnvelope): Promise<{ id: string; seq: number | null; duplicate: boolean }> {
    return this.#call(`${conversationPath(conversationId)}/messages`, { method: 'POST', body: { v: 1, ...envelope } });
  }

  /** The newest calls and how they ended (agents only). */
  async audit(conversationId: string, limit?: number): Promise<AuditEntry[]> {
    const query = limit === undefined ? {} : { limit };
    return (await this.#call<{ entries: AuditEntry[] }>(`${conversationPath(conversationId)}/audit`, { query })).entries;
  }

  /**
   * Stores a file for the conversation.
   * @param onProgress gets bytes sent so far, where the platform tells them (browsers do, Node does not)
   */
  async upload(conversationId: string, content: Blob | Uint8Array<ArrayBuffer>, contentType: string, onProgress?: UploadProgress): Promise<FileInfo> {
    const url = new URL(`${conversationPath(conversationId)}/files`, this.#origin);
    const headers = { authorization: `Bearer ${await this.#token()}`, 'content-type': contentType };
    if (onProgress && typeof XMLHttpRequest !== 'undefined') return uploadWithProgress(url, headers, content, onProgress);
    return answer<FileInfo>(await reach(this.#fetch, url, { method: 'POST', headers, body: content }));
  }

  /** A file of the conversation. */
  async download(conversationId: string, fileId: string): Promise<Blob> {
    const url = new URL(`${conversationPath(conversationId)}/files/${encodeURIComponent(fileId)}`, this.#origin);
    const response = await reach(this.#fetch, url, { headers: { authorization: `Bearer ${await this.#token()}` } });
    if (!response.ok) throw await refusalOf(response);
    return body(response.blob());
  }

  async #call<T>(path: string, request: Omit<JsonRequest, 'token'> = {}): Promise<T> {
    return json<T>(this.#fetch, new URL(path, this.#origin), { ...request, token: await this.#token() });
  }
}

interface JsonRequest {
  method?: string;
  token?: string;
  query?: object;
  body?: object;
}

function conversationPath(conversationId: string): string {
  return `/v1/conversations/${encodeURIComponent(conversationId)}`;
}

async function json<T>(call: typeof fetch, url: URL, request: JsonRequest): Promise<T> {
  for (const [name, value] of Object.entries(request.query ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
  const headers = new Headers();
  if (request.token !== undefined) headers.set('authorization', `Bearer ${request.token}`);
  if (request.body) headers.set('content-type', 'application/json');
  const init: RequestInit = { method: request.method ?? 'GET', headers, ...(request.body && { body: JSON.stringify(request.body) }) };
  return within(CALL_DEADLINE_MS, async (signal) => answer<T>(await reach(call, url, { ...init, signal })));
}

async function reach(call: typeof fetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await call(url, init);
  } catch (error) {
    throw new NetworkError(error);
  }
}

async function answer<T>(response: Response): Promise<T> {
  if (!response.ok) throw await refusalOf(response);
  // A 204 has no body, and the calls that get one promise nothing.
  if (response.status === 204) return undefined as T;
  return (await body(response.json())) as T;
}

/** A connection can break, or a stranger answer, after the headers. */
async function body<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new NetworkError(error);
  }
}

async function refusalOf(response: Response): Promise<RelayError> {
  return RelayError.from(response.status, await body(response.text()), response.headers.get('retry-after'));
}
