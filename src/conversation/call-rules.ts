/** tool.* and app.*: one state machine for both kinds of call (§6). */
import type { Envelope, Sender } from '../protocol/envelope.ts';
import type { CallStatus } from '../protocol/handshake.ts';
import { randomToken } from '../protocol/ids.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { DEFAULT_CALL_TTL_MS, MAX_CALL_TTL_MS } from '../protocol/limits.ts';
import { canSee } from './audience.ts';
import type { Call } from './calls.ts';
import { canonicalContent, contentDigest } from './digest.ts';
import { controlFrame, type Effect } from './effects.ts';
import type { Ledger } from './ledger.ts';
import { accepted, audienceFor, log, refused, repeated, repeatOf, toSender, type Rule, type RuleContext } from './message.ts';
import type { Standing } from './declarations.ts';

const RELAY: Sender = { kind: 'relay' };
const ERROR_TO_STATUS: ReadonlyMap<string, CallStatus> = new Map([
  ['rejected', 'rejected'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['unknown_tool', 'unsupported'],
  ['unknown_action', 'unsupported'],
]);

const text = (payload: JsonObject, field: string): string | null => (typeof payload[field] === 'string' ? payload[field] : null);
const callIdOf = (payload: JsonObject): string => text(payload, 'call_id') ?? '';
const kindOf = (type: string): Call['kind'] => (type.startsWith('tool.') ? 'tool' : 'app');

/** What a call says of itself: its id, and what the audit tells of it. */
export function describeCall({ type, payload }: Envelope): Pick<Call, 'call_id' | 'kind' | 'name' | 'action' | 'capability' | 'reason'> {
  return {
    call_id: callIdOf(payload),
    kind: kindOf(type),
    name: text(payload, 'name'),
    action: text(payload, 'action'),
    capability: text(payload, 'capability'),
    reason: text(payload, 'reason'),
  };
}

/** `tool.call` and `app.call`. */
export const call: Rule = (context) => {
  const { ledger, message, now } = context;
  const { payload, type } = message.envelope;
  const callId = callIdOf(payload);
  const digest = contentDigest(message.envelope);
  const repeat = repeatOf(context);
  if (repeat && !repeat.answer.ok) return repeat.answer;
  const known = ledger.calls.get(callId);
  if (known) {
    if (known.digest !== digest) return refused('call_id_conflict', `payload.call_id: ${callId} was already used for a call with other content`);
    sendResultAgain(context, known);
    return repeated(repeat?.entry.seq ?? known.seq);
  }
  if (repeat) return repeat.answer;

  const expires = text(payload, 'expires_at');
  const expiresAt = expires === null ? now + DEFAULT_CALL_TTL_MS : Date.parse(expires);
  if (expiresAt - now > MAX_CALL_TTL_MS) return refused('invalid_payload', 'payload.expires_at: more than 7 days ahead');
  const audience = audienceFor(context);
  if (!audience.ok) return { ok: false, error: audience.error };
  if (ledger.calls.pendingCount >= ledger.limits.pending_calls) {
    return refused('too_many', `payload.call_id: ${ledger.limits.pending_calls} calls are pending in this conversation`);
  }
  const standing = type === 'lineup.v1.app.call' ? standingOf(ledger, text(payload, 'capability') ?? '', audience.value) : 'unknown';
  const ended = expiresAt <= now ? 'expired' : standing === 'revoked' || standing === 'undeclared' ? 'unsupported' : null;
  // A call that has ended before it began is never shown to a device.
  const shownTo = ended ? 'agent' : audience.value;
  const seq = log(context, shownTo, callId);
  const asked: Omit<Call, 'status' | 'settled_at' | 'settled_by' | 'result_seq'> = {
    ...describeCall(message.envelope),
    seq,
    audience: shownTo,
    digest,
    asked_by: message.from.id,
    asked_at: now,
    expires_at: expiresAt,
  };
  ledger.calls.add(asked);
  if (ended) settleByRelay(context, asked, ended, RELAY, ended === 'unsupported' ? standing : undefined);
  return accepted(seq);
};

function standingOf(ledger: Ledger, capability: string, audience: string | null): Standing {
  const devices = audience === null ? ledger.participants.all('app').map(({ id }) => id) : [audience];
  return ledger.declarations.standing('capability', capability, devices);
}

function sendResultAgain({ ledger, message, effects }: RuleContext, { result_seq: seq }: Call): void {
  const frame = seq === null ? undefined : ledger.log.frameAt(seq);
  if (seq === null || frame === undefined) return;
  effects.push({ kind: 'resent', participant: message.from.id, connection: message.connection, seq, frame });
}

/** `tool.result` and `app.result`: the first one wins. */
export const result: Rule = (context) => {
  const { ledger, message, now, effects } = context;
  const { envelope, from, connection } = message;
  const repeat = repeatOf(context);
  if (repeat) return repeat.answer;
  const known = ledger.calls.get(callIdOf(envelope.payload));
  if (!known || known.kind !== kindOf(envelope.type)) return refused('unknown_call', `payload.call_id: no ${kindOf(envelope.type)} call has this id`);
  if (known.audience !== 'agent' && !canSee(known.audience, known.asked_by, from)) {
    return refused('wrong_target', 'payload.call_id: this call is meant for another device');
  }
  const audience = audienceFor(context);
  if (!audience.ok) return { ok: false, error: audience.error };
  if (known.status !== 'pending') {
    if (isOwnResult(ledger, known, envelope, from.id)) return repeated(known.result_seq);
    effects.push(toSender(message, settledFrame(known)));
    return refused('already_settled', `payload.call_id: this call was already ${known.status}`);
  }
  const seq = log(context, 'agent', known.call_id);
  const status = statusOf(envelope);
  ledger.calls.settle(known.call_id, { status, by: from, at: now, resultSeq: seq });
  ledger.log.dropIfTrimmed(known.seq);
  tellDevices(effects, known, { status, by: from }, connection);
  return accepted(seq);
};

function isOwnResult(ledger: Ledger, settled: Call, envelope: Envelope, device: string): boolean {
  const frame = settled.result_seq === null ? undefined : ledger.log.frameAt(settled.result_seq);
  if (frame === undefined) return false;
  const stored = JSON.parse(frame) as Envelope & { sender: Sender };
  return stored.sender.kind === 'app' && stored.sender.id === device && canonicalContent(stored) === canonicalContent(envelope);
}

function statusOf({ type, payload }: Envelope): CallStatus {
  if (type === 'lineup.v1.app.result') return payload.status as CallStatus;
  if (!isJsonObject(payload.error)) return 'completed';
  return ERROR_TO_STATUS.get(text(payload.error, 'code') ?? '') ?? 'failed';
}

/** `tool.cancel` and `app.cancel`. */
export const cancel: Rule = (context) => {
  const { ledger, message } = context;
  const { envelope, from } = message;
  const repeat = repeatOf(context);
  if (repeat) return repeat.answer;
  const asked = audienceFor(context);
  if (!asked.ok) return { ok: false, error: asked.error };
  const callId = callIdOf(envelope.payload);
  const known = ledger.calls.get(callId);
  if (!known || known.kind !== kindOf(envelope.type)) return refused('unknown_call', `payload.call_id: no ${kindOf(envelope.type)} call has this id`);
  if (known.status === 'cancelled') return repeated(known.result_seq);
  if (known.status !== 'pending') return refused('already_settled', `payload.call_id: this call was already ${known.status}`);
  const seq = log(context, known.audience, callId);
  settleByRelay(context, known, 'cancelled', from);
  return accepted(seq);
};

/** Settles every unsettled call of the agent as cancelled (§4 `cancel_pending`). */
export function cancelPending(ledger: Ledger, now: number, effects: Effect[]): void {
  for (const pending of ledger.calls.pending()) settleByRelay({ ledger, now, effects }, pending, 'cancelled', ledger.agent);
}

/**
 * Settles every pending call whose time has passed (§6, 5). Comes before everything else that is done with calls, for the alarm may
 * ring late.
 */
export function expireCalls(ledger: Ledger, now: number, effects: Effect[]): void {
  if (!ledger.due.isDue(now)) return;
  for (const { kind, key } of ledger.due.dueAt(now)) {
    const pending = kind === 'call' ? ledger.calls.get(key) : undefined;
    if (pending) settleByRelay({ ledger, now, effects }, pending, 'expired', RELAY);
  }
}

type Asked = Pick<Call, 'call_id' | 'kind' | 'seq' | 'audience' | 'name' | 'action' | 'asked_by'>;

/** Settles a call with a result frame that the relay makes. */
function settleByRelay(
  { ledger, now, effects }: Pick<RuleContext, 'ledger' | 'now' | 'effects'>,
  asked: Asked,
  status: 'cancelled' | 'expired' | 'unsupported',
  by: Sender,
  standing?: Standing,
): void {
  const entry = ledger.log.append({
    envelope: {
      id: `relay_${randomToken(20)}`,
      type: asked.kind === 'tool' ? 'tool.result' : 'lineup.v1.app.result',
      payload: relayResult(asked, status, standing),
    },
    sender: RELAY,
    audience: 'agent',
    origin: null,
    ref: asked.call_id,
    at: now,
  });
  effects.push(entry);
  ledger.calls.settle(asked.call_id, { status, by, at: now, resultSeq: entry.seq });
  ledger.log.dropIfTrimmed(asked.seq);
  tellDevices(effects, asked, { status, by }, null);
}

const SAID = {
  cancelled: 'the agent cancelled this call',
  expired: 'nobody answered before the call expired',
  unsupported: 'no paired device declares this capability',
};

function relayResult(asked: Asked, status: keyof typeof SAID, standing: Standing | undefined): JsonObject {
  const code = standing ?? status;
  const message = standing === 'revoked' ? 'no paired device declares this capability any longer' : SAID[status];
  if (asked.kind === 'app') return { call_id: asked.call_id, status, error: { code, message } };
  return { name: asked.name, ...(asked.action !== null && { action: asked.action }), call_id: asked.call_id, error: { code, message } };
}

function settledFrame(settled: Call): string {
  const by: unknown = settled.settled_by === null ? RELAY : JSON.parse(settled.settled_by);
  return controlFrame('system.settled', { call_id: settled.call_id, status: settled.status, by });
}

/** Closes the dialogs: every device that may see the call hears that it is settled, but for the connection whose result won. */
function tellDevices(effects: Effect[], asked: Asked, settled: { status: CallStatus; by: Sender }, winner: string | null): void {
  if (asked.audience === 'agent') return;
  effects.push({
    kind: 'broadcast',
    class: 'control',
    sender: 'relay',
    audience: asked.audience ?? 'devices',
    origin: winner,
    frame: controlFrame('system.settled', { call_id: asked.call_id, ...settled }),
  });
}
