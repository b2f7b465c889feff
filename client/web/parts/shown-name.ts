/** A name that somebody else chose, fit to be shown: nothing hidden in it, and no longer than a line. */
import { capped, plainVisible } from './visible-text.ts';

/** Longer ones are cut, in UTF-16 units. */
const MOST = 60;
/** So much is always seen of the end of a file's name, which says what it is. */
const FILE_END = 20;

export function shownName(name: string): string {
  return capped(plainVisible(name), MOST);
}

/** The name of a file: cut in the middle, so that its beginning and its extension stay. */
export function shownFileName(name: string): string {
  const shown = plainVisible(name);
  if (shown.length <= MOST) return shown;
  const characters = Array.from(new Intl.Segmenter().segment(shown), ({ segment }) => segment);
  let end = '';
  for (let at = characters.length - 1; at > 0; at -= 1) {
    const longer = `${characters[at]}${end}`;
    if (longer.length > FILE_END) break;
    end = longer;
  }
  return capped(shown, MOST - end.length) + end;
}
