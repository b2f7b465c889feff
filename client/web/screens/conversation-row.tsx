/** One conversation in the list: who, what was said last, and what of it is new or needs the user. */
import { useTranslation } from 'react-i18next';
import { doingWords } from '../chat/status.ts';
import { shortMoment } from '../i18n/format.ts';
import { useLanguage, useView } from '../parts/contexts.ts';
import { Monogram } from '../parts/monogram.tsx';
import { shownName } from '../parts/shown-name.ts';
import type { ConversationRow as Row } from '../store/conversation-rows.ts';
import type { ConversationView } from '../store/conversation-view.ts';
import { lastLine } from './last-line.ts';
import { conversationHref } from './route.ts';

interface RowProps {
  row: Row;
  current: boolean;
  /** What a name alone would leave open: the agent where there are several, the relay where there are several. */
  several: { agents: boolean; relays: boolean };
  /** Some connections are down and others are not: each row says it of its own. */
  partly: boolean;
}

export function ConversationRow({ row, current, several, partly }: RowProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const view = useView(row.store.view);
  const last = view.entries.at(-1);
  const time = last?.ts ?? row.info.last_message_at;
  const agent = view.agent.name;
  const title = view.title ?? row.info.title;
  const place = [title !== null && several.agents && agent, several.relays && new URL(row.pairing.relay).host].filter(Boolean).join(' · ');
  const there = view.link.name === 'online' ? view.agent.online : null;
  const doing = there === true ? doingWords(view, t) : null;
  const lost = partly && row.connected && view.link.name === 'offline' ? t('link.offline') : null;
  return (
    <a className="list-row" href={conversationHref(row.key)} aria-current={current ? 'page' : undefined}>
      <span className="list-row-face">
        <Monogram name={view.agent.name} />
        {there !== null && <span className={there ? 'presence-dot online' : 'presence-dot'} />}
      </span>
      <span className="list-row-words">
        <span className="list-row-top">
          <b dir="auto">{title === null ? agent : shownName(title)}</b>
          {place !== '' && (
            <span className="list-row-place" dir="auto">
              {place}
            </span>
          )}
          {time && (
            <time className="numbers" dateTime={time}>
              {shortMoment(time, language)}
            </time>
          )}
        </span>
        <span className="list-row-bottom">
          <span className={doing === null ? undefined : 'list-row-doing'} dir="auto">
            {lost ?? doing ?? lastLine(view, t)}
          </span>
          {there !== null && <span className="hidden-words">{t(there ? 'agent.online' : 'agent.offline')}</span>}
          {view.needs.length > 0 && <span className="needs">{t('list.needsYou')}</span>}
          {!current && <News row={row} view={view} />}
        </span>
      </span>
    </a>
  );
}

/** How many messages are not read; of a conversation that is not connected it is only known that there are some. */
function News({ row, view }: { row: Row; view: ConversationView }) {
  const { t } = useTranslation();
  const { count, more } = view.unread;
  if (!row.connected && !row.store.hasRead(row.info.head_seq ?? 0)) return <span className="unread some" role="img" aria-label={t('list.some')} />;
  if (count === 0) return null;
  const words = count > 99 ? '99+' : more ? `${count}+` : String(count);
  return (
    <span className="unread numbers" role="img" aria-label={t('list.unread', { count })}>
      {words}
    </span>
  );
}
