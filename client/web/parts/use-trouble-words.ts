/** Trouble in words. */
import { useTranslation } from 'react-i18next';
import { fileSize, wholeNumber } from '../i18n/format.ts';
import type { Trouble } from '../store/trouble.ts';

/** Gives a function that says what was wrong, and what to do about it where something can be done. */
export function useTroubleWords(): (trouble: Trouble) => string {
  const { t, i18n } = useTranslation();
  return (trouble) => {
    switch (trouble.kind) {
      case 'offline':
        return t('trouble.offline');
      case 'refused':
        return t('trouble.refused', { message: trouble.message });
      case 'too-large':
        if (trouble.limit === 'max_text_characters') {
          return t('trouble.tooLarge.max_text_characters', { allowed: wholeNumber(trouble.allowed, i18n.language) });
        }
        return t(trouble.limit === 'max_file_bytes' ? 'trouble.tooLarge.max_file_bytes' : 'trouble.tooLarge.other', {
          allowed: fileSize(trouble.allowed, i18n.language),
        });
    }
  };
}
