/** The relay let this device go: what happened, and the way back. */
import { useTranslation } from 'react-i18next';
import { useApp } from '../parts/contexts.ts';
import { shownName } from '../parts/shown-name.ts';
import type { ConversationRow } from '../store/conversation-rows.ts';
import { Draft } from '../store/draft.ts';
import type { Pairing } from '../store/pairings.ts';
import { LeftDraft } from './left-draft.tsx';
import { Mark } from './mark.tsx';
import { WaysIn } from './ways-in.tsx';

interface Props {
  pairing: Pairing;
  /** The key of the conversation that the address names, if it names one. */
  place: string | null;
  /** The conversation that was on the screen. */
  last: ConversationRow | null;
}

export function PairAgain({ pairing, place, last }: Props) {
  const { t } = useTranslation();
  const app = useApp();
  const id = place?.slice(pairing.key.length + 1) || pairing.conversationId;
  const draft = last?.key === `${pairing.key}|${id}` ? last.store.draft : id && new Draft(app.local, id);
  const forget = async () => {
    await app.unpair(pairing.key);
    location.replace('#/');
  };
  return (
    <main className="screen">
      <div className="screen-column middle">
        <Mark />
        <header>
          <h1 className="smaller">{t('again.title')}</h1>
          <p className="lead">{t('again.lead', { agent: shownName(pairing.agent.name) })}</p>
        </header>
        {draft && <LeftDraft text={draft.text} />}
        <WaysIn action={t('again.do')} />
        <button type="button" className="button quiet wide" onClick={() => void forget()}>
          {t('again.forget')}
        </button>
      </div>
    </main>
  );
}
