#!/usr/bin/env node
/**
 * The `lineup` command: what a person runs at home. `node client/agent/cli.ts --help`
 *
 * To add a command, write `commands/<name>.ts` that exports `add<Name>: AddCommand` (command-line.ts), and add it to COMMANDS below.
 * `commands/demo.ts` is a short one. Its action throws to fail: a CommandError (exit-codes.ts) with its code and one sentence, or any
 * error that failure.ts can read. It writes through `line.terminal`, and takes the agent from `line.setup()`. Import what is heavy, or
 * not there in every Node (node:sqlite), inside the action, so that the other commands do without. The program's options are heard
 * behind the command too, so `passThroughOptions` does not work: words that are not lineup's own come behind `--`.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { Command, CommanderError } from 'commander';
import { CommandLine, type AddCommand, type CommonOptions } from './command-line.ts';
import { addAcpConnect } from './commands/acp-connect.ts';
import { addAcpServe } from './commands/acp-serve.ts';
import { addAsk } from './commands/ask.ts';
import { addConnect } from './commands/connect.ts';
import { addConversations } from './commands/conversations.ts';
import { addDevices } from './commands/devices.ts';
import { addDoctor } from './commands/doctor.ts';
import { addLogout } from './commands/logout.ts';
import { addMove } from './commands/move.ts';
import { addPair } from './commands/pair.ts';
import { addSend } from './commands/send.ts';
import { addService } from './commands/service.ts';
import { addSetup } from './commands/setup.ts';
import { addStatus } from './commands/status.ts';
import { addTail } from './commands/tail.ts';
import { addDemo } from './commands/demo.ts';
import { addDirect } from './commands/direct.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { failureOf } from './failure.ts';
import { Terminal } from './terminal.ts';
import { advised } from './typed-command.ts';
import { VERSION } from './version.ts';

/** In the order of `lineup --help`. */
const COMMANDS: readonly AddCommand[] = [
  addSetup,
  addPair,
  addConnect,
  addAcpServe,
  addAcpConnect,
  addDirect,
  addDemo,
  addSend,
  addAsk,
  addTail,
  addStatus,
  addDevices,
  addConversations,
  addMove,
  addService,
  addDoctor,
  addLogout,
];

/** A connection over a slow line must not be given up before it had a chance, in ms; Node's own default is 250. */
const FAMILY_ATTEMPT_MS = 2_500;

const OUTRO = `
Environment:
  LINEUP_RELAY_URL         the relay's address       } in place of what "lineup setup" stored
  LINEUP_AGENT_TOKEN       the agent's token         }
  LINEUP_CONVERSATION_ID   where new devices are greeted, and where commands speak. Default: the agent's oldest conversation
  LINEUP_OWNER_KEY         the relay's owner key, for setup; asked for when it is not set
  LINEUP_PROFILE           as --profile

Examples:
  $ lineup setup https://relay.example     enrol this machine's agent
  $ lineup pair                            pair a phone
  $ lineup ask "Deploy?" test staging production

Exit codes:
  0  done, or ended by a signal       6  the relay cannot be reached     10  ask: declined
  1  something unexpected             7  the relay refused the request   11  ask: nobody answered in time
  2  wrong usage, or not set up       8  the agent program failed        12  ask: the question was taken back
  3  the token or key is not taken                                       13  ask: no device could ask it
  4  another process of this agent runs or took over
  5  the relay does not understand this version`;

const terminal = new Terminal();
const program = new Command('lineup');
const line = new CommandLine(terminal, process.env, () => program.opts<CommonOptions>());

program
  .description('Connects an agent at home with your phone, through your own relay.')
  .version(VERSION, '-V, --version')
  .option('--profile <name>', 'which agent of this machine. Default: "default"')
  .option('--state <folder>', "the agent's folder, in place of a profile: its token, unsent messages, open questions")
  .option('--json', 'results as JSON, one document a line')
  .usage('[options] <command>')
  .helpCommand(false)
  .configureHelp({ showGlobalOptions: true })
  // What commander would say comes as every other failure does: one line, from one place.
  .configureOutput({ writeErr: () => undefined })
  .exitOverride()
  .hook('preAction', () => void (terminal.json = line.json))
  .addHelpText('after', OUTRO)
  .action((_options: unknown, { args: [wanted] }: Command) => {
    const what = wanted === undefined ? 'which command?' : `there is no command "${wanted}"`;
    throw new CommanderError(EXIT.usage, 'lineup.command', what);
  });
for (const add of COMMANDS) add(program, line);
// Only now, since commands inherit it: a word that names no command reaches the action above.
program.allowExcessArguments();

/** The exit code of the first failure: what follows from it is none of its own. */
let failure: ExitCode | undefined;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, fail);
// A command that still waits when nothing can come any more would end with a code of Node's that means something else here.
process.on('beforeExit', () => fail(new Error('a connection ended without an answer: try again')));
process.stdout.on('error', cannotWrite);
// Where nobody can be told what goes wrong, the exit code still tells it.
process.stderr.on('error', () => undefined);
setDefaultAutoSelectFamilyAttemptTimeout(FAMILY_ATTEMPT_MS);

try {
  await program.parseAsync();
  await end(process.exitCode ?? EXIT.ok);
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) await end(EXIT.ok);
  fail(error);
}

function fail(error: unknown): void {
  if (failure !== undefined) return;
  const { exitCode, message: plain } = failureOf(error);
  failure = exitCode;
  const message = advised(plain, line.named);
  if (terminal.json) terminal.result({ error: { exitCode, message } }, '');
  terminal.note(message);
  void end(exitCode);
}

/** A reader that has gone (`lineup tail | head`) is no failure. */
function cannotWrite(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' && failure === undefined) process.exit(EXIT.ok);
  fail(error);
}

/** Ends the process once its readers have everything: a pipe takes little at a time, and what it has not taken would be lost. */
async function end(exitCode: number | string): Promise<void> {
  const [error] = await Promise.all([process.stdout, process.stderr].map(written));
  if (error && failure === undefined) return cannotWrite(error);
  process.exit(failure ?? exitCode);
}

/** Resolves when a stream has written what it was given, or with the reason why it cannot. */
function written(stream: NodeJS.WriteStream): Promise<Error | null> {
  return new Promise((resolve) => stream.write('', (error) => resolve(error ?? null)));
}
