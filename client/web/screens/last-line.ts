/** What a conversation's row says: its newest message in few words. */
import type { TFunction } from 'i18next';
import { entryWords } from '../parts/entry-words.ts';
import type { ConversationView } from '../store/conversation-view.ts';

export function lastLine(view: ConversationView, t: TFunction): string {
  const last = view.entries.findLast((entry) => ['text', 'image', 'file', 'error', 'tool.call', 'lineup.v1.ui.open'].includes(entry.type));
  if (!last) return view.history.state === 'ready' ? t('chat.empty') : '';
  const words = entryWords(last, t);
  return last.mine ? t('list.you', { words }) : words;
}
