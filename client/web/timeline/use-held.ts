/** A text that grows, held while the reader has chosen words in the piece that grows: drawing it anew would take their selection away. */
import { useEffect, useRef, useState, type RefObject } from 'react';

/** @param box where the text is drawn; what grows is the last that is in it */
export function useHeld(text: string, box: RefObject<HTMLElement | null>): string {
  const drawn = useRef(text);
  const [, letGo] = useState(0);
  if (drawn.current !== text && !hasSelection(box.current?.lastElementChild ?? null)) drawn.current = text;
  const held = drawn.current !== text;
  useEffect(() => {
    if (!held) return;
    const onSelection = () => letGo((times) => times + 1);
    document.addEventListener('selectionchange', onSelection);
    return () => document.removeEventListener('selectionchange', onSelection);
  }, [held]);
  return drawn.current;
}

function hasSelection(element: Element | null): boolean {
  const selection = document.getSelection();
  return element !== null && selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
