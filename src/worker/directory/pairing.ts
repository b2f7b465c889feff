/** How a device comes to an agent, and how it goes (§3). */
import { refusal, refuse, type Result } from '../../protocol/errors.ts';
import { makeId } from '../../protocol/ids.ts';
import type { Claims } from '../auth/claims.ts';
import type { ListedDevices, PairingOffer, PairingStatus, RedeemAnswer, RedeemRequest } from '../directory-api.ts';
import { addConversation } from './conversing.ts';
import { knownDevice } from './devices.ts';
import { normaliseCode } from './pairing-code.ts';
import type { Known, Registry } from './registry.ts';

/** Codes of one agent that may be redeemable at a time, so that a runaway agent cannot fill the directory. */
const MAX_PENDING_PAIRINGS = 1_000;

/** The one answer to unknown, used and expired codes. */
const PAIRING_NOT_FOUND = { ok: false, error: refusal('pairing_not_found', 'code: unknown, used or expired') } as const;

/** Makes a pairing for the bearer, which must be an agent. */
export function makePairing(registry: Registry, token: Claims, given: { ttl_s: number; label: string | null }): Result<PairingOffer> {
  const who = knownAgent(registry, token);
  if (!who.ok) return who;
  const { agentId } = who.value;
  if (registry.pairings.pendingOf(agentId) >= MAX_PENDING_PAIRINGS) {
    return refuse('too_many', `pairing: this agent already has ${MAX_PENDING_PAIRINGS} that nobody has redeemed`);
  }
  const { pairing_id, code, expires_at } = registry.pairings.make(agentId, given.ttl_s * 1000, given.label);
  return { ok: true, value: { pairing_id, code, expires_at: new Date(expires_at).toISOString() } };
}

/** How a pairing of the bearer stands; somebody else's is not found. */
export function pairing(registry: Registry, token: Claims, pairingId: string): Result<PairingStatus> {
  const who = knownAgent(registry, token);
  if (!who.ok) return who;
  const found = registry.pairings.find(pairingId);
  if (found?.agent_id !== who.value.agentId) return refuse('not_found', 'pairing: not found');
  const device = found.device_id === null ? undefined : registry.devices.find(found.device_id);
  return {
    ok: true,
    value: {
      state: registry.pairings.stateOf(found),
      ...(found.label !== null && { label: found.label }),
      ...(device && { device: knownDevice(device) }),
    },
  };
}

/**
 * Redeems a code: the device it makes is in every conversation's ears before this resolves, or will be.
 *
 * Nothing is awaited between the look and the change, so of redemptions that arrive together one wins.
 */
export async function redeem(registry: Registry, { code, device, address }: RedeemRequest): Promise<RedeemAnswer> {
  // The key comes first: without one the code would be used up for nothing.
  await registry.key();
  const waitMs = registry.limiter.waitMs(address);
  if (waitMs > 0) {
    const retry_after_s = Math.ceil(waitMs / 1000);
    return { ok: false, error: refusal('rate_limited', `code: too many failed tries, try again in ${retry_after_s} s`), retry_after_s };
  }
  const found = registry.pairings.redeemable(normaliseCode(code));
  const agent = found && registry.agents.find(found.agent_id);
  if (!agent) {
    registry.limiter.fail(address);
    return PAIRING_NOT_FOUND;
  }
  const { agent_id } = agent;
  const limit = registry.limits().devices_per_agent;
  if (registry.devices.countOf(agent_id) >= limit) return refuse('too_many', `device: this agent already has ${limit}`);
  const record = { device_id: makeId('dv'), agent_id, name: device.name, platform: device.platform, paired_at: registry.clock.now() };
  const conversation = await registry.change((tell) => {
    registry.devices.add(record);
    registry.pairings.redeem(found.pairing_id, record.device_id);
    registry.tellAll(tell, agent_id, { kind: 'paired', device: knownDevice(record) });
    return registry.conversations.listOf(agent_id)[0] ?? addConversation(registry, tell, agent_id, null);
  });
  const token = await registry.issue({ role: 'app', sub: record.device_id, aid: agent_id });
  const value = { device_id: record.device_id, agent: { id: agent_id, name: agent.name }, conversation_id: conversation.conversation_id, ...token };
  return { ok: true, value };
}

/** The devices that the bearer may know of: an agent all of its own, a device itself. */
export function devices(registry: Registry, token: Claims): Result<ListedDevices> {
  const who = registry.known(token);
  if (!who.ok) return who;
  const { agentId, participant } = who.value;
  const all = registry.devices.listOf(agentId);
  const seen = participant.kind === 'agent' ? all : all.filter((device) => device.device_id === participant.id);
  const conversation_ids = registry.conversations.listOf(agentId).map((conversation) => conversation.conversation_id);
  return { ok: true, value: { devices: seen.map(knownDevice), conversation_ids } };
}

/** Revokes a device: an agent any of its own, a device itself. Its sockets close with 4403 in every conversation. */
export async function revokeDevice(registry: Registry, token: Claims, deviceId: string): Promise<Result<null>> {
  return await registry.change((tell): Result<null> => {
    const who = registry.known(token);
    if (!who.ok) return who;
    const { agentId, participant } = who.value;
    const device = registry.devices.find(deviceId);
    if (device?.agent_id !== agentId || (participant.kind === 'app' && participant.id !== deviceId)) return refuse('not_found', 'device: not found');
    registry.devices.remove(deviceId);
    registry.tellAll(tell, agentId, { kind: 'revoked', device: knownDevice(device), at: registry.clock.now() });
    return { ok: true, value: null };
  });
}

function knownAgent(registry: Registry, token: Claims): Result<Known> {
  const who = registry.known(token);
  if (who.ok && who.value.participant.kind !== 'agent') return refuse('forbidden', 'pairing: only an agent makes and sees pairings');
  return who;
}
