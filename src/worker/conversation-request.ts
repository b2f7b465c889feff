/** Requests that the Worker itself makes of a conversation's object: upgrades and files. */
import { ADMISSION_HEADER, CONVERSATION_HEADER, type Admission } from './conversation-api.ts';

/**
 * A request to a conversation's object, with nothing of the client's but the headers that are named.
 *
 * What the client itself wrote into the internal headers, and its token, never get through.
 * @param admission null for a socket whose token is still to come in its hello
 */
export function conversationRequest(
  conversationId: string,
  admission: Admission | null,
  path: string,
  init: { method: string; from: Request; keep: readonly string[]; body?: Uint8Array },
): Request {
  const headers = new Headers();
  for (const name of init.keep) {
    const value = init.from.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  headers.set(CONVERSATION_HEADER, conversationId);
  if (admission) headers.set(ADMISSION_HEADER, encodeURIComponent(JSON.stringify(admission)));
  return new Request(`https://conversation${path}`, { method: init.method, headers, body: init.body ?? null });
}
