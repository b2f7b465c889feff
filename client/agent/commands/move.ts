/** `lineup move`: carries a conversation from one relay to another, direct mode included, and leaves word of it in the old one. */
import { join } from 'node:path';
import type { ConversationInfo } from '../../../src/protocol/http.ts';
import { RelayError } from '../../core/errors.ts';
import { randomId } from '../../core/random-id.ts';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { isProfileName, profileFolder } from '../config-folder.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { announcement } from '../move/announcement.ts';
import { carrySession } from '../move/carry-session.ts';
import { knownAt, moveHistory, type MoveTally } from '../move/move-history.ts';
import { MoveNote } from '../move/move-note.ts';
import { MoveSide } from '../move/move-side.ts';
import { sentencesOf } from '../move/report.ts';
import { OwnerCalls, readOwnerKey } from '../owner-calls.ts';
import { readIfThere } from '../private-file.ts';
import { readSetup, SetupError, type Setup } from '../setup.ts';

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
      'Copies what was said, with its pictures and files, into a conversation of the agent of another profile, and leaves a link to it in the old one, which stays as it is. ' +
        "It needs the other relay's owner key: direct mode keeps it in its folder; another is asked for, or taken from LINEUP_OWNER_KEY or stdin. " +
        'A move that breaks off goes on when it is run again.',
    )
    .requiredOption('--to <profile>', 'where to')
    .option('--conversation <id>', "which. Default: the agent's first conversation")
    .option('--no-announce', 'no link in the old conversation')
    .addHelpText('after', '\nExamples:\n  $ lineup move --to direct\n  $ lineup --profile direct move --to default')
    .action((options: Options) => move(line, options));
};

async function move(line: CommandLine, options: Options): Promise<void> {
  const from = await sourceOf(line);
  const to = await targetOf(line, options.to);
  if (from.setup.agentId === to.setup.agentId) throw new CommandError(EXIT.usage, `--to must name another profile: "${to.profile}" is this agent`);
  const old = await conversationOf(line, from, options.conversation);
  const owner = await ownerOf(line, to);
  const note = new MoveNote(from.setup, old.conversation_id, to.setup.agentId);
  const { conversationId, known } = await placeAt(to, old, note);
  const tally = await moveHistory({
    from: from.end(old.conversation_id),
    to: to.end(conversationId),
    bring: (messages) => to.insist(() => owner.importHistory(conversationId, messages), ['not_found', 'forbidden']),
    known,
  }).catch(async (error: unknown) => {
    throw await whyNot(error, to, note);
  });
  const session = await carrySession({ setup: from.setup, conversationId: old.conversation_id }, { setup: to.setup, conversationId });
  const { url } = await to.insist((http) => http.createPairing({ ttl_s: LINK_TTL_S, label: 'move' }));
  const link = `${url}&conversation=${conversationId}`;
  if (options.announce) {
    const said = { id: randomId('moved'), type: 'text', payload: { content: announcement(link), format: 'markdown' } };
    await from.insist((http) => http.postMessage(old.conversation_id, said));
  }
  await note.remove();
  report(line, { from, to, old, conversationId, tally, session, link, announced: options.announce });
}

async function sourceOf(line: CommandLine): Promise<MoveSide> {
  const setup = await line.setup();
  return new MoveSide(line.profile, setup, line.http(setup));
}

async function targetOf(line: CommandLine, profile: string): Promise<MoveSide> {
  if (!isProfileName(profile)) throw new CommandError(EXIT.usage, '--to must be the name of a profile');
  let setup: Setup;
  try {
    setup = await readSetup(profileFolder(profile, line.env));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const how = profile === 'direct' ? 'start "lineup direct"' : `run "lineup --profile ${profile} setup"`;
    throw new CommandError(EXIT.usage, `there is no agent in the profile "${profile}" yet: ${how}`, { cause: error });
  }
  return new MoveSide(profile, setup, line.http(setup));
}

