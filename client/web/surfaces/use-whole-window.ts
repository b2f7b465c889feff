/** What goes with having the whole window: nothing behind it is in reach, and there are ways out of it. */
import { useEffect, useRef } from 'react';
import { useBackCloses } from '../parts/use-back-closes.ts';

/** What lies behind a surface or a board with the whole window is out of reach, and gets the focus back afterwards. */
export function useAlone(stage: React.RefObject<HTMLElement | null>, filled: boolean): void {
  useEffect(() => {
    const own = stage.current;
    if (!filled || !own) return;
    const before = document.activeElement;
    const others = [...(own.parentElement?.children ?? [])].filter((each): each is HTMLElement => each instanceof HTMLElement && each !== own);
    for (const other of others) other.inert = true;
    if (!own.contains(before)) own.querySelector<HTMLElement>('.surface.active .icon-button')?.focus();
    return () => {
      for (const other of others) other.inert = false;
      if (before instanceof HTMLElement && before.isConnected && !own.contains(before)) before.focus();
    };
  }, [stage, filled]);
}

/** The back button and Escape lead out of the whole window. */
export function useBack(filled: boolean, leave: () => void): void {
  useBackCloses(filled, leave);
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    if (!filled) return;
    const ended = new AbortController();
    window.addEventListener('keydown', ({ key }) => key === 'Escape' && latest.current(), { signal: ended.signal });
    return () => ended.abort();
  }, [filled]);
}
