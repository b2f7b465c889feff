/** A newer version is there: it is loaded when the user says so, and not under their hands. */
import { useTranslation } from 'react-i18next';
import { useView } from './contexts.ts';
import { Icon } from './icon.tsx';
import { putOffUpdate, updateReady } from './shell.ts';

export function UpdateBar() {
  const { t } = useTranslation();
  if (!useView(updateReady)) return null;
  return (
    <aside className="update-bar" aria-label={t('update.ready')}>
      <span role="status">{t('update.ready')}</span>
      <button type="button" className="text-button" onClick={() => location.reload()}>
        {t('update.load')}
      </button>
      <button type="button" className="icon-button" aria-label={t('update.later')} onClick={putOffUpdate}>
        <Icon name="close" small />
      </button>
    </aside>
  );
}
