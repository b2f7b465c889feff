/**
 * The back button closes what lies over the page, the topmost first, instead of leaving it. Each layer has an entry in the browser's
 * history while it is open; an entry whose layer was closed in another way is passed over.
 */
import { useEffect, useRef } from 'react';

/** How many layers an entry of the history stands for. */
const DEPTH = 'lineup.layers';

const layers: { close: () => void }[] = [];

// A page that was reloaded under a layer has none.
if (depth() > 0) history.replaceState({ ...history.state, [DEPTH]: 0 }, '');

/** Closes by the back button while `open`. */
export function useBackCloses(open: boolean, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!open) return;
    const layer = { close: () => close.current() };
    layers.push(layer);
    if (layers.length === 1) window.addEventListener('popstate', onBack);
    if (depth() < layers.length) history.pushState({ ...history.state, [DEPTH]: layers.length }, '');
    return () => {
      const at = layers.indexOf(layer);
      if (at >= 0) layers.splice(at, 1);
      // What closed it may be a link that is about to be followed: then there is nothing to take back.
      setTimeout(takeBack);
    };
  }, [open]);
}

function onBack(): void {
  const wanted = depth();
  for (const layer of layers.splice(wanted)) layer.close();
  takeBack();
}

function takeBack(): void {
  if (depth() > layers.length) history.back();
  else if (layers.length === 0) window.removeEventListener('popstate', onBack);
}

function depth(): number {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && DEPTH in state ? Number(state[DEPTH]) : 0;
}
