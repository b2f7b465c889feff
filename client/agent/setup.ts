/** What `lineup setup` leaves behind, for the other commands and for programs that use the SDK. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hasIdShape } from '../../src/protocol/ids.ts';
import { writeFileAtomically } from '../core/atomic-file.ts';
import { FileCredentials, readClaims, tokenPath } from './agent-token.ts';
import { isProfileName, profileFolder } from './config-folder.ts';
import { makePrivateFolder, readIfThere } from './private-file.ts';

const setupFile = z.looseObject({
  relay: z.url({ protocol: /^https?$/ }),
  agent_id: z.string().refine((text) => hasIdShape('ag', text)),
  conversation_id: z.string().refine((text) => hasIdShape('cv', text)),
  name: z.string().min(1),
});

/** An agent that is enrolled at a relay. */
export interface Setup {
  /** The relay's origin. */
  relay: string;
  agentId: string;
  /** Where new devices are greeted, and where commands speak when none is named. Undefined: the agent's oldest. */
  conversationId?: string;
  name: string;
  /** The freshest token that is known. */
  token: string;
  /** The folder that it comes from; {@link LineUpAgentOptions.state}. */
  state: string;
}

/** There is no setup in the folder, or none that can be used; the message says what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** The folder that the environment names. @throws SetupError when its profile cannot be one */
function ownFolder(): string {
  const { LINEUP_PROFILE: profile = 'default' } = process.env;
  if (!isProfileName(profile)) throw new SetupError('LINEUP_PROFILE must be letters, digits, dots, dashes and underscores');
  return profileFolder(profile);
}

/**
 * Reads what `lineup setup` stored.
 * @param state the folder; default: that of the profile `LINEUP_PROFILE`, else `default`, in the platform's place for configuration
 * @param needsToken false: a token that is gone is no error, and empty
 * @throws SetupError when there is nothing
 * @example
 * const agent = new LineUpAgent(await readSetup());
 */
export async function readSetup(state = ownFolder(), { needsToken = true } = {}): Promise<Setup & { conversationId: string }> {
  const text = await readIfThere(setupPath(state));
  if (text === null) throw new SetupError('this agent is not set up yet: run "lineup setup"');
  const read = parse(text);
  if (!read) throw new SetupError(`${setupPath(state)} cannot be read: run "lineup setup" again`);
  const token = await new FileCredentials(tokenPath(state, read.agent_id)).load();
  if (needsToken && readClaims(token)?.agentId !== read.agent_id) throw new SetupError('the token of this agent is gone: run "lineup setup" again');
  return { relay: read.relay, agentId: read.agent_id, conversationId: read.conversation_id, name: read.name, token, state };
}

/** The setup of a folder, or null when there is none that can be used. */
export async function knownSetup(state: string): Promise<Setup | null> {
  try {
    return await readSetup(state);
  } catch (error) {
    if (error instanceof SetupError) return null;
    throw error;
  }
}

/** Stores a setup, its token in a file of its own. */
export async function writeSetup(setup: Required<Setup>): Promise<void> {
  await makePrivateFolder(setup.state);
  await new FileCredentials(tokenPath(setup.state, setup.agentId)).save(setup.token);
  const file = { relay: setup.relay, agent_id: setup.agentId, conversation_id: setup.conversationId, name: setup.name };
  await writeFileAtomically(setupPath(setup.state), `${JSON.stringify(file, null, 2)}\n`);
}

/** Forgets a setup and everything that its agent kept. */
export async function removeSetup(state: string, agentId: string): Promise<void> {
  await rm(join(state, agentId), { recursive: true, force: true });
  await rm(setupPath(state), { force: true });
}

function setupPath(state: string): string {
  return join(state, 'agent.json');
}

function parse(text: string): z.infer<typeof setupFile> | null {
  try {
    return setupFile.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
