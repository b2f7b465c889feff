/** A name that somebody else chose, fit to be shown: nothing hidden in it, and no longer than a line. */
import { capped, plainVisible } from './visible-text.ts';

/** Longer ones are cut, in UTF-16 units. */
const MOST = 60;

export function shownName(name: string): string {
  return capped(plainVisible(name), MOST);
}
