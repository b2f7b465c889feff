/** The conversation that was on the screen is no longer there: it was deleted, or its agent was unpaired in another tab. */
import { useTranslation } from 'react-i18next';
import { shownName } from '../parts/shown-name.ts';
import type { ConversationRow } from '../store/conversation-rows.ts';
import { backToList } from './back-to-list.ts';
import { LeftDraft } from './left-draft.tsx';
import { Mark } from './mark.tsx';

export function Gone({ row, paired }: { row: ConversationRow; paired: boolean }) {
  const { t } = useTranslation();
  const agent = shownName(row.pairing.agent.name);
  return (
    <main className="screen">
      <div className="screen-column middle">
        <Mark />
        <div role="alert">
          <h1 className="smaller">{paired ? t('gone.deleted') : t('again.title')}</h1>
          <p className="lead">{paired ? t('gone.deletedLead', { agent }) : t('gone.unpairedLead', { agent })}</p>
        </div>
        <LeftDraft text={row.store.draft.text} />
        <a className="button primary wide" href="#/" onClick={backToList}>
          {t('gone.on')}
        </a>
      </div>
    </main>
  );
}
