/** In place of the whole page, when it broke: nothing is lost, and the way on is one tap. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../parts/clipboard.ts';
import { Mark } from './mark.tsx';

export function Broken({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const details = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  return (
    <main className="screen">
      <div className="screen-column middle" role="alert">
        <Mark />
        <header>
          <h1 className="smaller">{t('broken.title')}</h1>
          <p className="lead">{t('broken.lead')}</p>
        </header>
        <div className="stack">
          <button type="button" className="button primary wide" onClick={() => location.reload()}>
            {t('broken.reload')}
          </button>
          <button type="button" className="button quiet wide" onClick={() => void copyText(details).then(setCopied)}>
            {copied ? t('message.copied') : t('broken.details')}
          </button>
        </div>
      </div>
    </main>
  );
}
