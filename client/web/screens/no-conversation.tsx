/** The agent is there, and every conversation with it is gone. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp } from '../parts/contexts.ts';
import { shownName } from '../parts/shown-name.ts';
import { useTroubleWords } from '../parts/use-trouble-words.ts';
import type { Pairing } from '../store/pairings.ts';
import type { Trouble } from '../store/trouble.ts';
import { Mark } from './mark.tsx';
import { conversationHref } from './route.ts';

export function NoConversation({ pairing }: { pairing: Pairing }) {
  const { t } = useTranslation();
  const app = useApp();
  const words = useTroubleWords();
  const [beginning, setBeginning] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const begin = async () => {
    setBeginning(true);
    const made = await app.create(pairing);
    setTrouble(made.ok ? null : made.trouble);
    setBeginning(false);
    // The address still names the one that is gone.
    if (made.ok) location.replace(conversationHref(made.key));
  };
  const unpair = async () => {
    await app.unpair(pairing.key);
    location.replace('#/');
  };
  return (
    <main className="screen">
      <div className="screen-column middle">
        <Mark />
        <header>
          <h1 className="smaller">{t('list.none')}</h1>
          <p className="lead">{t('list.noneLead', { agent: shownName(pairing.agent.name) })}</p>
        </header>
        <div className="stack">
          {trouble && (
            <p className="problem" role="alert">
              {words(trouble)}
            </p>
          )}
          <button type="button" className="button primary wide" disabled={beginning} onClick={() => void begin()}>
            {t('list.new')}
          </button>
          <button type="button" className="button quiet wide" onClick={() => void unpair()}>
            {t('settings.unpair', { agent: shownName(pairing.agent.name) })}
          </button>
        </div>
      </div>
    </main>
  );
}
