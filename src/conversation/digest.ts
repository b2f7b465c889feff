/** Content, compared and remembered (§4: "same id again", §6, §7). */
import { createHash } from 'node:crypto';
import type { Envelope, Target } from '../protocol/envelope.ts';
import { canonicalJson, type Json, type JsonObject } from '../protocol/json.ts';

/** What makes two messages the same: type, target and payload, key order aside (§5). */
export function canonicalContent(content: { type: string; target?: Target | undefined; payload: JsonObject }): string {
  return canonicalJson([content.type, (content.target ?? null) as Json, content.payload]);
}

/** SHA-256 (base64url) of a message's canonical content, for when the message itself is no longer kept. */
export function contentDigest(content: Pick<Envelope, 'type' | 'target' | 'payload'>): string {
  return textDigest(canonicalContent(content));
}

/** SHA-256 (base64url) of a text. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
