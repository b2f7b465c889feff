/** Above the first entry: older messages to load, nothing more, or nothing at all. */
import { useTranslation } from 'react-i18next';
import { useConversation, useConversationPart } from '../parts/contexts.ts';

export function TimelineTop() {
  const { t } = useTranslation();
  const history = useConversationPart((view) => view.history);
  const empty = useConversationPart((view) => view.entries.length === 0);
  const agent = useConversationPart((view) => view.agent.name);
  // Always as high, so that nothing below it moves when it says something else.
  if (!empty || history.state === 'failed')
    return (
      <div className="timeline-top">
        <Words />
      </div>
    );
  if (history.state === 'loading') return <p className="empty remark">{t('chat.loading')}</p>;
  return (
    <div className="empty">
      <h2>{t('chat.empty')}</h2>
      <p>{t('chat.emptyLead', { agent })}</p>
    </div>
  );
}

function Words() {
  const { t } = useTranslation();
  const store = useConversation();
  const history = useConversationPart((view) => view.history);
  if (history.state === 'failed') {
    return (
      <>
        <span role="status">{t('chat.failed')}</span>
        <button type="button" className="text-button" onClick={() => store.loadHistory()}>
          {t('trouble.again')}
        </button>
      </>
    );
  }
  if (history.loadingOlder) return <span>{t('chat.olderLoading')}</span>;
  if (history.hasOlder) {
    return (
      <button type="button" className="text-button" onClick={() => store.loadOlder()}>
        {history.olderFailed ? `${t('chat.olderFailed')} ${t('trouble.again')}` : t('chat.older')}
      </button>
    );
  }
  return history.trimmed ? <p className="rule-line">{t('chat.trimmed')}</p> : null;
}
