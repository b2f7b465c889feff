/** An `error` of the agent's. */
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { Icon } from '../parts/icon.tsx';

export function ErrorEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const message = textField(entry.payload, 'message') || t('message.error');
  return (
    <div className="quiet-line error-line">
      <Icon name="warning" small />
      <div>
        <p dir="auto">{message}</p>
        <p>
          <code>{textField(entry.payload, 'code')}</code>
          {entry.payload.retryable === true && <span className="remark"> {t('message.canRetry')}</span>}
        </p>
      </div>
    </div>
  );
}
