/** Where messages are missing that the relay no longer keeps. */
import { useTranslation } from 'react-i18next';

export function GapEntry() {
  const { t } = useTranslation();
  return <p className="rule-line">{t('chat.gap')}</p>;
}
