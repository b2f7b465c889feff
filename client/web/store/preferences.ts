/** How this user wants the app: language, appearance, size of the text. */
import { browserLanguage, speak, type Language } from '../i18n/i18n.ts';
import type { LocalStore } from './local-store.ts';
import { Observable } from './observable.ts';

/** `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

/** How large the whole app is written; `normal` is what the browser is set to. */
export type TextSize = 'small' | 'normal' | 'large' | 'largest';

export interface PreferencesView {
  theme: Theme;
  textSize: TextSize;
  language: Language;
}

const THEMES: readonly string[] = ['system', 'light', 'dark'] satisfies Theme[];
export const TEXT_SIZES: readonly TextSize[] = ['small', 'normal', 'large', 'largest'];
const LANGUAGES: readonly string[] = ['en', 'zh-CN'] satisfies Language[];

/** Reads, applies and keeps them. */
export class Preferences {
  readonly view: Observable<PreferencesView>;
  readonly #local: LocalStore;

  constructor(local: LocalStore) {
    this.#local = local;
    this.view = new Observable(
      () => this.#look(),
      (run) => run(),
    );
  }

  /** Makes the document look and speak as wanted. */
  async apply(): Promise<void> {
    const { theme, textSize, language } = this.#look();
    const root = document.documentElement;
    if (textSize === 'normal') delete root.dataset.text;
    else root.dataset.text = textSize;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    // The bars of the browser have the colour of the page, whatever the device prefers.
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
      const { scheme } = meta.dataset;
      if (theme === 'system') meta.media = `(prefers-color-scheme: ${scheme})`;
      else meta.media = theme === scheme ? 'all' : 'not all';
    }
    await speak(language);
    this.view.changed();
  }

  async setTheme(theme: Theme): Promise<void> {
    this.#local.write('theme', theme === 'system' ? null : theme);
    await this.apply();
  }

  async setTextSize(size: TextSize): Promise<void> {
    this.#local.write('text-size', size === 'normal' ? null : size);
    await this.apply();
  }

  async setLanguage(language: Language): Promise<void> {
    this.#local.write('language', language);
    await this.apply();
  }

  #look(): PreferencesView {
    const theme = this.#local.read('theme') ?? '';
    const textSize = this.#local.read('text-size');
    const language = this.#local.read('language') ?? '';
    return {
      theme: THEMES.includes(theme) ? (theme as Theme) : 'system',
      textSize: TEXT_SIZES.find((size) => size === textSize) ?? 'normal',
      language: LANGUAGES.includes(language) ? (language as Language) : browserLanguage(),
    };
  }
}
