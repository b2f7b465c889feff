/** What a move did and what it left, in sentences for a person. */
import type { MoveTally } from './move-history.ts';

/** A line for each thing worth saying; what was not there is not spoken of. */
export function sentencesOf({ moved, already, files, bytes, trimmed, stayed }: MoveTally): string[] {
  const withFiles = files > 0 ? `, with ${count(files, 'file')} (${size(bytes)})` : '';
  const lines = [`${count(moved, 'message')} moved${withFiles}${already > 0 ? `; ${already} had been there before` : ''}`];
  const say = (number: number, thing: string, why: string) => {
    if (number > 0) lines.push(`Not moved: ${count(number, thing)} ${why}`);
  };
  say(stayed.open_calls, 'question', 'that nobody has answered yet; the old conversation still takes the answer');
  say(stayed.surfaces, 'surface', 'of the agent: it opens its own anew');
  say(stayed.files, 'message', 'with a picture or file that is gone, or larger than the other relay takes');
  say(stayed.stray, 'message', 'about one that did not move either');
  say(stayed.unknown, 'message', 'of a kind that this version does not know');
  if (trimmed > 0) lines.push(`Of the oldest messages ${trimmed} are beyond what the other relay keeps: it has let go of them`);
  return lines;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

function size(bytes: number): string {
  if (bytes < 1_024) return count(bytes, 'byte');
  const kibibytes = bytes / 1_024;
  return kibibytes < 1_024 ? `${Math.ceil(kibibytes)} KiB` : `${(kibibytes / 1_024).toFixed(1)} MiB`;
}
