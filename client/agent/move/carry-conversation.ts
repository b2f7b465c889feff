/** Finds or makes the conversation at the other relay, and has it filled with what is not there yet. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { ConversationInfo, ImportAnswer } from '../../../src/protocol/http.ts';
import { RelayError } from '../../core/errors.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import type { OwnerCalls } from '../owner-calls.ts';
import { moveHistory, presentAt, type MoveTally, type Present } from './move-history.ts';
import { MoveNote, type Counterpart } from './move-note.ts';
import type { MoveSide } from './move-side.ts';

/** A conversation that was carried. */
export interface Carried {
  /** At the other relay. */
  conversationId: string;
  tally: MoveTally;
}

type Owner = Pick<OwnerCalls, 'importHistory'>;

interface CarryParts {
  from: MoveSide;
  to: MoveSide;
  old: ConversationInfo;
  /** The other relay as its owner. */
  owner: Owner;
}

/** Somebody may speak while messages are brought in; so often the rest is brought in behind that. */
const MAX_INTERRUPTIONS = 10;
const NOTHING: Present = { keys: new Set(), head: 0, oldest: 1, spoken: 0 };

/** @throws CommandError that says at which side what failed; running it again goes on from there */
export async function carryConversation({ from, to, old, owner }: CarryParts): Promise<Carried> {
  const note = new MoveNote(from.setup, old.conversation_id, to.setup.agentId);
  const { there, present } = await placeAt(to, old, note);
  const { conversationId, filled } = there;
  const end = to.end(conversationId);
  const bring = (messages: Delivered[], after: number) =>
    filled ? bringBehind(to, owner, conversationId, messages, after) : bringFirst(to, owner, conversationId, messages, note);
  const { tally, doneTo, head } = await moveHistory({ from: from.end(old.conversation_id), to: end, since: there.seq, present, bring });
  await note.write({ conversationId, seq: doneTo, filled: true });
  await noteBack({ from, to, old }, conversationId, { spoken: present.spoken, head, isOurs: head === present.head + tally.moved });
  return { conversationId, tally };
}

/** Where to: the counterpart that the conversation has, the agent's first conversation while nobody has spoken there, or a new one. */
async function placeAt(to: MoveSide, { title }: ConversationInfo, note: MoveNote): Promise<{ there: Counterpart; present: Present }> {
  const known = await note.read();
  const list = (await to.ask((http) => http.conversations())).toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  if (known && list.some(({ conversation_id }) => conversation_id === known.conversationId)) {
    return { there: known, present: await presentAt(to.end(known.conversationId)) };
  }
  const [first] = list;
  const isFree = first?.head_seq === 0;
  const { conversation_id: conversationId } = isFree ? first : await to.ask((http) => http.createConversation(title ?? undefined));
  const there = { conversationId, seq: 0, filled: false };
  try {
    await note.write(there);
  } catch (error) {
    if (!isFree) await to.ask((http) => http.deleteConversation(conversationId));
    throw error;
  }
  if (isFree && title !== null) await to.insist((http) => http.renameConversation(conversationId, title));
  return { there, present: NOTHING };
}

/** Fills a new conversation: what was said long ago comes before everything else, or not at all. */
async function bringFirst(to: MoveSide, owner: Owner, conversationId: string, messages: Delivered[], note: MoveNote): Promise<ImportAnswer> {
  try {
    return await to.insist(() => owner.importHistory(conversationId, messages), ['not_found', 'forbidden']);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    if (error.code === 'not_found') throw tooOld(to);
    await note.remove();
    throw new CommandError(
      EXIT.refused,
      `${to.profile} (${to.setup.relay}): somebody has spoken in ${conversationId} before it was filled; run this again to begin in another one`,
    );
  }
}

/** Adds to a conversation that was moved before, behind whatever is said there meanwhile. */
async function bringBehind(to: MoveSide, owner: Owner, conversationId: string, messages: Delivered[], head: number): Promise<ImportAnswer> {
  for (let after = head, interruptions = 0; ; interruptions++) {
    try {
      return await to.insist(() => owner.importHistory(conversationId, messages, after), ['not_found', 'forbidden']);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      if (error.code === 'not_found') throw tooOld(to);
      if (interruptions >= MAX_INTERRUPTIONS) {
        throw new CommandError(
          EXIT.refused,
          `${to.profile} (${to.setup.relay}): too much is being said in ${conversationId} just now; run this again`,
        );
      }
      ({ head_seq: after } = await to.insist((http) => http.history(conversationId, { limit: 1 })));
    }
  }
}

function tooOld({ profile, setup: { relay } }: MoveSide): CommandError {
  return new CommandError(
    EXIT.protocol,
    `${profile} (${relay}): this relay is older than lineup and takes no conversation in: deploy it anew, then run this again`,
  );
}

/** What the way back has to know of the conversation there. */
interface There {
  /** Seq of the newest message before this move. */
  spoken: number;
  /** The newest seq now. */
  head: number;
  /** Whether nothing came in between but what was brought. */
  isOurs: boolean;
}

/** Notes beside the conversation there what of it is here, so that the way back brings only what is new. */
async function noteBack(
  { from, to, old }: Pick<CarryParts, 'from' | 'to' | 'old'>,
  conversationId: string,
  { spoken, head, isOurs }: There,
): Promise<void> {
  const back = new MoveNote(to.setup, conversationId, from.setup.agentId);
  const known = (await back.read())?.seq ?? 0;
  // What was said there since the last time is not here yet, whatever came behind it.
  const seq = isOurs && spoken <= known ? head : known;
  await back.write({ conversationId: old.conversation_id, seq, filled: true });
}
