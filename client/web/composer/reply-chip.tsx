/** Above the field: the message that the next text answers. */
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { useConversationPart } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { entryWords } from '../parts/entry-words.ts';

export function ReplyChip({ entry, onRemove }: { entry: Entry; onRemove: () => void }) {
  const { t } = useTranslation();
  const agent = useConversationPart((view) => view.agent.name);
  return (
    <div className="reply-chip">
      <div className="quotation">
        <b dir="auto">{t('reply.to', { name: entry.mine ? t('reply.you') : agent })}</b>
        <span dir="auto">{entryWords(entry, t)}</span>
      </div>
      <button type="button" className="icon-button" aria-label={t('reply.remove')} onClick={onRemove}>
        <Icon name="close" small />
      </button>
    </div>
  );
}
