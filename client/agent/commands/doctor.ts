/** `lineup doctor`: finds out why it does not work. */
import { readRelayAddress, type AddCommand, type CommandLine } from '../command-line.ts';
import { examine, machineChecks, relayChecks, wayChecks, type Finding } from '../doctor-checks.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { advised } from '../typed-command.ts';
import { VERSION } from '../version.ts';

export const addDoctor: AddCommand = (program, line) => {
  program
    .command('doctor')
    .summary('find out why it does not work')
    .description(
      'Looks at everything between this machine and the relay (version, proxy, DNS, TLS, relay, clock, token, WebSocket), and says what to do. It changes nothing.',
    )
    .argument('[relay]', "the address of a relay to look at, without an agent. Default: the agent's; without a setup LINEUP_RELAY_URL")
    .addHelpText(
      'after',
      '\nExamples:\n  $ lineup doctor\n  $ lineup doctor https://relay.example     before setup\n  $ lineup doctor --json\n\nExits with the code of the first check that failed: 2, 3, 5, 6 or 7 as "lineup --help" says.',
    )
    .action((relay: string | undefined) => doctor(line, relay));
};

async function doctor(line: CommandLine, named: string | undefined): Promise<void> {
  const { terminal } = line;
  const wanted = named === undefined ? null : readRelayAddress(named, 'the relay');
  const show = (finding: Finding) => terminal.say(describe(withAgent(finding, line), line));
  const findings = await examine(machineChecks(VERSION, line.env), show);
  if (wanted !== null) findings.push(...(await examine(wayChecks(wanted), show)));
  else findings.push(...(await examineAgent(line, show)));
  if (terminal.json) terminal.result({ findings: findings.map((finding) => withAgent(finding, line)) }, '');
  const bad = findings.find(({ state }) => state === 'failed');
  process.exitCode = bad ? (bad.exitCode ?? EXIT.failed) : EXIT.ok;
}

/** The agent's way to its relay; without an agent the way to the relay of the environment, if there is one. */
async function examineAgent(line: CommandLine, show: (finding: Finding) => void): Promise<Finding[]> {
  try {
    const setup = await line.setup();
    return await examine(relayChecks(setup), show);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { LINEUP_RELAY_URL = '' } = line.env;
    const findings = LINEUP_RELAY_URL === '' ? [] : await examine(wayChecks(readRelayAddress(LINEUP_RELAY_URL, 'LINEUP_RELAY_URL')), show);
    const advice = LINEUP_RELAY_URL === '' ? `${error.message}; "lineup doctor https://relay.example" looks at the way to a relay` : error.message;
    const finding: Finding = { check: 'setup', state: 'failed', detail: 'there is no agent', advice, exitCode: error.exitCode };
    show(finding);
    return [...findings, finding];
  }
}

function withAgent(finding: Finding, { named }: CommandLine): Finding {
  return finding.advice === undefined ? finding : { ...finding, advice: advised(finding.advice, named) };
}

function describe({ check, state, detail, advice }: Finding, { terminal }: CommandLine): string {
  const mark = { ok: terminal.paint('green', '✓'), warning: terminal.paint('yellow', '!'), failed: terminal.paint('red', '✗') }[state];
  return `${mark} ${check.padEnd(9)} ${detail}${advice === undefined ? '' : `\n${' '.repeat(12)}→ ${advice}`}`;
}
