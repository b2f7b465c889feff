/** Agents: what the owner does with them, and what one hears of itself (§3). */
import { refuse, type Result } from '../../protocol/errors.ts';
import { makeId } from '../../protocol/ids.ts';
import type { Claims } from '../auth/claims.ts';
import type { IssuedToken } from '../auth/token.ts';
import type { Enrolment, ListedAgent } from '../directory-api.ts';
import type { AgentRecord } from './agents.ts';
import { addConversation } from './conversing.ts';
import type { Registry } from './registry.ts';

/** Enrols an agent and makes its first conversation. */
export async function enrol(registry: Registry, given: { name: string; agent: string | null; version: string | null }): Promise<Enrolment> {
  // The key comes first: without one there would be an agent that nobody has a token for.
  await registry.key();
  const agentId = makeId('ag');
  const conversation = await registry.change((tell) => {
    registry.agents.add({ agent_id: agentId, ...given, enrolled_at: registry.clock.now() });
    return addConversation(registry, tell, agentId, null);
  });
  const token = await registry.issue({ role: 'agent', sub: agentId, gen: 0 });
  return { agent_id: agentId, conversation_id: conversation.conversation_id, ...token };
}

/** All agents, with the conversations that know when each was last seen. */
export function agents(registry: Registry): ListedAgent[] {
  return registry.agents.list().map((agent) => listed(registry, agent));
}

/** The agent that the bearer is, or is paired with. */
export function ownAgent(registry: Registry, token: Claims): Result<ListedAgent> {
  const who = registry.known(token);
  if (!who.ok) return who;
  const agent = registry.agents.find(who.value.agentId);
  return agent ? { ok: true, value: listed(registry, agent) } : refuse('not_found', 'agent: not found');
}

function listed(registry: Registry, { agent_id, name, agent, version, enrolled_at }: AgentRecord): ListedAgent {
  return {
    agent: { agent_id, name, agent, version, enrolled_at: new Date(enrolled_at).toISOString() },
    conversation_ids: registry.conversations.listOf(agent_id).map((conversation) => conversation.conversation_id),
  };
}

/**
 * Revokes an agent: every socket of its conversations is closed with 4403, its devices go with it, and what nobody can reach
 * any more is forgotten. False when there is no such agent.
 */
export async function revokeAgent(registry: Registry, agentId: string): Promise<boolean> {
  return await registry.change((tell) => {
    if (!registry.agents.find(agentId)) return false;
    for (const { conversation_id } of registry.conversations.listOf(agentId)) {
      registry.tellLast(tell, conversation_id, { kind: 'agent-revoked' });
      registry.conversations.remove(conversation_id);
    }
    registry.pairings.removeOf(agentId);
    registry.devices.removeOf(agentId);
    registry.agents.remove(agentId);
    return true;
  });
}

/** Ends an agent's tokens, cuts its sockets with 4401 and makes a new token. Null when there is no such agent. */
export async function replaceToken(registry: Registry, agentId: string): Promise<IssuedToken | null> {
  await registry.key();
  const generation = await registry.change((tell) => {
    if (!registry.agents.find(agentId)) return undefined;
    registry.agents.raiseGeneration(agentId);
    registry.tellAll(tell, agentId, { kind: 'agent-token-replaced', at: registry.clock.now() });
    return registry.agents.find(agentId)?.generation;
  });
  return generation === undefined ? null : await registry.issue({ role: 'agent', sub: agentId, gen: generation });
}
