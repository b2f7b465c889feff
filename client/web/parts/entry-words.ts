/** A message in few words: in the list, above a reply, in a notice, for who listens. */
import type { TFunction } from 'i18next';
import type { Entry } from '../model/entry.ts';
import { objectField, textField } from '../model/timeline.ts';
import { shownFileName, shownName } from './shown-name.ts';
import { plainVisible } from './visible-text.ts';

/** One message as one line of plain words. */
export function entryWords({ type, payload }: Entry, t: TFunction): string {
  switch (type) {
    case 'image':
      return textField(payload, 'caption') || t('image.one');
    case 'file':
      return shownFileName(textField(payload, 'name') ?? '');
    case 'error':
      return textField(payload, 'message') ?? t('message.error');
    case 'tool.call':
      return plainVisible(textField(objectField(payload, 'arguments'), 'question')?.slice(0, 200) ?? t('call.tool'));
    case 'lineup.v1.ui.open':
      return t('list.showed', { name: shownName(textField(objectField(payload, 'app'), 'name') ?? '') });
    default:
      return plainWords(textField(payload, 'content') ?? '');
  }
}

/** The beginning of a Markdown text as one line of plain words. */
function plainWords(markdown: string): string {
  return markdown
    .slice(0, 400)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+|`{3,}.*$|~{3,}.*$)/gm, '')
    .replace(/[*_`~|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 160);
}
