/** Kept types (§5, §7): status, tool lists, inventories and capability lists. Only the latest counts; none is in the log. */
import type { Envelope, Sender } from '../protocol/envelope.ts';
import { randomToken } from '../protocol/ids.ts';
import { canonicalJson, jsonText, type JsonObject } from '../protocol/json.ts';
import type { Audience } from './audience.ts';
import { textDigest } from './digest.ts';
import { deliveredFrame } from './effects.ts';
import type { Ledger } from './ledger.ts';
import { accepted, audienceFor, refused, repeated, toSender, type Rule, type RuleContext } from './message.ts';

function frameOf(ledger: Ledger, envelope: Envelope, sender: Sender, at: number): string {
  const target = envelope.target && jsonText({ ...envelope.target } as JsonObject);
  const { id, type } = envelope;
  return deliveredFrame({ id, type, conversationId: ledger.meta.conversationId, sender, target, seq: null, at, payload: jsonText(envelope.payload) });
}

/** Delivers the message to whom it is for, and answers the frame that went out. */
function deliver(context: RuleContext): { ok: true; frame: string; audience: Audience } | { ok: false; answer: ReturnType<Rule> } {
  const { ledger, message, now, effects } = context;
  const audience = audienceFor(context);
  if (!audience.ok) return { ok: false, answer: { ok: false, error: audience.error } };
  const frame = frameOf(ledger, message.envelope, message.from, now);
  const { from, connection: origin } = message;
  effects.push({ kind: 'broadcast', class: 'kept', after: ledger.log.head, sender: from.id, audience: audience.value, origin, frame });
  return { ok: true, frame, audience: audience.value };
}

/** `status`. */
export const status: Rule = (context) => {
  const sent = deliver(context);
  if (!sent.ok) return sent.answer;
  context.ledger.declarations.keepStatus(context.message.from.id, sent.audience, sent.frame);
  return accepted(null);
};

/** `tool.list`: the agent's question, or a device's answer. */
export const toolList: Rule = (context) => {
  const { ledger, message } = context;
  if (message.from.kind === 'agent') return askForTools(context);
  const sent = deliver(context);
  if (!sent.ok) return sent.answer;
  ledger.declarations.keep(`tools:${message.from.id}`, sent.frame);
  return accepted(null);
};

function askForTools(context: RuleContext): ReturnType<Rule> {
  const { ledger, message, now, effects, isOnline } = context;
  const audience = audienceFor(context);
  if (!audience.ok) return { ok: false, error: audience.error };
  const asked = ledger.participants.all('app').filter(({ id }) => audience.value === null || audience.value === id);
  if (asked.some(({ id }) => isOnline(id))) {
    const frame = frameOf(ledger, message.envelope, message.from, now);
    // A question is worth nothing later, so it goes even to a device that waits.
    effects.push({ kind: 'broadcast', class: 'control', sender: message.from.id, audience: audience.value, origin: message.connection, frame });
    return accepted(null);
  }
  // Nobody is there to ask: the relay answers with what it last heard, and says so.
  const answers = asked.flatMap(({ id }) => {
    const last = ledger.declarations.kept(`tools:${id}`);
    return last === undefined ? [] : [{ sender: { kind: 'app', id } as Sender, payload: (JSON.parse(last) as Envelope).payload }];
  });
  if (answers.length === 0) answers.push({ sender: { kind: 'relay' }, payload: { tools: [] } });
  for (const { sender, payload } of answers) {
    const answer = { id: `relay_${randomToken(20)}`, type: 'tool.list', payload: { ...payload, reply_to: message.envelope.id, stale: true } };
    effects.push(toSender(message, frameOf(ledger, answer, sender, now)));
  }
  return accepted(null);
}

/** `lineup.v1.client.inventory`: each revision once; a superseded one does not become current again (§7). */
export const inventory: Rule = (context) => {
  const { ledger, message } = context;
  const { payload } = message.envelope;
  const device = message.from.id;
  const revision = String(payload.revision);
  const digest = textDigest(canonicalJson(payload));
  const known = ledger.declarations.revision(device, revision);
  if (known !== undefined) {
    return known === digest ? repeated(null) : refused('revision_conflict', 'payload.revision: this revision was already sent with other content');
  }
  const sent = deliver(context);
  if (!sent.ok) return sent.answer;
  ledger.declarations.addRevision(device, revision, digest);
  ledger.declarations.keep(`inventory:${device}`, sent.frame);
  ledger.declarations.declare(device, 'application', names(payload.applications, 'id'));
  ledger.declarations.declare(device, 'capability', names(payload.capabilities, 'name'));
  return accepted(null);
};

/** `lineup.v1.app.list`: the capabilities alone; of it and the inventory the newer is current. */
export const appList: Rule = (context) => {
  const { ledger, message } = context;
  const { capabilities } = message.envelope.payload;
  const sent = deliver(context);
  if (!sent.ok) return sent.answer;
  ledger.declarations.keep(`apps:${message.from.id}`, sent.frame);
  // A sealed one need not say what it lists: then what was declared stays.
  if (capabilities !== undefined) ledger.declarations.declare(message.from.id, 'capability', names(capabilities, 'name'));
  return accepted(null);
};

function names(list: unknown, field: 'id' | 'name'): string[] {
  return Array.isArray(list) ? list.map((item: JsonObject) => String(item[field])) : [];
}
