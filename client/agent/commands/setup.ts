/** `lineup setup`: enrols this machine's agent at a relay. */
import { hostname } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { readRelayAddress, type AddCommand, type CommandLine } from '../command-line.ts';
import { RelayHttp, type Enrolled } from '../../core/http.ts';
import { NetworkError, RelayError } from '../../core/errors.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { isStranger } from '../failure.ts';
import { OwnerCalls, readOwnerKey, withOwnerKey } from '../owner-calls.ts';
import { makePrivateFolder } from '../private-file.ts';
import { knownSetup, readSetup, removeSetup, writeSetup } from '../setup.ts';
import { typed } from '../typed-command.ts';

/** The protocol's version that this package speaks. */
const PROTOCOL = 1;

interface Options {
  name?: string;
  renew?: true;
}

export const addSetup: AddCommand = (program, line) => {
  program
    .command('setup')
    .summary('enrol an agent of this machine at your relay')
    .description(
      "Enrols an agent at your relay and keeps its token on this machine, readable by you alone. It asks for the relay's owner key, or takes it from LINEUP_OWNER_KEY or stdin; the key is used once and not stored.",
    )
    .argument('[relay]', "the relay's address; default: LINEUP_RELAY_URL")
    .option('--name <name>', 'how your phone shows the agent. Default: the name of this machine')
    .option('--renew', 'a new token for the agent that is set up: when the old one was lost, leaked or ran out. Pairings stay')
    .addHelpText(
      'after',
      '\nExamples:\n  $ lineup setup https://relay.example\n  $ lineup setup https://relay.example --name Hermes --profile hermes\n  $ pass show lineup | lineup setup https://relay.example\n  $ lineup setup --renew',
    )
    .action((relay: string | undefined, options: Options) => (options.renew ? renew(line) : enrol(line, relay, options)));
};

async function enrol(line: CommandLine, wanted: string | undefined, { name = hostname() }: Options): Promise<void> {
  const { terminal, state } = line;
  const known = await knownSetup(state);
  if (known) {
    throw new CommandError(
      EXIT.usage,
      `"${known.name}" is set up here already, at ${known.relay}: use another --profile, "lineup setup --renew" for a new token, or "lineup logout" first`,
    );
  }
  if (name.trim() === '' || name.length > 128) throw new CommandError(EXIT.usage, '--name must have 1 to 128 characters');
  const origin = readRelayAddress(wanted ?? line.env.LINEUP_RELAY_URL ?? (await askForRelay()), 'the relay');
  await checkRelay(origin);
  // A folder that cannot be written is better found out before the relay has an agent that nobody knows.
  await makePrivateFolder(state);
  const key = await readOwnerKey(line.env);
  const enrolled = await RelayHttp.enrol(origin, key, { name: name.trim() }).catch((error: unknown) => {
    throw withOwnerKey(error);
  });
  await keep(line, origin, name.trim(), key, enrolled);
  const { agent_id, conversation_id } = enrolled;
  terminal.result(
    { relay: origin, agent_id, conversation_id, name: name.trim(), state },
    `${terminal.paint('green', '✓')} "${name.trim()}" is enrolled at ${origin}\n  Next: ${typed('pair', line.named)}`,
  );
}

async function keep(line: CommandLine, relay: string, name: string, key: string, enrolled: Enrolled): Promise<void> {
  const { agent_id: agentId, conversation_id: conversationId, token } = enrolled;
  try {
    await writeSetup({ relay, agentId, conversationId, name, token, state: line.state });
  } catch (error) {
    await removeSetup(line.state, agentId);
    await new OwnerCalls(relay, key).revoke(agentId).catch(() => line.terminal.note(`${agentId} was enrolled but could not be kept: revoke it`));
    throw error;
  }
}

async function renew(line: CommandLine): Promise<void> {
  const { terminal, state } = line;
  const known = await readSetup(state, { needsToken: false });
  const key = await readOwnerKey(line.env);
  const { token, expires_at } = await new OwnerCalls(known.relay, key).renew(known.agentId).catch((error: unknown) => {
    if (!(error instanceof RelayError) || error.status !== 404) throw error;
    throw new CommandError(EXIT.refused, 'the relay does not know this agent any more: run "lineup logout --yes", then "lineup setup"');
  });
  await writeSetup({ ...known, token });
  terminal.result(
    { agent_id: known.agentId, expires_at },
    `${terminal.paint('green', '✓')} "${known.name}" has a new token, good until ${expires_at}`,
  );
}

/** Says early, and in words, that this is not the address of a relay that this version can talk to. */
async function checkRelay(origin: string): Promise<void> {
  const health = await RelayHttp.health(origin).catch((error: unknown) => {
    const isOther = error instanceof RelayError || (error instanceof NetworkError && isStranger(error));
    if (!isOther) throw error;
    const status = error instanceof RelayError ? ` (HTTP ${error.status})` : '';
    throw new CommandError(EXIT.refused, `there is no LineUp relay at ${origin}${status}`);
  });
  if (health?.name !== 'lineup-relay') throw new CommandError(EXIT.refused, `there is no LineUp relay at ${origin}`);
  if (health.protocol !== PROTOCOL) {
    throw new CommandError(
      EXIT.protocol,
      `the relay speaks version ${health.protocol} of the protocol, this lineup ${PROTOCOL}: update the older one`,
    );
  }
}

async function askForRelay(): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError(EXIT.usage, "the relay's address is missing: lineup setup https://relay.example");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question("The relay's address: ");
  } finally {
    lines.close();
  }
}
