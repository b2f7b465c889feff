/** An `error` of the agent's. */
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { Icon } from '../parts/icon.tsx';
import { Revealed } from '../parts/revealed.tsx';
import { capped } from '../parts/visible-text.ts';
import { useUnfolded } from './memory.ts';

/** Longer messages begin folded, in UTF-16 units. */
const MOST = 600;

export function ErrorEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const [open, setOpen] = useUnfolded(entry.key);
  const message = textField(entry.payload, 'message') || t('message.error');
  return (
    <div className="quiet-line error-line">
      <Icon name="warning" small />
      <div>
        <p dir="auto">
          <Revealed text={open ? message : capped(message, MOST)} />
        </p>
        {message.length > MOST && (
          <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t('message.less') : t('message.more')}
          </button>
        )}
        <p>
          <code>{textField(entry.payload, 'code')}</code>
          {entry.payload.retryable === true && <span className="remark"> {t('message.canRetry')}</span>}
        </p>
      </div>
    </div>
  );
}
