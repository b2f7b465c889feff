/** How each kind of call is asked, answered and cancelled (§6). */
import type { JsonObject } from '../../src/protocol/json.ts';

/** By kind: the types, the payload of a call, and of an answer that completes it. */
export const KINDS = {
  tool: {
    call: 'tool.call',
    result: 'tool.result',
    cancel: 'tool.cancel',
    asked: (call_id: string, more: JsonObject = {}): JsonObject => ({ name: 'choice', call_id, arguments: { q: 1 }, ...more }),
    answer: (call_id: string, message = 'red'): JsonObject => ({ name: 'choice', call_id, result: { message } }),
  },
  app: {
    call: 'lineup.v1.app.call',
    result: 'lineup.v1.app.result',
    cancel: 'lineup.v1.app.cancel',
    asked: (call_id: string, more: JsonObject = {}): JsonObject => ({
      capability: 'clipboard.write',
      call_id,
      reason: 'r',
      arguments: { q: 1 },
      ...more,
    }),
    answer: (call_id: string, message = 'red'): JsonObject => ({ call_id, status: 'completed', result: { message } }),
  },
} as const;
