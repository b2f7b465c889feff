/** Every conversation with every agent: last line, time, and which of them needs the user. */
import { useTranslation } from 'react-i18next';
import { shortMoment } from '../i18n/format.ts';
import { useApp, useLanguage, useView } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { Monogram } from '../parts/monogram.tsx';
import type { ConversationRow } from '../store/app-store.ts';
import { lastLine } from './last-line.ts';
import { conversationHref, pairingHref } from './route.ts';

export function ConversationList({ current, onMore, level }: { current: string | null; onMore: () => void; level: 1 | 2 }) {
  const { t } = useTranslation();
  const { rows, pairings } = useView(useApp().view);
  // The whole screen on the phone, a way around beside the conversation where there is room.
  const [Pane, Title] = level === 1 ? (['main', 'h1'] as const) : (['nav', 'h2'] as const);
  return (
    <Pane className="list-pane" aria-label={t('list.title')}>
      <header className="list-head">
        <Title>{t('list.title')}</Title>
        <a className="icon-button" href="#/pair" aria-label={t('list.pairAnother')} title={t('list.pairAnother')}>
          <Icon name="plus" />
        </a>
        {level === 1 && (
          <button type="button" className="icon-button" aria-label={t('chat.more')} onClick={onMore}>
            <Icon name="more" />
          </button>
        )}
      </header>
      <ul className="list-rows">
        {rows.map((row) => (
          <li key={row.key}>
            <Row row={row} current={row.key === current} />
          </li>
        ))}
        {pairings
          .filter(({ ended }) => ended)
          .map(({ key, agent }) => (
            <li key={key}>
              <a className="list-row" href={pairingHref(key)} aria-current={current === key ? 'page' : undefined}>
                <Monogram name={agent.name} />
                <span className="list-row-words">
                  <span className="list-row-top">
                    <b dir="auto">{agent.name}</b>
                  </span>
                  <span className="list-row-bottom">
                    <span>{t('again.title')}</span>
                  </span>
                </span>
              </a>
            </li>
          ))}
      </ul>
    </Pane>
  );
}

function Row({ row, current }: { row: ConversationRow; current: boolean }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const view = useView(row.store.view);
  const last = view.entries.at(-1);
  const time = last?.ts ?? row.info.last_message_at;
  const needs = view.open.some((entry) => entry.call?.status === 'pending');
  return (
    <a className="list-row" href={conversationHref(row.key)} aria-current={current ? 'page' : undefined}>
      <Monogram name={view.agent.name} />
      <span className="list-row-words">
        <span className="list-row-top">
          <b dir="auto">{view.title ?? row.info.title ?? view.agent.name}</b>
          {time && (
            <time className="numbers" dateTime={time}>
              {shortMoment(time, language)}
            </time>
          )}
        </span>
        <span className="list-row-bottom">
          <span dir="auto">{lastLine(view, t)}</span>
          {needs ? (
            <span className="needs">{t('list.needsYou')}</span>
          ) : (
            view.unread > 0 &&
            !current && (
              <span className="unread numbers" aria-label={t('list.unread', { count: view.unread })}>
                {view.unread > 99 ? '99+' : view.unread}
              </span>
            )
          )}
        </span>
      </span>
    </a>
  );
}
