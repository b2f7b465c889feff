/** Back to the list without making the browser's history longer: what was left does not come up again by its back button. */
import { useEffect, useRef } from 'react';

/** Whether the list is the entry before this one. */
const FROM_LIST = 'lineup.fromList';

/** Notes for each entry of the history, when it first comes up, whether the list is the one before it. @param listAlone the list is the whole screen */
export function useNoteFromList(place: string | null, listAlone: boolean): void {
  const before = useRef(false);
  useEffect(() => {
    if (noted() === undefined) history.replaceState({ ...history.state, [FROM_LIST]: before.current && !listAlone }, '');
    before.current = listAlone;
  }, [place, listAlone]);
}

/** For a link to the list: takes the place of following it. */
export function backToList(event: { preventDefault(): void }): void {
  event.preventDefault();
  if (noted() === true) history.back();
  else location.replace('#/');
}

function noted(): unknown {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && FROM_LIST in state ? state[FROM_LIST] : undefined;
}
