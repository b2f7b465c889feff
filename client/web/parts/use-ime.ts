/** Enter means two things: "take this candidate" to an input method, "send" to everybody else. Tells them apart in every browser. */
import { useRef, type KeyboardEvent } from 'react';

/** WebKit ends the composition before it reports the Enter that ended it: an Enter within this many ms still belongs to it. */
export const AFTER_COMPOSITION_MS = 80;

/** Whether a key press belongs to an input method. `endedAt` is when the last composition ended, in ms. */
export function belongsToInputMethod(event: { isComposing: boolean; keyCode: number }, endedAt: number, now: number): boolean {
  return event.isComposing || event.keyCode === 229 || now - endedAt < AFTER_COMPOSITION_MS;
}

/** Handlers for a text field, and the question whether an Enter is one to act on. */
export function useIme() {
  const endedAt = useRef(-Infinity);
  return {
    handlers: {
      onCompositionEnd: () => {
        endedAt.current = performance.now();
      },
    },
    isPlainEnter: (event: KeyboardEvent): boolean =>
      event.key === 'Enter' &&
      !(event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) &&
      !belongsToInputMethod(event.nativeEvent, endedAt.current, performance.now()),
  };
}
