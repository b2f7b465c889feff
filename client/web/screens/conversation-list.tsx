/** Every conversation with every agent, the one in which something was said last on top. */
import { useTranslation } from 'react-i18next';
import { useListShown } from '../attention/list-shown.ts';
import { Boundary } from '../parts/boundary.tsx';
import { useApp, useView } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { Monogram } from '../parts/monogram.tsx';
import { shownName } from '../parts/shown-name.ts';
import { ConversationRow } from './conversation-row.tsx';
import { conversationHref, pairingHref } from './route.ts';

export function ConversationList({ current, onMore, level }: { current: string | null; onMore: () => void; level: 1 | 2 }) {
  const { t } = useTranslation();
  useListShown();
  const { rows, pairings, offline, needing } = useView(useApp().view);
  // The whole screen on the phone, a way around beside the conversation where there is room.
  const [Pane, Title] = level === 1 ? (['main', 'h1'] as const) : (['nav', 'h2'] as const);
  const several = { agents: pairings.length > 1, relays: new Set(pairings.map(({ relay }) => relay)).size > 1 };
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
      <div className={`the-line ${offline !== 'none' ? 'offline' : needing > 0 ? 'need' : 'idle'}`} />
      <div role="status">{offline === 'all' && <p className="list-offline">{t('list.offline')}</p>}</div>
      <ul className="list-rows">
        {rows.map((row) => (
          <li key={row.key}>
            <Boundary about={row.info} fallback={<PlainRow href={conversationHref(row.key)} name={row.pairing.agent.name} />}>
              <ConversationRow row={row} current={row.key === current} several={several} partly={offline === 'some'} />
            </Boundary>
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
                    <b dir="auto">{shownName(agent.name)}</b>
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

/** A row of which nothing can be said but whose it is: the way in is there all the same. */
function PlainRow({ href, name }: { href: string; name: string }) {
  return (
    <a className="list-row" href={href}>
      <Monogram name={name} />
      <b dir="auto">{shownName(name)}</b>
    </a>
  );
}
