/** `lineup direct`: direct mode (§10): this machine is the relay, for the network that it is in. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import type { AddCommand, CommonOptions } from '../command-line.ts';
import { profileFolder } from '../config-folder.ts';
import type { RunningDirect } from '../direct/start-direct.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { typed, type NamedAgent } from '../typed-command.ts';

/** The port of direct mode (§10). */
const PORT = 9527;
/** The profile that the agent of this machine is kept in, unless another is named. */
const PROFILE = 'direct';
/** The first Node that has SQLite without being asked twice. */
const NODE = { major: 22, minor: 13 };

interface Options {
  port: number;
  host: string;
  name: string;
  web?: string;
}

export const addDirect: AddCommand = (program, line) => {
  program
    .command('direct')
    .summary('direct mode: this machine serves the app and the relay to its own network')
    .description(
      `Serves the web app and everything a relay serves on this machine, until Ctrl-C. Phones of the same network reach it without any cloud;
agents of this machine reach it as the profile "${PROFILE}". What is said stays on this machine, and is not encrypted on its way through the network.`,
    )
    .option('--port <number>', 'TCP port; 0 for any free one', readPort, PORT)
    .option('--host <address>', 'the address to listen on; 127.0.0.1 for this machine alone', '0.0.0.0')
    .option('--name <name>', "what phones call this machine's agent, from its first start on", hostname() || 'Agent')
    .option('--web <folder>', 'a built web app, in place of the one in this package')
    .addHelpText(
      'after',
      `\nExamples:\n  $ lineup direct                       then, in another terminal:\n  $ lineup --profile ${PROFILE} demo        the demo agent answers\n  $ lineup direct --host 127.0.0.1 --port 9000`,
    )
    .action(async (options: Options) => {
      checkNode();
      if (options.web !== undefined && !existsSync(join(options.web, 'index.html'))) {
        throw new CommandError(EXIT.usage, `--web ${options.web}: there is no built web app (no index.html)`);
      }
      // Node 22 warns that its SQLite is experimental, of which nobody who reads it here can make anything.
      process.removeAllListeners('warning');
      const { startDirect } = await import('../direct/start-direct.ts');
      const { profile, state } = program.opts<CommonOptions>();
      const isNamed = state !== undefined || profile !== undefined || Boolean(line.env.LINEUP_PROFILE);
      const folder = isNamed ? line.state : profileFolder(PROFILE, line.env);
      const running = await startDirect({ folder, ...options, env: line.env, note: (text) => line.terminal.note(text) });
      show(line.terminal, running, state === undefined ? { profile: isNamed ? line.profile : PROFILE } : { state });
      await stopRequest();
      await running.server.close();
    });
};

function show(terminal: Terminal, { server: { origin }, agentId, token, code }: RunningDirect, agent: NamedAgent): void {
  const url = `${origin}/#pair=${code}`;
  const v1 = `${origin.replace('http:', 'ws:')}/`;
  terminal.result(
    { event: 'listening', origin, url, v1, token, agentId },
    `Open this on a phone of the same network. It works once, within an hour ("${typed('pair', agent)}" makes another):

  ${terminal.paint('bold', url)}

${renderUnicodeCompact(url, { border: 2 })}

v1 apps connect to  ${v1}
with the token      ${token}
Agents of this machine are at home here:  ${typed('demo', agent)}`,
  );
}

async function stopRequest(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        // Whoever asks twice does not want to wait.
        process.once(signal, () => process.exit(EXIT.ok));
        resolve();
      });
    }
  });
}

function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NODE.major || (major === NODE.major && minor >= NODE.minor)) return;
  throw new CommandError(EXIT.failed, `lineup direct needs Node ${NODE.major}.${NODE.minor} or newer, for its SQLite; this is ${process.version}`);
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return Number(text);
}
