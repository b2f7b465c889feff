/** A type that this version does not know. */
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { QuietLine } from './quiet-line.tsx';

export function UnknownEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  return <QuietLine icon="question">{t('message.unknown', { type: entry.type.slice(0, 80) })}</QuietLine>;
}
