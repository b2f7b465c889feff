/** One row of the timeline: the day or the time where one begins, and the entry by its renderer. */
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { clockTime, dayName, isSameDay } from '../i18n/format.ts';
import type { Entry } from '../model/entry.ts';
import { useLanguage } from '../parts/contexts.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Icon } from '../parts/icon.tsx';
import { BrokenEntry } from './broken-entry.tsx';
import { DeliveryMark } from './delivery-mark.tsx';
import { rendererOf } from './registry.tsx';
import { isMessage, useMessageMenu } from './use-message-menu.ts';

/** Silence longer than this gets a time of its own, in ms. */
const PAUSE_MS = 3_600_000;

export interface RowProps {
  entry: Entry;
  /** The entry before it. */
  last: Entry | undefined;
  /** Whether it says how far it has come. */
  marked: boolean;
  /** Somebody was brought here, and should see where. */
  found: boolean;
}

export const Row = memo(
  function Row(props: RowProps) {
    return (
      <Boundary about={props.entry} fallback={<BrokenEntry entry={props.entry} />}>
        <Drawn {...props} />
      </Boundary>
    );
  },
  // Of the entry before it only its time and kind are seen.
  (a, b) => a.entry === b.entry && a.marked === b.marked && a.found === b.found && a.last?.ts === b.last?.ts && a.last?.type === b.last?.type,
);

function Drawn({ entry, last, marked, found }: RowProps) {
  const { t } = useTranslation();
  const { render: Render } = rendererOf(entry);
  const time = timeBefore(entry, last);
  const kind = kindOf(entry);
  const close = time === null && kind !== '' && last !== undefined && kindOf(last) === kind;
  const { handlers, openAt } = useMessageMenu(entry);
  const said = isMessage(entry);
  return (
    <>
      {time && <TimeBefore kind={time} ts={entry.ts} />}
      <div
        className={`entry${kind}${close ? ' close' : ''}${found ? ' found' : ''}`}
        data-entry={entry.key}
        data-type={entry.type}
        data-menu={said || undefined}
        {...(said && handlers)}
      >
        <Render entry={entry} />
        {entry.mine && marked && <DeliveryMark entry={entry} />}
        {said && (
          <button type="button" className="icon-button entry-more" aria-haspopup="dialog" aria-label={t('menu.open')} onClick={openAt}>
            <Icon name="more" small />
          </button>
        )}
      </div>
    </>
  );
}

function kindOf(entry: Entry): '' | ' mine' | ' quiet' {
  if (rendererOf(entry).quiet) return ' quiet';
  return entry.mine ? ' mine' : '';
}

/** A day that begins, or a pause after which the time is worth saying. */
function timeBefore(entry: Entry, last: Entry | undefined): 'day' | 'clock' | null {
  if (!last || !isSameDay(entry.ts, last.ts)) return 'day';
  return Date.parse(entry.ts) - Date.parse(last.ts) > PAUSE_MS ? 'clock' : null;
}

function TimeBefore({ kind, ts }: { kind: 'day' | 'clock'; ts: string }) {
  const language = useLanguage();
  return kind === 'day' ? <p className="day">{dayName(ts, language)}</p> : <p className="day numbers">{clockTime(ts, language)}</p>;
}
