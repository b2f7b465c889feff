/** How each of the two kinds of call is spoken: §6 is one state machine for both, so its tests are played with both. */

import type { Relay, Room } from './people.ts';
import { freshId, type Extra } from './wire.ts';

/** `tool.*` and `lineup.v1.app.*`. */
export const KINDS = [
  {
    kind: 'tool',
    call: 'tool.call',
    cancel: 'tool.cancel',
    result: 'tool.result',
    asks: (call_id: string, question = '?') => ({ name: 'choice', action: 'select', call_id, arguments: { question, options: ['a', 'b'] } }),
    answers: (call_id: string, said = 'a') => ({ name: 'choice', action: 'select', call_id, result: { message: said } }),
    rejects: (call_id: string) => ({ name: 'choice', action: 'select', call_id, error: { code: 'rejected', message: 'no' } }),
    /** What the relay's own result says. */
    ended: (code: 'cancelled' | 'expired') => ({ name: 'choice', action: 'select', error: { code } }),
  },
  {
    kind: 'app',
    call: 'lineup.v1.app.call',
    cancel: 'lineup.v1.app.cancel',
    result: 'lineup.v1.app.result',
    asks: (call_id: string, question = '?') => ({ call_id, capability: 'clipboard.write', reason: 'why', arguments: { text: question } }),
    answers: (call_id: string, said = 'a') => ({ call_id, status: 'completed', result: { said } }),
    rejects: (call_id: string) => ({ call_id, status: 'rejected', error: { code: 'rejected', message: 'no' } }),
    ended: (code: 'cancelled' | 'expired') => ({ status: code, error: { code } }),
  },
] as const;

/** One of them. */
export type Kind = (typeof KINDS)[number];

/** A room with so many devices, which have been asked. */
export async function roomWithCall(
  relay: Relay,
  kind: Kind,
  count = 2,
  extra: (room: Room) => Extra = () => ({}),
): Promise<Room & { call_id: string; ack: { id: string; seq: number } }> {
  const room = await relay.room(count);
  const call_id = freshId('c');
  const ack = await room.a.ok(kind.call, kind.asks(call_id), extra(room));
  await Promise.all(room.d.map((wire) => wire.sync()));
  return { ...room, call_id, ack };
}
