/** What of a conversation can be carried to another relay, and as what: messages that are history, not what is still open. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { randomId } from '../../core/random-id.ts';
import { HISTORY_TYPES } from '../../../src/protocol/http.ts';

/** Why something stays where it is. */
export type StayReason =
  /** A question that waits for its answer: it can be answered where it was asked. */
  | 'open_calls'
  | 'surfaces'
  /** A picture or file whose bytes cannot be had, or that the other relay has no room for. */
  | 'files'
  /** Of a type that this version does not know. */
  | 'unknown';

const SURFACE = 'lineup.v1.ui.';
const CALLS: ReadonlySet<string> = new Set(['tool.call', 'lineup.v1.app.call']);

/** Why a message stays; null for one that goes. */
export function staysBecause({ type, settled }: Delivered): StayReason | null {
  if (CALLS.has(type)) return settled ? null : 'open_calls';
  if (HISTORY_TYPES.has(type)) return null;
  return type.startsWith(SURFACE) ? 'surfaces' : 'unknown';
}

/** The id of what a move says of itself in the conversation that it leaves. */
export function announcementId(): string {
  return randomId('moved');
}

/** Whether a message is what a move said of itself: that stays where it was said. */
export function isAnnouncement({ sender, id }: Pick<Delivered, 'sender' | 'id'>): boolean {
  return sender.kind === 'agent' && /^moved_[a-z2-7]{20}$/.test(id);
}

/** By what a message is known at both relays: the agent has another id at each, devices and messages keep theirs. */
export function carryKey({ sender, id }: Pick<Delivered, 'sender' | 'id'>): string {
  return `${sender.kind === 'app' ? sender.id : sender.kind} ${id}`;
}

/** The file that a message is about. */
export function fileOf({ type, payload }: Delivered): string | null {
  const isAbout = type === 'image' || type === 'file';
  return isAbout && typeof payload.file_id === 'string' ? payload.file_id : null;
}

/** The same message about the same file under the id that it has at the other relay. */
export function withFile(message: Delivered, { file_id, url }: { file_id: string; url: string }): Delivered {
  return { ...message, payload: { ...message.payload, file_id, ...(message.type === 'image' && { url }) } };
}
