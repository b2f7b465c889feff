/** What every command stands on: the terminal, the environment, and the agent that the options name. */
import type { Command } from 'commander';
import { hasIdShape } from '../../src/protocol/ids.ts';
import { RelayHttp } from '../core/http.ts';
import { FileCredentials, readClaims, tokenPath } from './agent-token.ts';
import { isProfileName, profileFolder } from './config-folder.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { readSetup, SetupError, type Setup } from './setup.ts';
import type { Terminal } from './terminal.ts';
import type { NamedAgent } from './typed-command.ts';

/** Adds one command to the program: what a file in `commands/` exports. */
export type AddCommand = (program: Command, line: CommandLine) => void;

/** The options that every command takes. */
export interface CommonOptions extends NamedAgent {
  json?: boolean;
}

/** See the file's head. */
export class CommandLine {
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  readonly #options: () => CommonOptions;

  /** @param options what the program was given; read when a command runs */
  constructor(terminal: Terminal, env: NodeJS.ProcessEnv, options: () => CommonOptions) {
    this.terminal = terminal;
    this.env = env;
    this.#options = options;
  }

  /** Whether results are JSON. */
  get json(): boolean {
    return this.#options().json === true;
  }

  /** The name of the profile. */
  get profile(): string {
    const profile = this.#options().profile ?? this.env.LINEUP_PROFILE ?? 'default';
    if (!isProfileName(profile)) throw new CommandError(EXIT.usage, '--profile must be letters, digits, dots, dashes and underscores');
    return profile;
  }

  /** The folder of the agent that this command is about. It need not exist. */
  get state(): string {
    const { state, profile } = this.#options();
    if (state !== undefined && profile !== undefined)
      throw new CommandError(EXIT.usage, '--profile and --state both name a folder: give one of them');
    if (state === '') throw new CommandError(EXIT.usage, '--state must name a folder');
    return state ?? profileFolder(this.profile, this.env);
  }

  /** How the agent of this command was named. */
  get named(): NamedAgent {
    const { profile, state } = this.#options();
    return { ...(profile !== undefined && { profile }), ...(state !== undefined && { state }) };
  }

  /**
   * The agent that this command is about: the one of the environment (`LINEUP_RELAY_URL`, `LINEUP_AGENT_TOKEN`), or what `lineup setup`
   * stored.
   * @throws CommandError when there is none
   */
  async setup(): Promise<Setup> {
    const { LINEUP_RELAY_URL = '', LINEUP_AGENT_TOKEN = '' } = this.env;
    if (LINEUP_AGENT_TOKEN !== '') return this.#fromEnvironment(LINEUP_RELAY_URL, LINEUP_AGENT_TOKEN.trim());
    try {
      return await readSetup(this.state);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      const which = this.#options().state === undefined && this.profile !== 'default' ? `profile "${this.profile}": ` : '';
      throw new CommandError(EXIT.usage, `${which}${error.message}, or set LINEUP_RELAY_URL and LINEUP_AGENT_TOKEN`);
    }
  }

  /** The relay's HTTP calls as the agent. */
  http(setup: Setup): RelayHttp {
    const credentials = new FileCredentials(tokenPath(setup.state, setup.agentId), setup.token);
    return new RelayHttp({ origin: setup.relay, token: () => credentials.load() });
  }

  /**
   * The conversation that a command speaks in.
   * @param wanted what the user named; default: the setup's, else the agent's oldest
   */
  async conversation(setup: Setup, http: RelayHttp, wanted?: string): Promise<string> {
    if (wanted !== undefined && !hasIdShape('cv', wanted)) throw new CommandError(EXIT.usage, '--conversation must be a conversation id, cv_…');
    const named = wanted ?? setup.conversationId;
    if (named !== undefined) return named;
    const oldest = (await http.conversations()).toSorted((a, b) => a.created_at.localeCompare(b.created_at)).at(0);
    if (!oldest) throw new CommandError(EXIT.refused, 'this agent has no conversation');
    return oldest.conversation_id;
  }

  #fromEnvironment(relay: string, token: string): Setup {
    // Nothing that this process starts needs it.
    delete this.env.LINEUP_AGENT_TOKEN;
    const conversationId = this.env.LINEUP_CONVERSATION_ID ?? '';
    const origin = readRelayAddress(relay, 'LINEUP_RELAY_URL');
    const claims = readClaims(token);
    if (!claims) throw new CommandError(EXIT.usage, 'LINEUP_AGENT_TOKEN is not an agent token of a relay');
    if (conversationId !== '' && !hasIdShape('cv', conversationId)) {
      throw new CommandError(EXIT.usage, 'LINEUP_CONVERSATION_ID must be a conversation id, cv_…');
    }
    return { relay: origin, token, agentId: claims.agentId, name: 'Agent', state: this.state, ...(conversationId !== '' && { conversationId }) };
  }
}

/**
 * The origin of a relay's address as people write it.
 * @param what the option or variable that it came from, for the error
 * @throws CommandError when it is no address
 */
export function readRelayAddress(text: string, what: string): string {
  const example = 'such as https://relay.example';
  if (text.trim() === '') throw new CommandError(EXIT.usage, `${what} must be the relay's address, ${example}`);
  if (!URL.canParse(text.trim())) throw new CommandError(EXIT.usage, `${what} must be an http or https address, ${example}`);
  const url = new URL(text.trim());
  if (!/^https?:$/.test(url.protocol)) throw new CommandError(EXIT.usage, `${what} must be an http or https address, ${example}`);
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new CommandError(EXIT.usage, `${what} must be the relay's address alone, ${url.origin}: no user, path or query belongs to it`);
  }
  return url.origin;
}
