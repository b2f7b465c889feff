/** Texts, images, files and the rest of the log (§5), and which rule each type has. */
import * as calls from './call-rules.ts';
import * as declarations from './declaration-rules.ts';
import { accepted, audienceFor, log, refused, repeatOf, type Rule } from './message.ts';
import * as surfaces from './surface-rules.ts';

/** Everything that is stored and delivered and no more. */
const plain: Rule = (context) => repeatOf(context)?.answer ?? store(context);

/** Stores and delivers a message that is known to be new. */
const store: Rule = (context) => {
  const audience = audienceFor(context);
  if (!audience.ok) return { ok: false, error: audience.error };
  return accepted(log(context, audience.value));
};

/** `image` and `file`: a file_id must be of this conversation. */
const withFile: Rule = (context) => {
  const { ledger, message } = context;
  const repeat = repeatOf(context);
  if (repeat) return repeat.answer;
  const fileId = message.envelope.payload.file_id;
  if (typeof fileId !== 'string') return store(context);
  if (!ledger.files.has(fileId)) return refused('invalid_payload', 'payload.file_id: no such file in this conversation');
  const answer = store(context);
  if (answer.ok && answer.seq !== null) ledger.files.referred(fileId, answer.seq);
  return answer;
};

/** `text.edit`: of a text of its own; only the newest edit keeps its frame. */
const edit: Rule = (context) => {
  const { ledger, message } = context;
  const repeat = repeatOf(context);
  if (repeat) return repeat.answer;
  const asked = audienceFor(context);
  if (!asked.ok) return { ok: false, error: asked.error };
  const messageId = String(message.envelope.payload.message_id);
  const original = ledger.log.find(message.from.id, messageId);
  if (original?.type !== 'text') return refused('unknown_message', 'payload.message_id: no text of yours in the log has this id');
  // Whoever could not see the text must not see its edit either.
  const seq = log(context, original.audience, messageId);
  const previous = ledger.edits.replace(messageId, seq);
  if (previous !== undefined) ledger.log.compact(previous);
  return accepted(seq);
};

/** The rule of each logged and kept type; ephemeral and control types have none. */
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['text', plain],
  ['text.edit', edit],
  ['image', withFile],
  ['file', withFile],
  ['error', plain],
  ['run.cancel', plain],
  ['status', declarations.status],
  ['tool.list', declarations.toolList],
  ['tool.call', calls.call],
  ['tool.result', calls.result],
  ['tool.cancel', calls.cancel],
  ['lineup.v1.app.call', calls.call],
  ['lineup.v1.app.result', calls.result],
  ['lineup.v1.app.cancel', calls.cancel],
  ['lineup.v1.app.list', declarations.appList],
  ['lineup.v1.client.inventory', declarations.inventory],
  ['lineup.v1.ui.open', surfaces.uiOpen],
  ['lineup.v1.ui.patch', surfaces.uiPatch],
  ['lineup.v1.ui.close', surfaces.uiClose],
  ['lineup.v1.ui.event', surfaces.uiEvent],
]);
