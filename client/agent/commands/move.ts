/** `lineup move`: carries a conversation from one relay to another, direct mode included, and leaves word of it in the old one. */
import { join } from 'node:path';
import type { ConversationInfo } from '../../../src/protocol/http.ts';
import { hasIdShape } from '../../../src/protocol/ids.ts';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { isProfileName, profileFolder } from '../config-folder.ts';
import { isLoopback } from '../direct/addresses.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { announcement } from '../move/announcement.ts';
import { announcementId } from '../move/carry.ts';
import { carryConversation, type Carried } from '../move/carry-conversation.ts';
import { carrySession } from '../move/carry-session.ts';
import { MoveSide } from '../move/move-side.ts';
import { sentencesOf } from '../move/report.ts';
import { OwnerCalls, readOwnerKey } from '../owner-calls.ts';
import { readIfThere } from '../private-file.ts';
import { readSetup, SetupError, type Setup } from '../setup.ts';
import { typed } from '../typed-command.ts';

/** How long the link in the old conversation works, in seconds: the longest that there is. */
const LINK_TTL_S = 3_600;

interface Options {
  to: string;
  conversation?: string;
  announce: boolean;
}

export const addMove: AddCommand = (program, line) => {
  program
    .command('move')
    .summary('carry a conversation to another relay, or to direct mode and back')
    .description(
      'Copies what was said, with its pictures and files, into a conversation of the agent of another profile, and leaves a link to it in the old one, which stays as it is. Moved again, or back, it goes on there with what was said since. ' +
        "It needs the other relay's owner key: direct mode keeps it in its folder; another is asked for, or taken from LINEUP_OWNER_KEY or stdin. " +
        'A move that breaks off goes on when it is run again.',
    )
    .requiredOption('--to <profile>', 'where to')
    .option('--conversation <id>', 'which. Default: the one in which something was said last')
    .option('--no-announce', 'no link in the old conversation')
    .addHelpText('after', '\nExamples:\n  $ lineup move --to direct\n  $ lineup --profile direct move --to default')
    .action((options: Options) => move(line, options));
};

async function move(line: CommandLine, options: Options): Promise<void> {
  const from = await sourceOf(line);
  const to = await targetOf(line, options.to);
  if (from.setup.agentId === to.setup.agentId) throw new CommandError(EXIT.usage, `--to must name another profile: "${to.profile}" is this agent`);
  const old = await conversationOf(from, options.conversation);
  const owner = await ownerOf(line, to);
  const carried = await carryConversation({ from, to, old, owner });
  const { conversationId } = carried;
  const session = await carrySession({ setup: from.setup, conversationId: old.conversation_id }, { setup: to.setup, conversationId });
  const { url } = await to.insist((http) => http.createPairing({ ttl_s: LINK_TTL_S, label: 'move' }));
  const link = `${url}&conversation=${conversationId}`;
  if (options.announce) {
    const said = { id: announcementId(), type: 'text', payload: { content: announcement(link), format: 'markdown' } };
    await from.insist((http) => http.postMessage(old.conversation_id, said));
  }
  report(line, { from, to, old, carried, session, link, announced: options.announce });
}

async function sourceOf(line: CommandLine): Promise<MoveSide> {
  const setup = await line.setup();
  return new MoveSide(line.profile, setup, line.http(setup), line.named);
}

async function targetOf(line: CommandLine, profile: string): Promise<MoveSide> {
  if (!isProfileName(profile)) throw new CommandError(EXIT.usage, '--to must be the name of a profile');
  let setup: Setup;
  try {
    setup = await readSetup(profileFolder(profile, line.env));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const how = profile === 'direct' ? `start "${typed('direct', { profile })}"` : `run "${typed('setup', { profile })}"`;
    throw new CommandError(EXIT.usage, `there is no agent in the profile "${profile}" yet: ${how}`, { cause: error });
  }
  return new MoveSide(profile, setup, line.http(setup));
}

async function conversationOf(from: MoveSide, wanted: string | undefined): Promise<ConversationInfo> {
  if (wanted !== undefined && !hasIdShape('cv', wanted)) throw new CommandError(EXIT.usage, '--conversation must be a conversation id, cv_…');
  const all = await from.ask((http) => http.conversations());
  const newest = all.toSorted((a, b) => (b.last_message_at ?? '').localeCompare(a.last_message_at ?? ''))[0];
  const found = wanted === undefined ? newest : all.find(({ conversation_id }) => conversation_id === wanted);
  if (!found) {
    throw new CommandError(EXIT.refused, `${from.profile}: this agent has no conversation ${wanted ?? ''} ("lineup conversations" lists them)`);
  }
  if (found.head_seq === 0) {
    throw new CommandError(EXIT.refused, `${from.profile}: nothing was said in ${found.conversation_id} yet, so there is nothing to move`);
  }
  return found;
}

/** The other relay as its owner; says early that it cannot be reached, or that the key is wrong. */
async function ownerOf(line: CommandLine, to: MoveSide): Promise<OwnerCalls> {
  const kept = (await readIfThere(join(to.setup.state, 'owner-key')))?.trim() ?? '';
  const owner = new OwnerCalls(to.setup.relay, kept === '' ? await readOwnerKey(line.env) : kept);
  await to.ask(() => owner.agents());
  return owner;
}

interface Moved {
  from: MoveSide;
  to: MoveSide;
  old: ConversationInfo;
  carried: Carried;
  /** Whether the program behind the agent goes on with what it knows. */
  session: boolean;
  link: string;
  announced: boolean;
}

function report({ terminal }: CommandLine, { from, to, old, carried, session, link, announced }: Moved): void {
  const { conversationId, tally } = carried;
  const side = ({ profile, setup: { relay } }: MoveSide, conversation_id: string) => ({ profile, relay, conversation_id });
  const agent = { profile: to.profile };
  terminal.result(
    { event: 'moved', from: side(from, old.conversation_id), to: side(to, conversationId), ...tally, session, url: link, announced },
    [
      `${terminal.paint('green', '✓')} ${conversationId} at ${to.profile} (${to.setup.relay}) has what was said in ${old.conversation_id}`,
      ...sentencesOf(tally).map((sentence) => `  ${sentence}`),
      ...(session ? ['  The program behind the agent goes on with its session there'] : []),
      `  Phones go on by this link, once, within an hour: ${terminal.paint('cyan', link)}`,
      ...(isLoopback(new URL(link).hostname) ? ['  Only this machine can open it: its relay listens to nobody else'] : []),
      announced ? '  It is in the old conversation too.' : '  The old conversation was told nothing.',
      `  The agent that answers has to run there: end it here, then start it as "${typed('connect …', agent)}" ("${typed('pair', agent)}" for more phones)`,
    ].join('\n'),
  );
}
