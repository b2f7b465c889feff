/** The languages of the app, and which one is spoken. */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { en } from './en.ts';
import { zh } from './zh.ts';

/** A language the app speaks, as a BCP 47 tag. */
export type Language = 'en' | 'zh-CN';

declare module 'i18next' {
  interface CustomTypeOptions {
    keySeparator: false;
    nsSeparator: false;
    resources: { translation: typeof en };
  }
}

/** The language of the browser, as far as the app speaks it. */
export function browserLanguage(languages: readonly string[] = navigator.languages): Language {
  for (const language of languages) {
    if (/^zh\b/i.test(language)) return 'zh-CN';
    if (/^en\b/i.test(language)) return 'en';
  }
  return 'en';
}

/** Chinese words stand close to Chinese names, and apart from Latin ones: the space in `{{agent}} 问你` goes where it is not wanted. */
const closeHan = {
  type: 'postProcessor',
  name: 'close-han',
  process: (words: string) => words.replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, ''),
} as const;

/** Speaks a language from now on. */
export async function speak(language: Language): Promise<void> {
  if (i18next.isInitialized) await i18next.changeLanguage(language);
  else {
    await i18next
      .use(initReactI18next)
      .use(closeHan)
      .init({
        lng: language,
        fallbackLng: 'en',
        postProcess: [closeHan.name],
        keySeparator: false,
        nsSeparator: false,
        // React escapes what it writes.
        interpolation: { escapeValue: false },
        resources: { en: { translation: en }, 'zh-CN': { translation: zh } },
      });
  }
  document.documentElement.lang = language;
}
