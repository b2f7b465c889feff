/** What a surface is told about where it is shown, and when any of it changes. */
import { useSyncExternalStore } from 'react';
import type { SurfaceContext } from '../../surface/wire.ts';

const EDGES = ['top', 'right', 'bottom', 'left'] as const;
const NONE = { top: 0, right: 0, bottom: 0, left: 0 };
const DARK = '(prefers-color-scheme: dark)';

/** The context as JSON, so that two readings can be compared. @param whole the surface reaches the edges of the window, but for the top */
function readContext(whole: boolean): string {
  const style = getComputedStyle(document.documentElement);
  const fixed = document.documentElement.dataset.theme;
  const dark = fixed === undefined ? matchMedia(DARK).matches : fixed === 'dark';
  const safeArea = Object.fromEntries(EDGES.map((edge) => [edge, Number.parseFloat(style.getPropertyValue(`--safe-${edge}`)) || 0]));
  // The host's own bar stands above a surface, and takes the upper edge upon itself.
  return JSON.stringify({
    theme: dark ? 'dark' : 'light',
    locale: document.documentElement.lang,
    safeArea: whole ? { ...safeArea, top: 0 } : NONE,
  });
}

function watchContext(listener: () => void): () => void {
  const query = matchMedia(DARK);
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['lang', 'data-theme'] });
  query.addEventListener('change', listener);
  window.addEventListener('resize', listener);
  return () => {
    observer.disconnect();
    query.removeEventListener('change', listener);
    window.removeEventListener('resize', listener);
  };
}

/** The context as it is now, as JSON. */
export function useContextText(whole: boolean): string {
  return useSyncExternalStore(watchContext, () => readContext(whole));
}

/** What that text says. */
export function contextOf(text: string): SurfaceContext {
  return JSON.parse(text) as SurfaceContext;
}
