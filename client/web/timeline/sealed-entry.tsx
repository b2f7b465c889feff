/** A sealed payload (§2): nothing in it can be read by this version. */
import { useTranslation } from 'react-i18next';
import { QuietLine } from './quiet-line.tsx';

export function SealedEntry() {
  const { t } = useTranslation();
  return <QuietLine icon="lock">{t('message.sealed')}</QuietLine>;
}
