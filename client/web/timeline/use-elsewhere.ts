/** Who settled a call, and when, where it was not this device. */
import { useTranslation } from 'react-i18next';
import { shownName } from '../parts/shown-name.ts';
import { moment } from '../i18n/format.ts';
import type { Call } from '../model/entry.ts';
import { useConversation, useLanguage } from '../parts/contexts.ts';

export interface Elsewhere {
  /** The other device in words, by its name where that is known; null when it was no other device. */
  where: string | null;
  /** Adds when it was, where it was not done here and that is known. */
  dated: (words: string) => string;
}

export function useElsewhere(call: Call | null): Elsewhere {
  const { t } = useTranslation();
  const language = useLanguage();
  const { me, devices } = useConversation();
  const by = call?.by ?? null;
  const at = call?.at ?? null;
  const here = by?.kind === 'app' && by.id === me.id;
  const name = by?.kind === 'app' && !here ? devices.name(by.id) : undefined;
  const known = name === undefined ? t('call.anotherDevice') : t('call.thatDevice', { name: shownName(name) });
  return {
    where: by?.kind === 'app' && !here ? known : null,
    dated: (words) => (at === null || here ? words : `${words} ·\u00A0${moment(at, language)}`),
  };
}
