/** What the directory tells a conversation: who was paired or revoked, and what happens to conversations (§3, §5). */
import type { ConversationChange } from '../protocol/handshake.ts';
import type { ConversationInfo, DeviceInfo } from '../protocol/http.ts';
import { controlFrame, type Effect } from './effects.ts';
import type { Ledger } from './ledger.ts';
import type { Sql } from './ports.ts';
import { writeTitle } from './meta.ts';

/** A device as a conversation knows it. */
export type KnownDevice = Pick<DeviceInfo, 'device_id' | 'name' | 'platform' | 'paired_at'>;

/** Adds a device; everyone hears of a new one. */
export function devicePaired(ledger: Ledger, device: KnownDevice, effects: Effect[]): void {
  const { device_id, name, platform, paired_at } = device;
  if (ledger.participants.add({ kind: 'app', id: device_id, name, platform, paired_at })) effects.push(toAll('system.paired', { device }));
}

/** Takes a device out, with what it declared; its calls and messages stay. */
export function deviceRevoked(ledger: Ledger, device: KnownDevice, effects: Effect[]): void {
  if (!ledger.participants.remove(device.device_id)) return;
  ledger.declarations.forget(device.device_id);
  effects.push(toAll('system.revoked', { device }));
}

/** A conversation of this agent was made, renamed or deleted: this one or another. */
export function conversationChanged(
  ledger: Ledger,
  sql: Sql,
  conversation: Pick<ConversationInfo, 'conversation_id' | 'title' | 'created_at'>,
  change: ConversationChange,
  effects: Effect[],
): void {
  if (change === 'renamed' && conversation.conversation_id === ledger.meta.conversationId) {
    writeTitle(sql, conversation.title);
    ledger.meta.title = conversation.title;
  }
  effects.push(toAll('system.conversation', { conversation, change }));
}

function toAll(type: string, payload: object): Effect {
  return { kind: 'broadcast', class: 'control', sender: 'relay', audience: null, origin: null, frame: controlFrame(type, payload) };
}
