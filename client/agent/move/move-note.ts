/** Where a move has got to, kept beside the conversation that is moved: one that broke off goes on in the conversation that it made. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { hasIdShape } from '../../../src/protocol/ids.ts';
import { writeFileAtomically } from '../../core/atomic-file.ts';
import { makePrivateFolder, readIfThere } from '../private-file.ts';
import type { Setup } from '../setup.ts';

const noteFile = z.looseObject({ conversation_id: z.string().refine((text) => hasIdShape('cv', text)) });

/** The note of one move: from a conversation of one agent to another agent. */
export class MoveNote {
  readonly #path: string;

  constructor({ state, agentId }: Pick<Setup, 'state' | 'agentId'>, conversationId: string, targetAgentId: string) {
    this.#path = join(state, agentId, conversationId, `move-${targetAgentId}.json`);
  }

  /** The conversation that an earlier try has begun to fill; null: there was none. */
  async read(): Promise<string | null> {
    const text = await readIfThere(this.#path);
    if (text === null) return null;
    try {
      return noteFile.parse(JSON.parse(text)).conversation_id;
    } catch {
      // Cut short by a crash: then the conversation was not filled either.
      return null;
    }
  }

  async write(conversationId: string): Promise<void> {
    await makePrivateFolder(dirname(this.#path));
    await writeFileAtomically(this.#path, JSON.stringify({ conversation_id: conversationId }));
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
