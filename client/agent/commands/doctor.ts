/** `lineup doctor`: finds out why it does not work. */
import type { AddCommand, CommandLine } from '../command-line.ts';
import { examine, machineChecks, relayChecks, type Finding } from '../doctor-checks.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { VERSION } from '../version.ts';

export const addDoctor: AddCommand = (program, line) => {
  program
    .command('doctor')
    .summary('find out why it does not work')
    .description(
      'Looks at everything between this machine and the relay (version, proxy, DNS, TLS, relay, clock, token, WebSocket), and says what to do. It changes nothing.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ lineup doctor\n  $ lineup doctor --json\n\nExits with the code of the first check that failed: 2, 3, 5, 6 or 7 as "lineup --help" says.',
    )
    .action(() => doctor(line));
};

async function doctor(line: CommandLine): Promise<void> {
  const { terminal } = line;
  const show = (finding: Finding) => terminal.say(describe(finding, line));
  const findings = await examine(machineChecks(VERSION, line.env), show);
  try {
    const setup = await line.setup();
    findings.push(...(await examine(relayChecks(setup), show)));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const finding: Finding = { check: 'setup', state: 'failed', detail: 'there is no agent', advice: error.message, exitCode: error.exitCode };
    findings.push(finding);
    show(finding);
  }
  if (terminal.json) terminal.result({ findings }, '');
  const bad = findings.find(({ state }) => state === 'failed');
  process.exitCode = bad ? (bad.exitCode ?? EXIT.failed) : EXIT.ok;
}

function describe({ check, state, detail, advice }: Finding, { terminal }: CommandLine): string {
  const mark = { ok: terminal.paint('green', '✓'), warning: terminal.paint('yellow', '!'), failed: terminal.paint('red', '✗') }[state];
  return `${mark} ${check.padEnd(9)} ${detail}${advice === undefined ? '' : `\n${' '.repeat(12)}→ ${advice}`}`;
}
