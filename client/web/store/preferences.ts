/** How this user wants the app: language and appearance. */
import { browserLanguage, speak, type Language } from '../i18n/i18n.ts';
import type { LocalStore } from './local-store.ts';
import { Observable } from './observable.ts';

/** `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

export interface PreferencesView {
  theme: Theme;
  language: Language;
}

const THEMES: readonly string[] = ['system', 'light', 'dark'] satisfies Theme[];
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
    const { theme, language } = this.#look();
    const root = document.documentElement;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    await speak(language);
    this.view.changed();
  }

  async setTheme(theme: Theme): Promise<void> {
    this.#local.write('theme', theme === 'system' ? null : theme);
    await this.apply();
  }

  async setLanguage(language: Language): Promise<void> {
    this.#local.write('language', language);
    await this.apply();
  }

  #look(): PreferencesView {
    const theme = this.#local.read('theme') ?? '';
    const language = this.#local.read('language') ?? '';
    return {
      theme: THEMES.includes(theme) ? (theme as Theme) : 'system',
      language: LANGUAGES.includes(language) ? (language as Language) : browserLanguage(),
    };
  }
}
