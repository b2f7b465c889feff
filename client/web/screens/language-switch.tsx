/** The other language, one tap away for whoever cannot read this one. */
import { usePreferences, useView } from '../parts/contexts.ts';

export function LanguageSwitch() {
  const preferences = usePreferences();
  const { language } = useView(preferences.view);
  const other = language === 'en' ? 'zh-CN' : 'en';
  return (
    <button type="button" className="text-button" lang={other} onClick={() => void preferences.setLanguage(other)}>
      {other === 'en' ? 'English' : '简体中文'}
    </button>
  );
}
