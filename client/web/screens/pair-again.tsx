/** The relay let this device go: what happened, and the way back. */
import { useTranslation } from 'react-i18next';
import { useApp } from '../parts/contexts.ts';
import { shownName } from '../parts/shown-name.ts';
import type { Pairing } from '../store/pairings.ts';
import { Mark } from './mark.tsx';
import { WaysIn } from './ways-in.tsx';

export function PairAgain({ pairing }: { pairing: Pairing }) {
  const { t } = useTranslation();
  const app = useApp();
  return (
    <main className="screen">
      <div className="screen-column middle">
        <Mark />
        <header>
          <h1 className="smaller">{t('again.title')}</h1>
          <p className="lead">{t('again.lead', { agent: shownName(pairing.agent.name) })}</p>
        </header>
        <WaysIn action={t('again.do')} />
        <button type="button" className="button quiet wide" onClick={() => void app.unpair(pairing.key)}>
          {t('again.forget')}
        </button>
      </div>
    </main>
  );
}
