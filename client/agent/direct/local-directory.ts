/** The directory of direct mode: the relay's own, on a file. */
import type { Limits } from '../../../src/protocol/limits.ts';
import type { DirectoryApi } from '../../../src/worker/directory-api.ts';
import { admit, knows, refresh } from '../../../src/worker/directory/admitting.ts';
import { conversations, deleteConversation, makeConversation, renameConversation } from '../../../src/worker/directory/conversing.ts';
import { agents, enrol, ownAgent, replaceToken, revokeAgent } from '../../../src/worker/directory/enrolling.ts';
import { devices, makePairing, pairing, redeem, revokeDevice } from '../../../src/worker/directory/pairing.ts';
import { Registry } from '../../../src/worker/directory/registry.ts';
import type { Courier } from '../../../src/worker/directory/tidings-outbox.ts';
import { migrate } from '../../../src/worker/migrate.ts';
import { Alarm } from './alarm.ts';
import { readMigrations } from './package-folder.ts';
import type { SqliteFile } from './sqlite.ts';

/** Opens the registry of a directory, and sees to what conversations have not heard yet. */
export function openRegistry(
  sql: SqliteFile,
  { limits, courier, report }: { limits: () => Limits; courier: Courier; report(error: unknown): void },
): Registry {
  const clock = { now: () => Date.now() };
  migrate(sql, clock, readMigrations('directory'));
  const alarm = new Alarm(() => void registry.deliverDue().catch(report));
  const registry = new Registry({ sql, clock, limits, courier, wakeAt: (at) => alarm.set(at) });
  registry.wakeForPending();
  return registry;
}

/** What the relay's routes ask of a directory. */
export function directoryOver(registry: Registry): DirectoryApi {
  return {
    async identity() {
      const { relayId, publicJwk } = await registry.key();
      return { relay_id: relayId, keys: [publicJwk] };
    },
    admit: (token, conversationId) => admit(registry, token, conversationId),
    knows: (conversationId) => knows(registry, conversationId),
    refresh: (token) => refresh(registry, token),
    enrol: (agent) => enrol(registry, agent),
    agents: async () => agents(registry),
    ownAgent: async (token) => ownAgent(registry, token),
    revokeAgent: (agentId) => revokeAgent(registry, agentId),
    replaceToken: (agentId) => replaceToken(registry, agentId),
    makePairing: async (token, given) => makePairing(registry, token, given),
    pairing: async (token, pairingId) => pairing(registry, token, pairingId),
    redeem: (request) => redeem(registry, request),
    devices: async (token) => devices(registry, token),
    revokeDevice: (token, deviceId) => revokeDevice(registry, token, deviceId),
    conversations: async (token) => conversations(registry, token),
    makeConversation: (token, title) => makeConversation(registry, token, title),
    renameConversation: (token, conversationId, title) => renameConversation(registry, token, conversationId, title),
    deleteConversation: (token, conversationId) => deleteConversation(registry, token, conversationId),
  };
}
