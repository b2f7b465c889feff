/** The timeline: the rows around the view, and what surrounds them. */
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useChatDesk } from '../chat/chat-desk.ts';
import type { Entry } from '../model/entry.ts';
import { useConversation, useConversationPart, useView } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { Activity } from './activity.tsx';
import { Announcer } from './announcer.tsx';
import { Row } from './row.tsx';
import { loadMarkdown } from './load-markdown.ts';
import { TimelineTop } from './timeline-top.tsx';
import { useWindow } from './use-window.ts';

export function Timeline() {
  const { t } = useTranslation();
  const store = useConversation();
  const desk = useChatDesk();
  const { found } = useView(desk.view);
  const entries = useConversationPart((view) => view.entries);
  const history = useConversationPart((view) => view.history);
  const unread = useConversationPart((view) => view.unread.count);
  const { scroller, list, rows, total, margin, away, toEnd, reveal } = useWindow(entries, () => store.loadOlder());
  useEffect(() => void loadMarkdown(), []);
  useEffect(() => desk.onReveal(reveal), [desk, reveal]);
  useReading(!away && history.state === 'ready', entries);
  useOwnMessages(entries, toEnd);
  const lastOwn = entries.findLast((entry) => entry.mine && entry.type !== 'run.cancel');
  return (
    <div className="timeline">
      <Announcer />
      <div className="timeline-scroll" ref={scroller} tabIndex={0} role="log" aria-label={t('chat.timeline')} aria-live="off">
        <div className="timeline-column">
          <TimelineTop />
          <div className="entries" ref={list} style={{ height: total }}>
            {rows.getVirtualItems().map(({ index, start, key }) => {
              const entry = entries[index];
              return (
                entry && (
                  <div
                    key={key}
                    className="row"
                    data-index={index}
                    ref={rows.measureElement}
                    style={{ transform: `translateY(${start - margin}px)` }}
                  >
                    <Row entry={entry} last={entries[index - 1]} marked={entry === lastOwn || entry.failure !== null} found={entry.key === found} />
                  </div>
                )
              );
            })}
          </div>
          <Activity />
        </div>
      </div>
      {away && (
        <button
          type="button"
          className={unread > 0 ? 'new-pill' : 'new-pill round'}
          aria-label={unread > 0 ? undefined : t('chat.toEnd')}
          onClick={toEnd}
        >
          <Icon name="down" small />
          {unread > 0 && t('chat.new', { count: unread })}
        </button>
      )}
    </div>
  );
}

/** What is on the screen while somebody looks has been read. */
function useReading(reading: boolean, entries: readonly Entry[]): void {
  const store = useConversation();
  useEffect(() => {
    if (!reading) return;
    const look = () => {
      if (document.visibilityState === 'visible') store.markRead();
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [store, reading, entries]);
}

/** Whoever sends something wants to see it. */
function useOwnMessages(entries: readonly Entry[], toEnd: () => void): void {
  const last = entries.at(-1);
  const seen = useRef(last?.key);
  useEffect(() => {
    if (last && last.key !== seen.current && last.mine && last.seq === null) toEnd();
    seen.current = last?.key;
  }, [last, toEnd]);
}
