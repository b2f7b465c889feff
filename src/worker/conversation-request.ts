/** Requests that the Worker itself makes of a conversation's object: upgrades and files. */
import { ADMISSION_HEADER, CONVERSATION_HEADER, type Admission } from './conversation-api.ts';

/**
 * A request to a conversation's object, made from nothing: neither the client's token nor what it may have written into the
 * internal headers gets through.
 * @param admission null for a socket whose token is still to come in its hello
 */
export function conversationRequest(
  conversationId: string,
  admission: Admission | null,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer>; signal?: AbortSignal } = {},
): Request {
  const headers = new Headers(init.headers);
  headers.set(CONVERSATION_HEADER, conversationId);
  if (admission) headers.set(ADMISSION_HEADER, encodeURIComponent(JSON.stringify(admission)));
  return new Request(`https://conversation${path}`, { ...init, headers });
}
