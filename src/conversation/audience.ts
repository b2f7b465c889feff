/** Who may see a message (§2): decided once, when it is accepted, and stored beside it. */
import type { Envelope, Participant } from '../protocol/envelope.ts';
import { ok, refuse, type Result } from '../protocol/errors.ts';
import type { MessageType } from '../protocol/messages.ts';
import type { SqlValue } from './ports.ts';

/**
 * Who sees a message beside its sender: `null` everyone, `agent` the agent alone, `devices` every device but not the agent,
 * otherwise the id of the one device.
 */
export type Audience = string | null;

/** Whether a participant sees what `sender` sent to `audience`. */
export function canSee(audience: Audience, sender: string, participant: Participant): boolean {
  if (audience === null || sender === participant.id || audience === participant.id) return true;
  return audience === (participant.kind === 'agent' ? 'agent' : 'devices');
}

/** The same as a SQL condition over the columns `audience` and `sender`. */
export function visibleTo(participant: Participant): { where: string; bindings: SqlValue[] } {
  return {
    where: '(audience IS NULL OR audience = ? OR audience = ? OR sender = ?)',
    bindings: [participant.kind === 'agent' ? 'agent' : 'devices', participant.id, participant.id],
  };
}

/**
 * The audience of a message by its target and type (§2).
 *
 * Without a target an agent speaks to all devices; a device to the agent, and with text, image and file to the user's other
 * devices too. `wrong_target` for anyone that is not in this conversation, and for a device that names another device.
 */
export function audienceOf(
  envelope: Envelope,
  type: MessageType,
  from: Participant,
  known: { agentId: string; hasDevice(id: string): boolean },
): Result<Audience> {
  const { target } = envelope;
  if (from.kind === 'agent') {
    if (target === undefined) return ok(null);
    if (target.kind !== 'app') return refuse('wrong_target', 'target: an agent speaks to devices');
    if (target.id === undefined) return ok(null);
    return known.hasDevice(target.id) ? ok(target.id) : refuse('wrong_target', 'target.id: no such device is paired with this agent');
  }
  if (target === undefined) return ok(type.toOtherDevices ? null : 'agent');
  if (target.kind !== 'agent') return refuse('wrong_target', 'target: a device speaks to its agent');
  if (target.id !== undefined && target.id !== known.agentId) return refuse('wrong_target', 'target.id: no such agent in this conversation');
  return ok('agent');
}
