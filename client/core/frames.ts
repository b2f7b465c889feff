/** Frames as an application reads and writes them: types tied to their payloads (§5). */
import type { Delivered } from '../../src/protocol/envelope.ts';
import type { Payloads } from '../../src/protocol/messages.ts';

/** Types that reach only who is there; nothing answers them. */
export type EphemeralType = 'text.delta' | 'progress' | 'agent.event' | 'tool.progress';

/** Types that the relay acknowledges: logged and kept ones. */
export type DurableType = Exclude<keyof Payloads, EphemeralType>;

/** A delivered frame of a known type. */
export type Message<T extends keyof Payloads> = Omit<Delivered, 'type' | 'payload'> & { type: T; payload: Payloads[T] };

/**
 * Whether a delivered frame is of a type, and so has its payload. The relay checked it, with one exception: of a sealed payload only
 * the routing fields are there.
 */
export function isMessage<T extends keyof Payloads>(frame: Pick<Delivered, 'type'>, type: T): frame is Message<T> {
  return frame.type === type;
}
