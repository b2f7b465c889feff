/** The way from the settings to apps and permissions. */
import { useTranslation } from 'react-i18next';
import { useHost } from './host-context.ts';

export function HostSettingsLink({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation();
  const host = useHost();
  return (
    <button
      type="button"
      className="button quiet"
      onClick={() => {
        onOpen();
        host.showCenter(true);
      }}
    >
      {t('host.title')}
    </button>
  );
}
