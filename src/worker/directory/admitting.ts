/** Who may enter, and with which token they come back. */
import type { Result } from '../../protocol/errors.ts';
import { isDueForRefresh, type Claims } from '../auth/claims.ts';
import type { IssuedToken } from '../auth/token.ts';
import type { AdmissionAnswer } from '../directory-api.ts';
import type { Registry } from './registry.ts';

/** Decides whether the bearer of a token may enter a conversation (§3, §4). A foreign conversation is like none. */
export async function admit(registry: Registry, token: Claims, conversationId: string | null): Promise<AdmissionAnswer> {
  const at = registry.clock.now();
  const who = registry.identify(token);
  if (!who.ok) return who;
  const { participant, name, agentId, subject } = who.value;
  if (conversationId === null || registry.conversations.find(conversationId)?.agent_id !== agentId) return { ok: false, denial: 'not_found' };
  await registry.ensureBorn(conversationId);
  const fresh = isDueForRefresh(token, at) ? await registry.issue(subject) : null;
  return { ok: true, admission: { participant, name, fresh_token: fresh?.token ?? null, at } };
}

/** Whether there is such a conversation. */
export async function knows(registry: Registry, conversationId: string): Promise<boolean> {
  if (!registry.conversations.find(conversationId)) return false;
  await registry.ensureBorn(conversationId);
  return true;
}

/** A fresh token for the same participant (§3, `POST /v1/token`). */
export async function refresh(registry: Registry, token: Claims): Promise<Result<IssuedToken>> {
  const who = registry.known(token);
  return who.ok ? { ok: true, value: await registry.issue(who.value.subject) } : who;
}
