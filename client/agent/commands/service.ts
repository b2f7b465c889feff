/** `lineup service`: lets the system start the agent by itself. */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeFileAtomically } from '../../core/atomic-file.ts';
import type { AddCommand, CommandLine, CommonOptions } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { readIfThere } from '../private-file.ts';
import { launchAgent, launchLabel, systemdUnit, type Service } from '../service-unit.ts';

const run = promisify(execFile);

/** What is written, and the commands that make it count. */
interface Plan {
  path: string;
  content: string;
  start: string[][];
  stop: string[][];
  hint: string;
}

interface Options {
  dryRun?: true;
}

export const addService: AddCommand = (program, line) => {
  const service = program
    .command('service')
    .summary('start the agent by itself, at login and after a crash')
    .description('Installs the agent as a service of your user: a systemd unit on Linux, a launch agent on macOS.')
    .action((_options: unknown, command) => command.help());

  service
    .command('install')
    .description('Writes the service, enables it and starts it. Again: replaces it.')
    .argument('<command...>', 'the lineup command to run, behind --')
    .option('--dry-run', 'print what would be written and run')
    .addHelpText(
      'after',
      '\nExamples:\n  $ lineup service install -- connect hermes\n  $ lineup --profile work service install --dry-run -- connect claude --cwd ~/work',
    )
    .action((words: string[], options: Options) => install(line, words, options, program.opts<CommonOptions>()));

  service
    .command('uninstall')
    .description('Stops the service and removes it.')
    .option('--dry-run', 'print what would be removed and run')
    .addHelpText('after', '\nExample:\n  $ lineup service uninstall')
    .action((options: Options) => uninstall(line, options));
};

async function install(line: CommandLine, words: string[], { dryRun }: Options, { state }: CommonOptions): Promise<void> {
  const { terminal, profile } = line;
  // A service that cannot start is better found out now.
  if (!dryRun) await line.setup();
  const which = state === undefined ? ['--profile', profile] : ['--state', line.state];
  const plan = planOf(line, [process.execPath, ...process.execArgv, process.argv[1] ?? 'lineup', ...which, ...words]);
  if (dryRun) {
    return terminal.result(plan, `# ${plan.path}\n${plan.content}\n# then\n${plan.start.map((command) => command.join(' ')).join('\n')}`);
  }
  await mkdir(dirname(plan.path), { recursive: true });
  await writeFileAtomically(plan.path, plan.content);
  await runAll(plan.start, plan.path);
  terminal.result({ installed: plan.path }, `${terminal.paint('green', '✓')} The service runs (${plan.path})\n  ${plan.hint}`);
}

async function uninstall(line: CommandLine, { dryRun }: Options): Promise<void> {
  const { terminal } = line;
  const { path, stop } = planOf(line, []);
  if (dryRun) return terminal.result({ path, stop }, `${stop.map((command) => command.join(' ')).join('\n')}\nrm ${path}`);
  if ((await readIfThere(path)) === null) throw new CommandError(EXIT.usage, `there is no service for the profile "${line.profile}"`);
  const [first, ...rest] = stop;
  // One that is not loaded cannot be stopped; removing it is what counts.
  if (first) await runAll([first], path).catch((error: unknown) => terminal.note(error instanceof Error ? error.message : String(error)));
  await rm(path, { force: true });
  await runAll(rest, path);
  terminal.result({ removed: path }, `${terminal.paint('green', '✓')} The service is removed`);
}

function planOf({ profile, env }: CommandLine, command: string[]): Plan {
  const kept = ['PATH', 'LINEUP_HOME', 'XDG_CONFIG_HOME', 'LANG'].flatMap((name): [string, string][] => (env[name] ? [[name, env[name]]] : []));
  const log = join(homedir(), 'Library', 'Logs', `lineup-${profile}.log`);
  const service: Service = { profile, command, cwd: process.cwd(), env: Object.fromEntries(kept), log };
  if (process.platform === 'darwin') {
    const path = join(homedir(), 'Library', 'LaunchAgents', `${launchLabel(profile)}.plist`);
    const domain = `gui/${userInfo().uid}`;
    return {
      path,
      content: launchAgent(service),
      start: [['launchctl', 'bootstrap', domain, path]],
      stop: [['launchctl', 'bootout', `${domain}/${launchLabel(profile)}`]],
      hint: `Its log: ${log}`,
    };
  }
  if (process.platform !== 'linux') throw new CommandError(EXIT.usage, 'services are for Linux (systemd) and macOS (launchd) alone');
  const unit = `lineup-${profile}.service`;
  const config = (env.XDG_CONFIG_HOME ?? '').startsWith('/') ? String(env.XDG_CONFIG_HOME) : join(homedir(), '.config');
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words];
  return {
    path: join(config, 'systemd', 'user', unit),
    content: systemdUnit(service),
    start: [systemctl('daemon-reload'), systemctl('enable', unit), systemctl('restart', unit)],
    stop: [systemctl('disable', '--now', unit), systemctl('daemon-reload')],
    hint: `Its log: journalctl --user -u ${unit}. To run it without a login: loginctl enable-linger`,
  };
}

async function runAll(commands: readonly string[][], path: string): Promise<void> {
  for (const [program = '', ...args] of commands) {
    try {
      await run(program, args);
    } catch (error) {
      const { stderr = '', code } = error as { stderr?: string; code?: unknown };
      const why = code === 'ENOENT' ? `this system has no ${program}` : stderr.trim().split('\n')[0] || String(code);
      throw new CommandError(EXIT.program, `"${[program, ...args].join(' ')}" failed: ${why} (the file is ${path})`, { cause: error });
    }
  }
}
