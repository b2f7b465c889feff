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
import { readSetup } from '../setup.ts';
import { launchAgent, launchLabel, systemdUnit, type Service } from '../service-unit.ts';

const run = promisify(execFile);

/** A command of the system, and whether it does not matter that it fails. */
interface Step {
  command: string[];
  mayFail?: true;
}

/** What is written, and the commands that make it count. */
interface Plan {
  path: string;
  content: string;
  start: Step[];
  /** Before the file is removed, and after. */
  stop: Step[];
  forget: Step[];
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

/** The commands that run until they are told to end; every other would be started again and again. */
const RUN_ON = ['connect', 'acp-serve', 'acp-connect', 'direct', 'demo'];

async function install(line: CommandLine, words: string[], { dryRun }: Options, { state }: CommonOptions): Promise<void> {
  const { terminal, profile } = line;
  if (!RUN_ON.includes(words[0] ?? '')) {
    throw new CommandError(
      EXIT.usage,
      `"${words[0] ?? ''}" is no command that runs on: one of ${RUN_ON.join(', ')}, such as "service install -- connect hermes"`,
    );
  }
  // A service that cannot start is better found out now. It has what is stored, and not the variables of this shell.
  if (!dryRun) await readSetup(line.state);
  const which = state === undefined ? ['--profile', profile] : ['--state', line.state];
  const plan = planOf(line, [process.execPath, ...process.execArgv, process.argv[1] ?? 'lineup', ...which, ...words]);
  if (dryRun) {
    return terminal.result(plan, `# ${plan.path}\n${plan.content}\n# then\n${plan.start.map(wordsOf).join('\n')}`);
  }
  await mkdir(dirname(plan.path), { recursive: true });
  await writeFileAtomically(plan.path, plan.content);
  await runAll(plan.start, plan.path);
  terminal.result({ installed: plan.path }, `${terminal.paint('green', '✓')} The service runs (${plan.path})\n  ${plan.hint}`);
}

async function uninstall(line: CommandLine, { dryRun }: Options): Promise<void> {
  const { terminal } = line;
  const { path, stop, forget } = planOf(line, []);
  if (dryRun) {
    return terminal.result({ path, stop, forget }, [...stop.map(wordsOf), `rm ${path}`, ...forget.map(wordsOf)].join('\n'));
  }
  if ((await readIfThere(path)) === null) throw new CommandError(EXIT.usage, `there is no service for the profile "${line.profile}"`);
  await runAll(stop, path);
  await rm(path, { force: true });
  await runAll(forget, path);
  terminal.result({ removed: path }, `${terminal.paint('green', '✓')} The service is removed`);
}

function planOf({ profile, env }: CommandLine, command: string[]): Plan {
  const kept = ['PATH', 'LINEUP_HOME', 'XDG_CONFIG_HOME', 'LANG'].flatMap((name): [string, string][] => (env[name] ? [[name, env[name]]] : []));
  const log = join(homedir(), 'Library', 'Logs', `lineup-${profile}.log`);
  const service: Service = { profile, command, cwd: process.cwd(), env: Object.fromEntries(kept), log };
  if (process.platform === 'darwin') {
    const path = join(homedir(), 'Library', 'LaunchAgents', `${launchLabel(profile)}.plist`);
    const domain = `gui/${userInfo().uid}`;
    const bootout: Step = { command: ['launchctl', 'bootout', `${domain}/${launchLabel(profile)}`], mayFail: true };
    return {
      path,
      content: launchAgent(service),
      // One that is loaded already is not replaced by loading it.
      start: [bootout, { command: ['launchctl', 'bootstrap', domain, path] }],
      stop: [bootout],
      forget: [],
      hint: `Its log: ${log}`,
    };
  }
  if (process.platform !== 'linux') throw new CommandError(EXIT.usage, 'services are for Linux (systemd) and macOS (launchd) alone');
  const unit = `lineup-${profile}.service`;
  const config = (env.XDG_CONFIG_HOME ?? '').startsWith('/') ? String(env.XDG_CONFIG_HOME) : join(homedir(), '.config');
  const systemctl = (...words: string[]): Step => ({ command: ['systemctl', '--user', ...words] });
  return {
    path: join(config, 'systemd', 'user', unit),
    content: systemdUnit(service),
    start: [systemctl('daemon-reload'), systemctl('enable', unit), systemctl('restart', unit)],
    // One that is not known cannot be stopped; removing it is what counts.
    stop: [{ ...systemctl('disable', '--now', unit), mayFail: true }],
    forget: [systemctl('daemon-reload')],
    hint: `Its log: journalctl --user -u ${unit}. To run it without a login: loginctl enable-linger`,
  };
}

const wordsOf = ({ command }: Step): string => command.join(' ');

async function runAll(steps: readonly Step[], path: string): Promise<void> {
  for (const step of steps) {
    const [program = '', ...args] = step.command;
    try {
      await run(program, args);
    } catch (error) {
      if (step.mayFail) continue;
      const { stderr = '', code } = error as { stderr?: string; code?: unknown };
      const why = code === 'ENOENT' ? `this system has no ${program}` : stderr.trim().split('\n')[0] || String(code);
      throw new CommandError(EXIT.program, `"${wordsOf(step)}" failed: ${why} (the file is ${path})`, { cause: error });
    }
  }
}
