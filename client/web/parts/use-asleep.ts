/**
 * Buttons that were not where they are now fall asleep, so that a tap answers what it was aimed at: a question that comes up pushes others
 * away under the finger. For the keyboard they are awake: it keeps to the button that has the focus.
 */
import { useLayoutEffect, useRef, type RefObject } from 'react';
import { ASLEEP_MS } from '../capabilities/desk.ts';

/** Moved by no more than this many pixels, it is still what is under the finger. */
const STEADY = 12;

/**
 * Puts the buttons within an element to sleep when it comes up, and whenever anything but scrolling moves it. An element that sleeps has
 * `data-asleep`; the style sheet does the rest.
 */
export function useAsleep<T extends HTMLElement>(): RefObject<T | null> {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    let top = element.getBoundingClientRect().top;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const sleep = () => {
      element.dataset.asleep = '';
      clearTimeout(timer);
      timer = setTimeout(() => delete element.dataset.asleep, ASLEEP_MS);
    };
    const look = () => {
      const now = element.getBoundingClientRect().top;
      if (Math.abs(now - top) <= STEADY) return;
      top = now;
      sleep();
    };
    sleep();
    // Nothing tells that an element was moved. But nothing moves one unless something that it is in changes its size; scrolling follows a frame later.
    const observer = new ResizeObserver(() => {
      look();
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    });
    for (let around: Element | null = element; around; around = around.parentElement) observer.observe(around);
    // It may have been pushed about while nobody looked.
    const onLookedAt = () => document.visibilityState === 'visible' && sleep();
    document.addEventListener('visibilitychange', onLookedAt);
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      observer.disconnect();
      document.removeEventListener('visibilitychange', onLookedAt);
    };
  }, []);
  return ref;
}
