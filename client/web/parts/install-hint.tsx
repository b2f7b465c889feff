/** One line that says how the app gets onto the home screen, until the user has answered it. */
import { useTranslation } from 'react-i18next';
import { useInstaller, useView } from './contexts.ts';
import { Icon } from './icon.tsx';

export function InstallHint() {
  const { t } = useTranslation();
  const installer = useInstaller();
  const way = useView(installer.view);
  if (way === null) return null;
  return (
    <aside className="install-hint" aria-label={t('install.title')}>
      <p>
        <b>{t('install.title')}</b> {t(`install.${way}`)}
      </p>
      {way === 'prompt' && (
        <button type="button" className="text-button" onClick={() => void installer.install()}>
          {t('install.do')}
        </button>
      )}
      <button type="button" className="icon-button" aria-label={t('install.no')} onClick={() => installer.dismiss()}>
        <Icon name="close" small />
      </button>
    </aside>
  );
}
