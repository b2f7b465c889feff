/** lineup.v1.ui.*: open, patch, close and the user's events (§5). */
import { randomToken } from '../protocol/ids.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { canSee } from './audience.ts';
import type { Ledger } from './ledger.ts';
import { accepted, audienceFor, log, refused, repeatOf, type Rule, type RuleContext } from './message.ts';
import type { Surface } from './surfaces.ts';

const instanceOf = (payload: JsonObject): string => (typeof payload.instance_id === 'string' ? payload.instance_id : '');

/** `ui.open`: opens an instance, or replaces the one of that id. */
export const uiOpen: Rule = (context) => {
  const { ledger, message } = context;
  const { payload } = message.envelope;
  const repeat = repeatOf(context);
  if (repeat) return repeat.answer;
  const audience = audienceFor(context);
  if (!audience.ok) return { ok: false, error: audience.error };
  const app = isJsonObject(payload.app) ? payload.app : {};
  if (app.html === undefined && payload.sealed === undefined) {
    const devices = audience.value === null ? ledger.participants.all('app').map(({ id }) => id) : [audience.value];
    const standing = ledger.declarations.standing('application', String(app.id), devices);
    if (standing === 'undeclared' || standing === 'revoked') {
      return refused(
        standing,
        `payload.app.id: ${standing === 'revoked' ? 'no device has this app any longer' : 'no device has this app'}, and the message brings no html`,
      );
    }
  }
  const instance = instanceOf(payload);
  const open = ledger.surfaces.get(instance);
  if (!open && ledger.surfaces.count >= ledger.limits.open_surfaces) {
    return refused('too_many', `payload.instance_id: ${ledger.limits.open_surfaces} surfaces are open in this conversation`);
  }
  const seq = log(context, audience.value, instance);
  if (open) release(ledger, open);
  ledger.surfaces.open(instance, audience.value, seq);
  return accepted(seq);
};

/** `ui.patch`: replaces the state of an open instance. */
export const uiPatch: Rule = (context) => {
  const { ledger, message } = context;
  const known = findOpen(context);
  if ('answer' in known) return known.answer;
  const seq = log(context, known.surface.audience, instanceOf(message.envelope.payload));
  if (known.surface.patch_seq !== null) compact(ledger, known.surface.patch_seq);
  ledger.surfaces.patched(known.surface, seq);
  return accepted(seq);
};

/** `ui.close` by the agent. */
export const uiClose: Rule = (context) => {
  const { ledger, message } = context;
  const known = findOpen(context);
  if ('answer' in known) return known.answer;
  const instance = instanceOf(message.envelope.payload);
  const seq = log(context, known.surface.audience, instance);
  release(ledger, known.surface);
  ledger.surfaces.close(instance);
  return accepted(seq);
};

/** `ui.event`: what the user did in a surface; `close` closes it for everyone. */
export const uiEvent: Rule = (context) => {
  const { ledger, message, now, effects } = context;
  const { payload } = message.envelope;
  const known = findOpen(context);
  if ('answer' in known) return known.answer;
  const instance = instanceOf(payload);
  const seq = log(context, 'agent', instance);
  if (payload.event === 'close') {
    const close = { id: `relay_${randomToken(20)}`, type: 'lineup.v1.ui.close', payload: { instance_id: instance, reason: 'user' } };
    // The agent has the event; the connection that closed it knows.
    const audience = known.surface.audience ?? 'devices';
    effects.push(ledger.log.append({ envelope: close, sender: { kind: 'relay' }, audience, origin: message.connection, ref: instance, at: now }));
    release(ledger, known.surface);
    ledger.surfaces.close(instance);
  }
  return accepted(seq);
};

function findOpen(context: RuleContext): { surface: Surface } | { answer: ReturnType<Rule> } {
  const { ledger, message } = context;
  const repeat = repeatOf(context);
  if (repeat) return { answer: repeat.answer };
  const audience = audienceFor(context);
  if (!audience.ok) return { answer: { ok: false, error: audience.error } };
  const surface = ledger.surfaces.get(instanceOf(message.envelope.payload));
  if (!surface || !canSee(surface.audience, ledger.agent.id, message.from)) {
    return { answer: refused('unknown_instance', 'payload.instance_id: no open surface has this id') };
  }
  return { surface };
}

/** What a replaced or closed instance leaves behind: patches that nothing needs any more. */
function release(ledger: Ledger, surface: Surface): void {
  if (surface.patch_seq !== null) compact(ledger, surface.patch_seq);
  ledger.log.dropIfTrimmed(surface.open_seq);
}

function compact(ledger: Ledger, seq: number): void {
  ledger.log.compact(seq);
  ledger.log.dropIfTrimmed(seq);
}
