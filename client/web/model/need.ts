/** What waits for the user's word: a question, a wish to use something of the device, a surface that was never seen before. */
import type { Payloads } from '../../../src/protocol/messages.ts';
import type { Surface } from '../surfaces/shelf.ts';
import type { Entry } from './entry.ts';
import { isQuestion } from './tool-desk.ts';

export type Need =
  | { kind: 'question'; id: string; entry: Entry }
  | { kind: 'capability'; id: string; entry: Entry }
  | { kind: 'surface'; id: string; surface: Surface };

/**
 * @param open calls that wait, oldest first
 * @param asking call_ids that the capability desk asks the user about
 * @param surfaces that wait for the user's word
 */
export function needsOf(open: readonly Entry[], asking: readonly string[], surfaces: readonly Surface[]): Need[] {
  const calls = open.flatMap((entry): Need[] => {
    const { call } = entry;
    // What is being sent needs nobody any more.
    if (call?.status !== 'pending') return [];
    if (call.kind === 'app') return asking.includes(call.callId) ? [{ kind: 'capability', id: call.callId, entry }] : [];
    return isToolQuestion(entry) ? [{ kind: 'question', id: call.callId, entry }] : [];
  });
  return [...calls, ...surfaces.map((surface): Need => ({ kind: 'surface', id: surface.openId, surface }))];
}

/** Of the calls that are open those that ask the user something, here or with the answer on its way. */
export function questionsOf(open: readonly Entry[]): Entry[] {
  return open.filter(isToolQuestion);
}

/** The same list as before when it says the same, so that who watches it is not told of nothing. */
export function steady(before: readonly Need[], now: readonly Need[]): readonly Need[] {
  const same = before.length === now.length && before.every((need, i) => subjectOf(need) === (now[i] && subjectOf(now[i])));
  return same ? before : now;
}

function subjectOf(need: Need): Entry | Surface {
  return need.kind === 'surface' ? need.surface : need.entry;
}

function isToolQuestion({ type, payload }: Entry): boolean {
  return type === 'tool.call' && isQuestion(payload as Payloads['tool.call']);
}
