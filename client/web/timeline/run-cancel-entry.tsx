/** The user pressed stop. */
import { useTranslation } from 'react-i18next';
import { QuietLine } from './quiet-line.tsx';

export function RunCancelEntry() {
  const { t } = useTranslation();
  return <QuietLine icon="stop">{t('message.stopped')}</QuietLine>;
}
