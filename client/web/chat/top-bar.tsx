/** Name, presence, one status line; and under it the line. */
import { useTranslation } from 'react-i18next';
import { useApp, useConversationPart, useView } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { shownName } from '../parts/shown-name.ts';
import { Monogram } from '../parts/monogram.tsx';
import { backToList } from '../screens/back-to-list.ts';
import { useChatDesk } from './chat-desk.ts';
import { lineState, useStatusWords } from './status.ts';

export function TopBar({ back, onMore }: { back: string | null; onMore: () => void }) {
  const { t } = useTranslation();
  const agent = useConversationPart((view) => view.agent.name);
  const title = useConversationPart((view) => view.title);
  const line = useConversationPart(lineState);
  const here = useConversationPart((view) => view.needs.length);
  const elsewhere = useView(useApp().view).needing - here;
  const desk = useChatDesk();
  const { words, online } = useStatusWords();
  return (
    <>
      <header className={`top-bar${back === null ? '' : ' with-back'}`}>
        {back !== null && (
          <a
            className={elsewhere > 0 ? 'icon-button back needing' : 'icon-button back'}
            href={back}
            onClick={backToList}
            aria-label={elsewhere > 0 ? `${t('chat.back')}: ${t('tray.needs', { count: elsewhere })}` : t('chat.back')}
          >
            <Icon name="back" />
          </a>
        )}
        <Monogram name={agent} />
        <div className="top-bar-name">
          <h1 dir="auto">{title ? `${agent} · ${shownName(title)}` : agent}</h1>
          <p className="status-line numbers">
            {online !== null && <span className={online ? 'presence-dot online' : 'presence-dot'} />}
            <span role="status">{words}</span>
          </p>
        </div>
        <button type="button" className="icon-button" aria-label={t('find.title')} onClick={() => desk.set({ finding: true })}>
          <Icon name="search" />
        </button>
        <button type="button" className="icon-button" aria-label={t('chat.more')} onClick={onMore}>
          <Icon name="more" />
        </button>
      </header>
      <div className={`the-line ${line}`} data-line={line} />
    </>
  );
}
