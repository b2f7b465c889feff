/** Runs an agent in the foreground, until a signal or the relay ends it. */
import { CommandError, EXIT } from './exit-codes.ts';
import type { CommandLine } from './command-line.ts';
import type { AgentEnd, AgentEvent } from './agent-options.ts';
import type { LineUpAgent } from './lineup-agent.ts';

const FAILURE_OF_END: Record<Exclude<AgentEnd, 'closed'>, () => CommandError> = {
  'pair-again': () =>
    new CommandError(EXIT.unauthorized, 'the relay does not take this token any more: run "lineup setup --renew", or give a new LINEUP_AGENT_TOKEN'),
  replaced: () =>
    new CommandError(EXIT.replaced, 'another process of this agent took over (close code 4409), perhaps on another machine: only one may run'),
  protocol: () => new CommandError(EXIT.protocol, 'the relay does not understand this version of lineup: update it, or the relay'),
};

/** A trouble that stays is told once in this time, in ms: a full disk would fill the log as well. */
const SAY_AGAIN_AFTER_MS = 60_000;

/** What a command does beside running its agent. */
export interface Running {
  /** Called when the agent has started, before it is online. */
  started?: () => void;
  /** Ends what the command itself began, such as a child process. */
  stopping?: () => Promise<void>;
}

/**
 * Starts the agent and waits for its end. SIGINT, SIGTERM and SIGHUP end it in good order; the second one at once.
 * @throws CommandError when the relay or another process ended it
 */
export async function runAgent(agent: LineUpAgent, { started, stopping }: Running = {}): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void agent.close();
      // Whoever asks twice does not want to wait.
      process.once(signal, () => process.exit(EXIT.ok));
    });
  }
  try {
    await agent.start();
    started?.();
    const end = await agent.ended;
    if (end !== 'closed') throw FAILURE_OF_END[end]();
  } finally {
    await stopping?.();
  }
}

/** Says when a conversation comes and goes, once each, and what goes wrong, once a minute: {@link LineUpAgentOptions.log} for a person. */
export function agentLog({ terminal }: CommandLine): (event: AgentEvent) => void {
  const isOnline = new Map<string, boolean>();
  const saidAt = new Map<string, number>();
  return (event) => {
    const { conversationId = '' } = event;
    const where = conversationId === '' ? '' : ` (${conversationId})`;
    if (event.kind === 'problem') {
      const text = `lineup: ${event.problem}${where}`;
      if (Date.now() - (saidAt.get(text) ?? 0) < SAY_AGAIN_AFTER_MS) return;
      saidAt.set(text, Date.now());
      return terminal.result({ event: 'problem', problem: event.problem, conversationId }, text);
    }
    const online = event.state.name === 'online' || (event.state.name === 'waiting' ? false : undefined);
    if (online === undefined || isOnline.get(where) === online) return;
    isOnline.set(where, online);
    const text = `lineup: ${online ? 'online' : 'offline, trying again'}${where}`;
    terminal.result({ event: online ? 'online' : 'offline', conversationId }, text);
  };
}
