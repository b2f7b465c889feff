/** Frames that are no good, as text, and what is expected of every one of them (§8). */
import { expect } from 'vitest';
import type { Relay } from './people.ts';
import { freshId, type Frame } from './wire.ts';

/** A text whose payload has `more` (JSON text) in it, as it goes over the wire. */
export const withMore = (more: string, id = freshId()): string => `{"v":1,"id":"${id}","type":"text","payload":{"content":"x",${more}}}`;
export const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Sends raw data and expects one refusal, that nothing was stored or delivered, and that both sockets stay up. */
export async function refusedRaw(
  relay: Relay,
  data: string | Buffer,
  { code, ref, place }: { code: string; ref?: string | null; place?: string },
  binary = false,
): Promise<void> {
  const { agent, a, d } = await relay.room(1);
  for (const wire of [a, d[0]!]) {
    const from = wire.frames.length;
    wire.raw(data, binary);
    await wire.sync();
    const came = wire.frames.slice(from).filter(({ type }) => type !== 'system.pong' && type !== 'system.presence');
    expect(came.map(({ type, payload }) => [type, payload.code])).toEqual([['system.error', code]]);
    checkWords(came[0]!, place);
    if (ref !== undefined) expect(came[0]!.payload.ref).toBe(ref);
    expect(came[0]!.payload.retryable).toBe(false);
  }
  const { id } = await d[0]!.ok('text', { content: 'still up' });
  await a.message(id);
  expect((await relay.history(agent)).map((frame) => frame.id)).toEqual([id]);
}

/** One English sentence that says where. */
export function checkWords({ payload }: Frame, place?: string): void {
  const message = String(payload.message);
  expect(message).toMatch(/^[^\n]{3,300}$/);
  expect(message).not.toMatch(/\n\s+at |eyJ[\w-]{10,}/);
  if (place !== undefined) expect(message.startsWith(place), message).toBe(true);
}
