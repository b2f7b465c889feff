/** One app in the app center. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../capabilities/host-context.ts';
import { fileSize } from '../i18n/format.ts';
import { useLanguage } from '../parts/contexts.ts';
import type { AppRow } from './app-center.ts';
import type { KnownAppId } from './catalogue.ts';
import { Switch } from './switch.tsx';

export function AppItem({ app }: { app: AppRow }) {
  const { t } = useTranslation();
  const { apps } = useHost();
  const language = useLanguage();
  const [asked, setAsked] = useState(false);
  const size = fileSize(app.storedBytes, language);
  const disable = (forget: boolean) => {
    setAsked(false);
    apps.disable(app.id, forget);
  };
  const toggle = (next: boolean) => {
    if (next) apps.enable(app.id);
    else if (app.storedBytes > 0) setAsked(true);
    else disable(false);
  };
  return (
    <li className="center-item" data-app={app.id}>
      <Switch label={app.name} lead={t(`app.${app.id as KnownAppId}`)} checked={app.enabled && !asked} onChange={toggle} />
      <p className="center-facts numbers">
        <code>{app.id}</code>
        <span>{t('host.version', { version: app.version })}</span>
        {app.storedBytes > 0 && !asked && (
          <>
            <span>{t('host.kept', { size })}</span>
            <button type="button" className="text-button" onClick={() => apps.clear(app.id)}>
              {t('host.clear')}
            </button>
          </>
        )}
        {app.upgrade !== null && (
          <button type="button" className="text-button" onClick={() => apps.upgrade(app.id)}>
            {t('host.upgrade', { version: app.upgrade })}
          </button>
        )}
      </p>
      {asked && (
        <div className="center-ask" role="group" aria-label={app.name}>
          <p>{t('host.disableAsk', { size })}</p>
          <div className="card-actions">
            <button type="button" className="button" onClick={() => disable(false)}>
              {t('host.disableKeep')}
            </button>
            <button type="button" className="button danger" onClick={() => disable(true)}>
              {t('host.disableClear')}
            </button>
          </div>
        </div>
      )}
    </li>
  );
}
