/** In place of the composer, when the connection stopped for good. */
import { useTranslation } from 'react-i18next';
import { useConversation } from '../parts/contexts.ts';
import type { LinkView } from '../store/conversation-view.ts';

export function Stopped({ reason }: { reason: Extract<LinkView, { name: 'stopped' }>['reason'] }) {
  const { t } = useTranslation();
  const store = useConversation();
  // A lost pairing has a screen of its own.
  if (reason === 'pair-again') return null;
  return (
    <div className="composer" role="alert">
      <div className="composer-column stopped">
        <p>{t(`stopped.${reason}`)}</p>
        {reason === 'replaced' && (
          <button type="button" className="button primary" onClick={() => store.reconnect()}>
            {t('stopped.replaced.do')}
          </button>
        )}
        {reason === 'protocol' && (
          <button type="button" className="button primary" onClick={() => location.reload()}>
            {t('stopped.protocol.do')}
          </button>
        )}
      </div>
    </div>
  );
}
