/** The coloured tree of a block of code, as soon as it is there. */
import { useEffect, useState } from 'react';
import type { Highlighted } from './highlight.ts';

/** Longer blocks, in UTF-16 units, stay plain: colouring them would stop the page. */
const MOST = 30_000;
/** A block that is still being written is coloured when it rested for this many ms. */
const REST_MS = 160;
/** So many blocks stay coloured while they are scrolled away. */
const KEPT = 60;

const kept = new Map<string, Highlighted>();

/** Null as long as the code is plain. */
export function useHighlight(language: string, code: string): Highlighted | null {
  const key = `${language} ${code}`;
  const [, setArrived] = useState('');
  const known = kept.get(key);
  useEffect(() => {
    if (known || language === '' || code.length > MOST) return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const { highlight } = await import('./highlight.ts');
      const tree = highlight(language, code);
      if (!tree) return;
      keep(key, tree);
      if (wanted) setArrived(key);
    }, REST_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [known, key, language, code]);
  return known ?? null;
}

function keep(key: string, tree: Highlighted): void {
  kept.set(key, tree);
  if (kept.size <= KEPT) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
