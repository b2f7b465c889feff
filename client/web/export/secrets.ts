/** What the user typed into a hidden field stays out of every file. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { objectField } from '../model/timeline.ts';

/** The messages without what was asked for as a secret: neither its answer nor what the agent suggested. Everything else as it is. */
export function withoutSecrets(messages: readonly Delivered[]): Delivered[] {
  const open = new Set(messages.filter(asksOpenly).map(({ payload }) => payload.call_id));
  return messages.map((message) => {
    const { type, payload } = message;
    if (payload.name !== 'input') return message;
    if (type === 'tool.call' && !asksOpenly(message)) {
      const { default: _, ...rest } = objectField(payload, 'arguments');
      return { ...message, payload: { ...payload, arguments: rest } };
    }
    // An answer whose question is no longer kept may be one.
    if (type === 'tool.result' && payload.result !== undefined && !open.has(payload.call_id)) {
      return { ...message, payload: { ...payload, result: { hidden: true } } };
    }
    return message;
  });
}

function asksOpenly({ type, payload }: Delivered): boolean {
  return type === 'tool.call' && payload.name === 'input' && objectField(payload, 'arguments').secret !== true;
}
