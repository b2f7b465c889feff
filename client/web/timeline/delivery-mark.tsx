/** How far a message of the user's has come: ○ waiting, ✓ sent, ✓✓ delivered, ! not sent, with what can be done about it. */
import { useTranslation } from 'react-i18next';
import { clockTime } from '../i18n/format.ts';
import { deliveryOf, type Entry } from '../model/entry.ts';
import { useConversation, useConversationPart, useLanguage } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';

const SIGNS = { queued: 'ring', relayed: 'check', delivered: 'checks', failed: 'warning' } as const;

export function DeliveryMark({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const store = useConversation();
  const state = useConversationPart((view) => deliveryOf(entry, view.agent.received));
  const timedOut = entry.failure?.code === 'timeout';
  return (
    <div className={`mark ${state}`}>
      <time className="numbers" dateTime={entry.ts}>
        {clockTime(entry.ts, language)}
      </time>
      <span className="mark-sign">
        <Icon name={SIGNS[state]} small />
      </span>
      <span role="status">{timedOut ? t('delivery.timeout') : t(`delivery.${state}`)}</span>
      {entry.failure && !timedOut && <span> · {entry.failure.message}</span>}
      {timedOut && (
        <button type="button" className="text-button" onClick={() => store.outgoing.retry(entry.id)}>
          {t('delivery.retry')}
        </button>
      )}
      {entry.failure && !timedOut && (
        <button type="button" className="text-button" onClick={() => void store.outgoing.resend(entry)}>
          {t('delivery.retry')}
        </button>
      )}
      {entry.failure && (
        <button type="button" className="text-button" onClick={() => store.outgoing.discard(entry.id)}>
          {t('delivery.discard')}
        </button>
      )}
    </div>
  );
}
