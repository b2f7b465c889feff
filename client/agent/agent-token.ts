/** An agent's token: whose it is, and where the freshest one lives. */
import { dirname, join } from 'node:path';
import type { CredentialStore } from '../core/connection-options.ts';
import { writeFileAtomically } from '../core/atomic-file.ts';
import { makePrivateFolder, readIfThere } from './private-file.ts';

/** What an agent reads in its own token (§3). The relay alone verifies it. */
export interface TokenClaims {
  agentId: string;
  /** Seconds since the epoch, on the relay's clock. */
  issuedAt: number;
}

/** Reads a token's claims; null when it is no agent's token at all. */
export function readClaims(token: string): TokenClaims | null {
  const [, body, signature, more] = token.split('.');
  if (body === undefined || signature === undefined || more !== undefined) return null;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  } catch {
    return null;
  }
  if (typeof claims !== 'object' || claims === null || !('sub' in claims) || !('iat' in claims)) return null;
  const { sub, iat } = claims;
  return typeof sub === 'string' && /^ag_[a-z0-9]{16,64}$/.test(sub) && typeof iat === 'number' ? { agentId: sub, issuedAt: iat } : null;
}

/** The file of an agent's token in its state folder. */
export function tokenPath(state: string, agentId: string): string {
  return join(state, agentId, 'token');
}

/**
 * The token that the owner gave, and the fresher ones that the relay sends in the welcome, in a file for the user alone.
 *
 * Of the two the younger counts: a token that the owner made anew replaces what the file has, and an old one in the environment does not.
 */
export class FileCredentials implements CredentialStore {
  readonly #path: string;
  readonly #given: string | null;
  #token: Promise<string> | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** @param given null: there is only the file; without one the token is empty, which no relay takes */
  constructor(path: string, given: string | null = null) {
    this.#path = path;
    this.#given = given;
  }

  load(): Promise<string> {
    this.#token ??= this.#younger().catch((error: unknown) => {
      this.#token = null;
      throw error;
    });
    return this.#token;
  }

  save(token: string): Promise<void> {
    this.#token = Promise.resolve(token);
    const write = async () => {
      await makePrivateFolder(dirname(this.#path));
      await writeFileAtomically(this.#path, token);
    };
    // Every conversation has its own connection, and all of them may be given a fresh token at once.
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }

  async #younger(): Promise<string> {
    const kept = (await readIfThere(this.#path))?.trim() ?? '';
    if (this.#given === null) return kept;
    const [keptClaims, givenClaims] = [readClaims(kept), readClaims(this.#given)];
    const isYounger = keptClaims && givenClaims && keptClaims.agentId === givenClaims.agentId && keptClaims.issuedAt > givenClaims.issuedAt;
    return isYounger ? kept : this.#given;
  }
}
