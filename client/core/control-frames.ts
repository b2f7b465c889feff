/** The frames that a client sends about the connection itself (§4). */
import { jsonText, type JsonObject } from '../../src/protocol/json.ts';
import type { Introduction } from './connection-options.ts';
import type { Cursor } from './cursor-store.ts';
import { randomId } from './random-id.ts';

/** The text of a control frame. */
export function controlText(type: 'system.hello' | 'system.received' | 'system.ping', payload: JsonObject): string {
  return jsonText({ v: 1, id: randomId('c'), type, payload });
}

/** What one hello says. */
export interface HelloParts {
  introduction: Introduction;
  session: string;
  /** Counts up with every connection of the session. */
  attempt: number;
  resume: Cursor | undefined;
  /** Nothing has been welcomed in this process yet: only what was pending before it is orphaned. */
  isFirst: boolean;
}

/** The text of a `system.hello`. */
export function helloText({ introduction, session, attempt, resume, isFirst }: HelloParts): string {
  const { cancel_pending, ...rest } = introduction;
  return controlText('system.hello', {
    ...rest,
    session,
    attempt,
    ...(resume && { resume: { ...resume } }),
    ...(cancel_pending && isFirst && { cancel_pending }),
  });
}
