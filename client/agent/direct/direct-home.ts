/** What direct mode keeps between two starts beside its relay: its secrets, and the agent of this machine. */
import { join } from 'node:path';
import { randomToken } from '../../../src/protocol/ids.ts';
import { readToken } from '../../../src/worker/auth/admit.ts';
import { enrol } from '../../../src/worker/directory/enrolling.ts';
import { writeFileAtomically } from '../../core/atomic-file.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { makePrivateFolder, readIfThere } from '../private-file.ts';
import { knownSetup, writeSetup, type Setup } from '../setup.ts';
import type { DirectRelay } from './direct-relay.ts';

/** 160 bits: nobody guesses it, so nobody has to be slowed down. */
const SECRET_LENGTH = 32;

/** The secrets of a folder. */
export interface Secrets {
  /** What apps of the network show (the pre-shared token). */
  token: string;
  /** What enrols further agents (§3). */
  ownerKey: string;
}

/**
 * Makes sure that no agent of another relay lives in the folder: its token would be lost.
 * @param relay null: this folder has never been a relay's
 * @throws CommandError when one does
 */
export async function checkTenant(folder: string, relay: DirectRelay | null): Promise<void> {
  const known = await knownSetup(folder);
  if (!known || relay?.registry.agents.find(known.agentId)) return;
  // One that was revoked here is known by its token alone.
  if (relay && (await readToken(relay.env, known.token)).ok) return;
  throw new CommandError(EXIT.usage, `"${known.name}" is set up here already, at ${known.relay}: use another --profile, or "lineup logout" first`);
}

/** Reads the secrets, or makes them on the first start. */
export async function readSecrets(folder: string): Promise<Secrets> {
  await makePrivateFolder(folder);
  return { token: await secret(join(folder, 'token')), ownerKey: await secret(join(folder, 'owner-key')) };
}

async function secret(path: string): Promise<string> {
  const kept = (await readIfThere(path))?.trim() ?? '';
  if (kept !== '') return kept;
  const made = randomToken(SECRET_LENGTH);
  await writeFileAtomically(path, `${made}\n`);
  return made;
}

/**
 * The agent of this machine, as the other commands read it (`lineup --profile direct …`). Enrolled on the first start, and when it was
 * revoked; at each start it gets a token that is fresh.
 * @param relayOrigin where programs of this machine reach the relay
 */
export async function ownAgent(
  relay: DirectRelay,
  { folder, name, relayOrigin }: { folder: string; name: string; relayOrigin: string },
): Promise<Setup> {
  const known = await knownSetup(folder);
  const agent = known && relay.registry.agents.find(known.agentId);
  const conversation = agent && relay.registry.conversations.listOf(agent.agent_id)[0];
  if (known && agent && conversation) {
    const { token } = await relay.registry.issue({ role: 'agent', sub: agent.agent_id, gen: agent.generation });
    const setup = { ...known, relay: relayOrigin, conversationId: known.conversationId ?? conversation.conversation_id, token };
    await writeSetup(setup);
    return setup;
  }
  const { agent_id, conversation_id, token } = await enrol(relay.registry, { name, agent: null, version: null });
  const setup = { relay: relayOrigin, agentId: agent_id, conversationId: conversation_id, name, token, state: folder };
  await writeSetup(setup);
  return setup;
}
