/** One call at the desk: what is known of it, and how it is done once it is allowed. */
import type { Caller, DeskParts, Work } from './desk-parts.ts';
import { NeedsTap, type HandlerContext } from './handler.ts';
import { refused, type Outcome } from './outcome.ts';
import { readRequest, type AppCall, type CapabilityRequest } from './request.ts';

export interface Item {
  readonly request: CapabilityRequest;
  readonly caller: Caller;
  readonly call: AppCall;
  phase: 'asking' | 'deciding' | 'doing';
  needsTap: boolean;
  /** Nobody waits for the answer any more. */
  settled: boolean;
  readonly abort: AbortController;
  work: Work;
}

/** A call that waits for its user's word. */
export function askedAbout(request: CapabilityRequest, caller: Caller, call: AppCall): Item {
  return {
    request,
    caller,
    call,
    phase: 'asking',
    needsTap: false,
    settled: false,
    abort: new AbortController(),
    work: { progress: null, camera: null },
  };
}

/**
 * Does what was allowed. Null when the browser wants a tap and nothing has happened.
 * @param changed how far it is has changed
 */
export async function work(
  item: Item,
  { run, show, fault }: Pick<DeskParts, 'run' | 'show' | 'fault'>,
  changed: () => void,
): Promise<Outcome | null> {
  const { caller, abort } = item;
  const set = (change: Partial<Work>) => {
    item.work = { ...item.work, ...change };
    changed();
  };
  const context: HandlerContext = {
    agent: caller.agentName(),
    files: caller.files,
    signal: abort.signal,
    progress: (progress) => set({ progress }),
    photograph: (facing) =>
      new Promise((resolve) => {
        const taken = (photo: Blob | null) => {
          set({ camera: null });
          resolve(photo);
        };
        abort.signal.addEventListener('abort', () => taken(null), { once: true });
        if (abort.signal.aborted) taken(null);
        else set({ camera: { facing, taken } });
      }),
    show: (words) => show({ kind: 'said', conversation: rowKey(caller), place: null, agent: caller.agentName(), ...words }),
  };
  try {
    return await run(readRequest(item.request), context);
  } catch (error) {
    if (error instanceof NeedsTap) return null;
    fault(error);
    return refused('failed', 'execution_error', 'Something went wrong on the device.');
  }
}

/** A conversation as the list of them is keyed. */
function rowKey({ agent, conversationId }: Caller): string {
  return `${agent}|${conversationId}`;
}