async function conversationOf(line: CommandLine, from: MoveSide, wanted: string | undefined): Promise<ConversationInfo> {
  const id = await from.ask((http) => line.conversation(from.setup, http, wanted));
  const found = (await from.ask((http) => http.conversations())).find(({ conversation_id }) => conversation_id === id);
  if (!found) throw new CommandError(EXIT.refused, `${from.profile}: this agent has no conversation ${id} ("lineup conversations" lists them)`);
  if (found.head_seq === 0) throw new CommandError(EXIT.refused, `${from.profile}: nothing was said in ${id} yet, so there is nothing to move`);
  return found;
}

/** The other relay as its owner; says early that it cannot be reached, or that the key is wrong. */
async function ownerOf(line: CommandLine, to: MoveSide): Promise<OwnerCalls> {
  const kept = (await readIfThere(join(to.setup.state, 'owner-key')))?.trim() ?? '';
  const owner = new OwnerCalls(to.setup.relay, kept === '' ? await readOwnerKey(line.env) : kept);
  await to.ask(() => owner.agents());
  return owner;
}

/** The conversation to fill: what an earlier try began, the agent's first one while nobody has spoken there, or a new one. */
async function placeAt(to: MoveSide, { title }: ConversationInfo, note: MoveNote): Promise<{ conversationId: string; known: Set<string> }> {
  const begun = await note.read();
  const there = (await to.ask((http) => http.conversations())).toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  if (begun !== null && there.some(({ conversation_id }) => conversation_id === begun)) {
    return { conversationId: begun, known: await knownAt(to.end(begun)) };
  }
  const [first] = there;
  if (first?.head_seq === 0) {
    await note.write(first.conversation_id);
    if (title !== null) await to.insist((http) => http.renameConversation(first.conversation_id, title));
    return { conversationId: first.conversation_id, known: new Set() };
  }
  const { conversation_id: made } = await to.ask((http) => http.createConversation(title ?? undefined));
  try {
    await note.write(made);
  } catch (error) {
    await to.ask((http) => http.deleteConversation(made));
    throw error;
  }
  return { conversationId: made, known: new Set() };
}

async function whyNot(error: unknown, to: MoveSide, note: MoveNote): Promise<unknown> {
  if (!(error instanceof RelayError)) return error;
  const where = `${to.profile} (${to.setup.relay})`;
  if (error.code === 'not_found') {
    return new CommandError(
      EXIT.protocol,
      `${where}: this relay is older than lineup and takes no conversation in: deploy it anew, then run this again`,
    );
  }
  await note.remove();
  return new CommandError(
    EXIT.refused,
    `${where}: somebody has spoken in the new conversation before it was filled; run this again to begin in another one`,
  );
}

interface Moved {
  from: MoveSide;
  to: MoveSide;
  old: ConversationInfo;
  conversationId: string;
  tally: MoveTally;
  /** Whether the program behind the agent goes on with what it knows. */
  session: boolean;
  link: string;
  announced: boolean;
}

function report({ terminal }: CommandLine, { from, to, old, conversationId, tally, session, link, announced }: Moved): void {
  const side = ({ profile, setup: { relay } }: MoveSide, conversation_id: string) => ({ profile, relay, conversation_id });
  const agent = `lineup --profile ${to.profile}`;
  terminal.result(
    { event: 'moved', from: side(from, old.conversation_id), to: side(to, conversationId), ...tally, session, url: link, announced },
    [
      `${terminal.paint('green', '✓')} ${conversationId} at ${to.profile} (${to.setup.relay}) has what was said in ${old.conversation_id}`,
      ...sentencesOf(tally).map((sentence) => `  ${sentence}`),
      ...(session ? ['  The program behind the agent goes on with its session there'] : []),
      `  Phones go on by this link, once, within an hour: ${terminal.paint('cyan', link)}`,
      announced ? '  It is in the old conversation too.' : '  The old conversation was told nothing.',
      `  The agent that answers has to run there: end it here, then start it as "${agent} connect …" ("${agent} pair" for more phones)`,
    ].join('\n'),
  );
}
