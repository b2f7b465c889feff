/** What a conversation's row says: its newest line, without the marks of Markdown. */
import type { TFunction } from 'i18next';
import { capped, plainVisible } from '../capabilities/visible-text.ts';
import { objectField, textField } from '../model/timeline.ts';
import type { Entry } from '../model/entry.ts';
import type { ConversationView } from '../store/conversation-view.ts';

export function lastLine(view: ConversationView, t: TFunction): string {
  const last = view.entries.findLast((entry) => ['text', 'image', 'file', 'error', 'tool.call', 'lineup.v1.ui.open'].includes(entry.type));
  if (!last) return view.history.state === 'ready' ? t('chat.empty') : '';
  const words = lineOf(last, t);
  return last.mine ? t('list.you', { words }) : words;
}

/** One message as one line of plain words. */
export function lineOf({ type, payload }: Entry, t: TFunction): string {
  switch (type) {
    case 'image':
      return textField(payload, 'caption') || t('image.one');
    case 'file':
      return textField(payload, 'name') ?? '';
    case 'error':
      return textField(payload, 'message') ?? t('message.error');
    case 'tool.call':
      return textField(objectField(payload, 'arguments'), 'question')?.slice(0, 200) ?? t('call.tool');
    case 'lineup.v1.ui.open':
      return t('list.showed', { name: capped(plainVisible(textField(objectField(payload, 'app'), 'name') ?? ''), 60) });
    default:
      return plainWords(textField(payload, 'content') ?? '');
  }
}

/** The beginning of a Markdown text as one line of plain words. */
export function plainWords(markdown: string): string {
  return markdown
    .slice(0, 400)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+|`{3,}.*$|~{3,}.*$)/gm, '')
    .replace(/[*_`~|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 160);
}
