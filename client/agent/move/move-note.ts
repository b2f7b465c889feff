/**
 * Which conversations are one, at two relays: kept beside each of them. So one that broke off goes on in the conversation that it made,
 * and one that comes back goes on where it came from.
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { hasIdShape } from '../../../src/protocol/ids.ts';
import { writeFileAtomically } from '../../core/atomic-file.ts';
import { makePrivateFolder, readIfThere } from '../private-file.ts';
import type { Setup } from '../setup.ts';

const noteFile = z.looseObject({
  conversation_id: z.string().refine((text) => hasIdShape('cv', text)),
  seq: z.number().int().min(0),
  filled: z.boolean(),
});

/** What is known of the other conversation. */
export interface Counterpart {
  conversationId: string;
  /** Everything of this conversation up to here is there. */
  seq: number;
  /** False while it is filled for the first time: then nobody may have spoken there yet. */
  filled: boolean;
}

/** The note of one conversation about its counterpart with another agent. */
export class MoveNote {
  readonly #path: string;

  constructor({ state, agentId }: Pick<Setup, 'state' | 'agentId'>, conversationId: string, otherAgentId: string) {
    this.#path = join(state, agentId, conversationId, `moved-${otherAgentId}.json`);
  }

  /** Null when it has never been there. */
  async read(): Promise<Counterpart | null> {
    const text = await readIfThere(this.#path);
    if (text === null) return null;
    try {
      const { conversation_id: conversationId, seq, filled } = noteFile.parse(JSON.parse(text));
      return { conversationId, seq, filled };
    } catch {
      // Written by another version, or by hand: it is as good as none.
      return null;
    }
  }

  async write({ conversationId, seq, filled }: Counterpart): Promise<void> {
    await makePrivateFolder(dirname(this.#path));
    await writeFileAtomically(this.#path, JSON.stringify({ conversation_id: conversationId, seq, filled }));
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
