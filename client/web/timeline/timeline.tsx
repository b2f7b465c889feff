/** The timeline: every entry by its renderer, the days between them, and what surrounds them. */
import { Fragment, memo, useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { clockTime, dayName, isSameDay } from '../i18n/format.ts';
import type { Entry } from '../model/entry.ts';
import { useConversation, useConversationPart, useLanguage } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { Activity } from './activity.tsx';
import { DeliveryMark } from './delivery-mark.tsx';
import { rendererOf } from './registry.tsx';
import { loadMarkdown } from './text-entry.tsx';
import { TimelineTop } from './timeline-top.tsx';
import { useStickToEnd } from './use-stick-to-end.ts';

/** Silence longer than this gets a time of its own, in ms. */
const PAUSE_MS = 3_600_000;

export function Timeline() {
  const { t } = useTranslation();
  const store = useConversation();
  const entries = useConversationPart((view) => view.entries);
  const history = useConversationPart((view) => view.history);
  const unread = useConversationPart((view) => view.unread);
  const { scroller, content, away, settle, toEnd } = useStickToEnd(() => store.loadOlder());
  useLayoutEffect(settle, [entries, settle]);
  useEffect(() => void loadMarkdown(), []);
  useReading(!away && history.state === 'ready', entries);
  useOwnMessages(entries, toEnd);
  const lastOwn = entries.findLast((entry) => entry.mine && entry.type !== 'run.cancel');
  return (
    <div className="timeline">
      <div className="timeline-scroll" ref={scroller} tabIndex={0} role="log" aria-label={t('chat.timeline')} aria-live="polite">
        <div className="timeline-column" ref={content}>
          <TimelineTop />
          <div className="entries">
            {entries.map((entry, i) => (
              <Fragment key={entry.key}>
                <TimeBefore entry={entry} last={entries[i - 1]} />
                <Row entry={entry} marked={entry === lastOwn || entry.failure !== null} />
              </Fragment>
            ))}
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

/** A day that begins, or a pause after which the time is worth saying. */
function TimeBefore({ entry, last }: { entry: Entry; last: Entry | undefined }) {
  const language = useLanguage();
  if (!last || !isSameDay(entry.ts, last.ts)) return <p className="day">{dayName(entry.ts, language)}</p>;
  return Date.parse(entry.ts) - Date.parse(last.ts) > PAUSE_MS && <p className="day numbers">{clockTime(entry.ts, language)}</p>;
}

const Row = memo(function Row({ entry, marked }: { entry: Entry; marked: boolean }) {
  const { render: Render, quiet } = rendererOf(entry);
  return (
    <div className={`entry${entry.mine && !quiet ? ' mine' : ''}${quiet ? ' quiet' : ''}`} data-entry={entry.key} data-type={entry.type}>
      <Render entry={entry} />
      {entry.mine && marked && <DeliveryMark entry={entry} />}
    </div>
  );
});

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
