/** The `lineup` command: what a person runs at home. `node client/agent/cli.ts demo` */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { parseArgs } from 'node:util';
import { hasIdShape } from '../../src/protocol/ids.ts';
import { demo } from './demo.ts';
import { LineUpAgent, TokenError, type AgentEnd, type AgentEvent } from './lineup-agent.ts';
import { sentence } from './run-queue.ts';

const USAGE = `lineup: connects an agent at home with your phone

Usage
  lineup demo [--state DIR]    the demo agent: shows what an agent can do

Options
  --state DIR    what must survive a restart: unsent messages, open questions, the freshest token.
                 One folder for one agent; made when missing. Default: .lineup/agent
  --help         this text

Environment
  LINEUP_RELAY_URL          the relay's address
  LINEUP_AGENT_TOKEN        the agent's token, as enrolment gave it
  LINEUP_CONVERSATION_ID    where new devices are greeted. Default: the agent's oldest conversation

Examples
  LINEUP_RELAY_URL=https://relay.example LINEUP_AGENT_TOKEN="$(cat token)" lineup demo
  LINEUP_RELAY_URL=http://127.0.0.1:8787 LINEUP_AGENT_TOKEN="$(cat token)" lineup demo --state /var/lib/lineup

Exit codes
  0  ended by a signal       3  the relay does not take the token
  1  something unexpected    4  another process of this agent took over
  2  wrong usage             5  the relay does not understand this version`;

const EXIT_OF_END: Record<AgentEnd, number> = { closed: 0, 'pair-again': 3, replaced: 4, protocol: 5 };
const WORDS_OF_END: Record<Exclude<AgentEnd, 'closed'>, string> = {
  'pair-again': 'the relay does not take this token any more. Make a new one with the owner key (POST /v1/agents/<id>/token)',
  replaced: 'another process of this agent took over',
  protocol: 'the relay does not understand this version of lineup',
};

/** A connection over a slow line must not be given up before it had a chance, in ms; Node's own default is 250. */
const FAMILY_ATTEMPT_MS = 2_500;

class Misuse extends Error {}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, (error) => fail(1, sentence(error)));

try {
  const { command, state } = readArguments();
  if (command !== 'demo') throw new Misuse(command === undefined ? 'which command?' : `there is no command "${command}"`);
  await runDemo(state);
} catch (error) {
  if (error instanceof Misuse || error instanceof TokenError) fail(2, `${sentence(error)} (lineup --help)`);
  fail(1, sentence(error));
}

async function runDemo(state: string): Promise<void> {
  setDefaultAutoSelectFamilyAttemptTimeout(FAMILY_ATTEMPT_MS);
  const agent = new LineUpAgent({ ...readEnvironment(), state, name: 'Demo', agent: 'LineUp demo', log: logger() });
  demo(agent);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void agent.close();
      // Whoever asks twice does not want to wait.
      process.once(signal, () => process.exit(EXIT_OF_END.closed));
    });
  }
  await agent.start();
  say(`the demo agent is ${agent.id}`);
  const end = await agent.ended;
  if (end === 'closed') process.exit(EXIT_OF_END.closed);
  fail(EXIT_OF_END[end], WORDS_OF_END[end]);
}

function readArguments(): { command: string | undefined; state: string } {
  const options = { state: { type: 'string', default: '.lineup/agent' }, help: { type: 'boolean', short: 'h', default: false } } as const;
  const { values, positionals } = parse(() => parseArgs({ options, allowPositionals: true }));
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
  const [command, extra] = positionals;
  if (extra !== undefined) throw new Misuse(`"${extra}" is one word too many`);
  if (values.state === '') throw new Misuse('--state must name a folder');
  return { command, state: values.state };
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // Node adds advice on how to escape dashes, which nobody needs here.
    throw new Misuse(sentence(error).replace(/\. To specify.*$/, ''));
  }
}

function readEnvironment(): { relay: string; token: string; conversationId?: string } {
  const { LINEUP_RELAY_URL: relay = '', LINEUP_AGENT_TOKEN: token = '', LINEUP_CONVERSATION_ID: conversationId = '' } = process.env;
  // Nothing that this process starts needs it.
  delete process.env.LINEUP_AGENT_TOKEN;
  if (relay === '') throw new Misuse("LINEUP_RELAY_URL must be the relay's address, such as https://relay.example");
  const url = URL.parse(relay);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Misuse(`LINEUP_RELAY_URL must be an http or https address, such as https://relay.example`);
  if (token === '') throw new Misuse('LINEUP_AGENT_TOKEN must be the token of an enrolled agent (POST /v1/agents)');
  if (conversationId !== '' && !hasIdShape('cv', conversationId)) throw new Misuse('LINEUP_CONVERSATION_ID must be a conversation id, cv_…');
  return { relay: url.origin, token: token.trim(), ...(conversationId !== '' && { conversationId }) };
}

/** Says when a conversation comes and goes, once each. */
function logger(): (event: AgentEvent) => void {
  const isOnline = new Map<string, boolean>();
  return (event) => {
    const where = event.conversationId === undefined ? '' : ` (${event.conversationId})`;
    if (event.kind === 'problem') return say(`${event.problem}${where}`);
    const online = event.state.name === 'online' || (event.state.name === 'waiting' ? false : undefined);
    if (online === undefined || isOnline.get(where) === online) return;
    isOnline.set(where, online);
    say(`${online ? 'online' : 'offline, trying again'}${where}`);
  };
}

function say(line: string): void {
  process.stdout.write(`lineup: ${line}\n`);
}

function fail(code: number, line: string): never {
  process.stderr.write(`lineup: ${line}\n`);
  process.exit(code);
}
