/** One agent at its relay, as one side of a move: what fails there is said with its name, and tried again while that may help. */
import { RelayError } from '../../core/errors.ts';
import type { RelayHttp } from '../../core/http.ts';
import { CommandError } from '../exit-codes.ts';
import { failureOf } from '../failure.ts';
import { persist } from '../persist.ts';
import type { Setup } from '../setup.ts';
import { advised, type NamedAgent } from '../typed-command.ts';
import type { MoveEnd } from './move-history.ts';

/** How long one call is tried again while the network fails, in ms: a move that ends too early is only run again. */
const PATIENCE_MS = 10_000;

/** See the file's head. */
export class MoveSide {
  /** The profile, as its user knows it. */
  readonly profile: string;
  readonly setup: Setup;
  readonly #http: RelayHttp;
  readonly #named: NamedAgent;

  /** @param named how commands for this agent name it */
  constructor(profile: string, setup: Setup, http: RelayHttp, named: NamedAgent = { profile }) {
    this.profile = profile;
    this.setup = setup;
    this.#http = http;
    this.#named = named;
  }

  /**
   * Asks once.
   * @throws CommandError that names this side; a refusal in `unless` as it is
   */
  async ask<T>(call: (http: RelayHttp) => Promise<T>, unless: readonly string[] = []): Promise<T> {
    try {
      return await call(this.#http);
    } catch (error) {
      if (error instanceof CommandError || (error instanceof RelayError && unless.includes(error.code))) throw error;
      const { exitCode, message } = failureOf(error);
      throw new CommandError(exitCode, `${this.profile} (${this.setup.relay}): ${advised(message, this.#named)}`, { cause: error });
    }
  }

  /** {@link ask} what may be asked twice, again while the network or the relay fails. */
  insist<T>(call: (http: RelayHttp) => Promise<T>, unless: readonly string[] = []): Promise<T> {
    return this.ask((http) => persist(() => call(http), Date.now() + PATIENCE_MS), unless);
  }

  /** A conversation of this side. */
  end(conversationId: string): MoveEnd {
    return {
      conversationId,
      http: {
        history: (id, query) => this.insist((http) => http.history(id, query)),
        download: (id, fileId) => this.insist((http) => http.download(id, fileId), ['not_found']),
        upload: (id, content, type) => this.insist((http) => http.upload(id, content, type), ['frame_too_large']),
      },
    };
  }
}
