/** `lineup logout`: forgets the agent on this machine. */
import type { AddCommand, CommandLine } from '../command-line.ts';
import { readRunner } from '../agent-claim.ts';
import { RelayError } from '../../core/errors.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { localQueue } from '../local-state.ts';
import { OwnerCalls, readOwnerKey } from '../owner-calls.ts';
import { join } from 'node:path';
import { readSetup, removeSetup } from '../setup.ts';

interface Options {
  revoke?: true;
  force?: true;
  yes?: true;
}

export const addLogout: AddCommand = (program, line) => {
  program
    .command('logout')
    .summary('forget the agent on this machine')
    .description(
      'Removes the token and everything that the agent keeps here. The relay still knows the agent and its devices; with --revoke (and the owner key) it forgets them too, and the token is worth nothing.',
    )
    .option('--revoke', 'revoke the agent and all of its devices at the relay')
    .option('--yes', 'that you mean it')
    .option('--force', 'also when messages would be lost that were never sent')
    .addHelpText('after', '\nExamples:\n  $ lineup logout --yes\n  $ lineup logout --yes --revoke --profile hermes')
    .action((options: Options) => logout(line, options));
};

async function logout(line: CommandLine, { revoke, force, yes }: Options): Promise<void> {
  const { terminal, state } = line;
  const { relay, agentId, name } = await readSetup(state, { needsToken: false });
  const folder = join(state, agentId);
  const runner = await readRunner(folder);
  if (runner) throw new CommandError(EXIT.replaced, `this agent runs (process ${runner.pid}): end it first`);
  const unsent = (await localQueue(folder)).reduce((sum, { unsent: count }) => sum + count, 0);
  if (unsent > 0 && !force) {
    throw new CommandError(EXIT.usage, `${unsent} messages were never sent and would be lost: run the agent until they are, or give --force`);
  }
  if (!yes) {
    const left = revoke ? 'its devices have to pair again' : 'the relay goes on knowing it and its devices (--revoke: it forgets them too)';
    throw new CommandError(EXIT.usage, `this removes the token of "${name}", which cannot be brought back; ${left}: give --yes if that is meant`);
  }
  if (revoke) {
    const owner = new OwnerCalls(relay, await readOwnerKey(line.env));
    // One that the relay does not know any more is as good as revoked.
    await owner.revoke(agentId).catch((error: unknown) => {
      if (!(error instanceof RelayError && error.status === 404)) throw error;
    });
  }
  await removeSetup(state, agentId);
  const rest = revoke
    ? ''
    : `. The relay still knows it; to end that, with the owner key:
  curl -X DELETE -H "Authorization: Bearer $LINEUP_OWNER_KEY" ${relay}/v1/agents/${agentId}`;
  terminal.result({ agent_id: agentId, revoked: revoke === true }, `${terminal.paint('green', '✓')} "${name}" is forgotten here${rest}`);
}
