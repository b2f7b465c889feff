/** What participants do with conversations as a whole: make, name and delete them (§3). */
import { refusal, refuse, type Result } from '../../protocol/errors.ts';
import { makeId } from '../../protocol/ids.ts';
import type { Claims } from '../auth/claims.ts';
import { listedConversation, type ConversationRecord, type ListedConversation } from './conversations.ts';
import { knownDevice } from './devices.ts';
import type { Registry, Tell } from './registry.ts';

const NOT_FOUND = { ok: false, error: refusal('not_found', 'conversation: not found') } as const;

/** The conversations of the bearer's agent, oldest first. */
export function conversations(registry: Registry, token: Claims): Result<ListedConversation[]> {
  const who = registry.known(token);
  return who.ok ? { ok: true, value: registry.conversations.listOf(who.value.agentId).map(listedConversation) } : who;
}

/** Adds a conversation of an agent within a change; the agent must exist. */
export function addConversation(registry: Registry, tell: Tell, agentId: string, title: string | null): ConversationRecord {
  const conversation = { conversation_id: makeId('cv'), agent_id: agentId, title, created_at: registry.clock.now() };
  const listed = listedConversation(conversation);
  registry.tellAll(tell, agentId, { kind: 'conversation', conversation: listed, change: 'created' });
  registry.conversations.add(conversation);
  tell(conversation.conversation_id, {
    kind: 'create',
    conversation: {
      ...listed,
      agent: { id: agentId, name: registry.agents.find(agentId)?.name ?? '' },
      devices: registry.devices.listOf(agentId).map(knownDevice),
    },
  });
  return conversation;
}

/** Makes a conversation of the bearer's agent. */
export async function makeConversation(registry: Registry, token: Claims, title: string | null): Promise<Result<ListedConversation>> {
  return await registry.change((tell): Result<ListedConversation> => {
    const who = registry.known(token);
    if (!who.ok) return who;
    const { agentId } = who.value;
    const limit = registry.limits().conversations_per_agent;
    if (registry.conversations.listOf(agentId).length >= limit) return refuse('too_many', `conversation: this agent already has ${limit}`);
    return { ok: true, value: listedConversation(addConversation(registry, tell, agentId, title)) };
  });
}

/** Renames a conversation of the bearer's agent. */
export async function renameConversation(registry: Registry, token: Claims, id: string, title: string | null): Promise<Result<ListedConversation>> {
  return await registry.change((tell): Result<ListedConversation> => {
    const found = findOwn(registry, token, id);
    if (!found.ok) return found;
    registry.conversations.rename(id, title);
    const conversation = listedConversation({ ...found.value, title });
    registry.tellAll(tell, found.value.agent_id, { kind: 'conversation', conversation, change: 'renamed' });
    return { ok: true, value: conversation };
  });
}

/** Deletes a conversation of the bearer's agent: its sockets close with 4404 and everything about it is forgotten. */
export async function deleteConversation(registry: Registry, token: Claims, id: string): Promise<Result<null>> {
  return await registry.change((tell): Result<null> => {
    const found = findOwn(registry, token, id);
    if (!found.ok) return found;
    registry.conversations.remove(id);
    registry.tellLast(tell, id, { kind: 'deleted' });
    const conversation = listedConversation(found.value);
    registry.tellAll(tell, found.value.agent_id, { kind: 'conversation', conversation, change: 'deleted' });
    return { ok: true, value: null };
  });
}

function findOwn(registry: Registry, token: Claims, id: string): Result<ConversationRecord> {
  const who = registry.known(token);
  if (!who.ok) return who;
  const conversation = registry.conversations.find(id);
  return conversation?.agent_id === who.value.agentId ? { ok: true, value: conversation } : NOT_FOUND;
}
