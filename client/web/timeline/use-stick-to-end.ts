/**
 * Keeps a reader's place. At the end the timeline follows what comes; anywhere else nothing that grows, loads or is added above or below
 * moves what is being read.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Within this many pixels of the end one is at the end. */
const NEAR = 48;
/** Older messages are asked for when the reader is this many pixels from the top. */
const NEAR_TOP = 600;

interface Place {
  element: Element;
  /** Where its top was, from the top of the view. */
  top: number;
}

export function useStickToEnd(onNearTop: () => void) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const place = useRef<Place | null>(null);
  const [away, setAway] = useState(false);
  const nearTop = useRef(onNearTop);
  useLayoutEffect(() => {
    nearTop.current = onNearTop;
  });

  const settle = useCallback(() => {
    const view = scroller.current;
    if (!view) return;
    if (atEnd.current) {
      view.scrollTop = view.scrollHeight;
      return;
    }
    const held = place.current;
    if (!held?.element.isConnected) return;
    const moved = held.element.getBoundingClientRect().top - held.top;
    if (Math.abs(moved) >= 1) view.scrollTop += moved;
  }, []);

  useEffect(() => {
    const view = scroller.current;
    const column = content.current;
    if (!view || !column) return;
    const onScroll = () => {
      atEnd.current = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR;
      place.current = atEnd.current ? null : firstVisible(view, column);
      setAway(!atEnd.current);
      if (view.scrollTop < NEAR_TOP) nearTop.current();
    };
    const observer = new ResizeObserver(settle);
    observer.observe(column);
    observer.observe(view);
    view.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      view.removeEventListener('scroll', onScroll);
    };
  }, [settle]);

  const toEnd = useCallback(() => {
    atEnd.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight, behavior: 'smooth' });
    setAway(false);
  }, []);

  return { scroller, content, away, settle, toEnd };
}

/** The entry that the reader sees first: the one to hold on to. */
function firstVisible(view: Element, column: Element): Place | null {
  const { top } = view.getBoundingClientRect();
  const entries = column.querySelectorAll('[data-entry]');
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry && entry.getBoundingClientRect().bottom <= top) low = middle + 1;
    else high = middle;
  }
  const element = entries[low];
  return element ? { element, top: element.getBoundingClientRect().top } : null;
}
