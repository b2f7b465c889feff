/** What stands above the oldest message: more to load, nothing more, or nothing at all. */
import { useTranslation } from 'react-i18next';
import { useConversation, useConversationPart } from '../parts/contexts.ts';

export function TimelineTop() {
  const { t } = useTranslation();
  const store = useConversation();
  const history = useConversationPart((view) => view.history);
  const empty = useConversationPart((view) => view.entries.length === 0);
  const agent = useConversationPart((view) => view.agent.name);
  if (history.state === 'failed') {
    return (
      <div className="timeline-top">
        <span role="status">{t('chat.failed')}</span>
        <button type="button" className="text-button" onClick={() => store.loadHistory()}>
          {t('trouble.again')}
        </button>
      </div>
    );
  }
  if (history.state === 'loading') return empty ? <p className="empty remark">{t('chat.loading')}</p> : null;
  if (history.hasOlder) {
    return (
      <div className="timeline-top">
        {history.loadingOlder ? (
          <span>{t('chat.olderLoading')}</span>
        ) : (
          <button type="button" className="text-button" onClick={() => store.loadOlder()}>
            {history.olderFailed ? `${t('chat.olderFailed')} ${t('trouble.again')}` : t('chat.older')}
          </button>
        )}
      </div>
    );
  }
  if (empty) {
    return (
      <div className="empty">
        <h2>{t('chat.empty')}</h2>
        <p>{t('chat.emptyLead', { agent })}</p>
      </div>
    );
  }
  return history.trimmed ? <p className="rule-line">{t('chat.trimmed')}</p> : null;
}
