/** Nothing paired yet: what this is, three steps, and a code. Also how one more agent is paired. */
import { useTranslation } from 'react-i18next';
import { useApp, useView } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { backToList } from './back-to-list.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { Mark } from './mark.tsx';
import { RelayCard } from './relay-card.tsx';
import { WaysIn } from './ways-in.tsx';

export function Welcome() {
  const { t } = useTranslation();
  const { durable, untold, leftover } = useView(useApp().view);
  return (
    <main className="screen">
      <div className="screen-column">
        <div className="screen-head">
          <Mark />
          <LanguageSwitch />
        </div>
        <header>
          <h1>{t('welcome.title')}</h1>
          <p className="lead">{t('welcome.lead')}</p>
        </header>
        <ol className="steps">
          <li>{t('welcome.step1')}</li>
          <li>{t('welcome.step2')}</li>
          <li>{t('welcome.step3')}</li>
        </ol>
        {untold && (
          <p className="remark" role="status">
            {t('settings.notTold')}
          </p>
        )}
        {leftover && (
          <p className="remark" role="status">
            {t('settings.leftover')}
          </p>
        )}
        <WaysIn />
        {!durable && <p className="remark">{t('chat.memoryOnly')}</p>}
        <RelayCard />
      </div>
    </main>
  );
}

export function PairAnother() {
  const { t } = useTranslation();
  return (
    <main className="screen">
      <div className="screen-column">
        <div className="screen-head">
          <a className="icon-button" href="#/" onClick={backToList} aria-label={t('chat.back')}>
            <Icon name="back" />
          </a>
        </div>
        <header>
          <h1 className="smaller">{t('welcome.another')}</h1>
          <p className="lead">{t('welcome.anotherLead')}</p>
        </header>
        <WaysIn />
      </div>
    </main>
  );
}
