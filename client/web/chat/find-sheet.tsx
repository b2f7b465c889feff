/** The search: words in, places out; a tap or Enter leads there. */
import { useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { moment } from '../i18n/format.ts';
import { useConversation, useConversationPart, useLanguage } from '../parts/contexts.ts';
import { Sheet } from '../parts/sheet.tsx';
import { useChatDesk } from './chat-desk.ts';
import { find, type Hit } from './find.ts';

/** So many places are listed. */
const MOST = 100;

export default function FindSheet({ open }: { open: boolean }) {
  const { t } = useTranslation();
  const desk = useChatDesk();
  return (
    <Sheet title={t('find.title')} open={open} onClose={() => desk.set({ finding: false })}>
      <Search />
    </Sheet>
  );
}

function Search() {
  const { t } = useTranslation();
  const desk = useChatDesk();
  const store = useConversation();
  const entries = useConversationPart((view) => view.entries);
  const history = useConversationPart((view) => view.history);
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query);
  const hits = useMemo(() => find(entries, wanted, MOST), [entries, wanted]);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  // Arrow keys go from the field to the places and between them.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const places = [...(list.current?.querySelectorAll<HTMLElement>('input, .hit') ?? [])];
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      const first = hits[0];
      if (first) desk.reveal(first.entry.key);
    } else if (step !== undefined) {
      event.preventDefault();
      places[places.findIndex((place) => place === document.activeElement) + step]?.focus();
    }
  };
  return (
    <div className="find" role="search" ref={list}>
      <input
        className="text-field"
        type="search"
        aria-label={t('find.field')}
        placeholder={t('find.field')}
        value={query}
        ref={field}
        autoComplete="off"
        enterKeyHint="search"
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {wanted.trim() !== '' && (
        <p className="remark" role="status">
          {hits.length === 0 ? t('find.none') : t('find.count', { count: hits.length })}
        </p>
      )}
      <ul>
        {hits.map((hit) => (
          <li key={hit.entry.key}>
            <Place hit={hit} onGo={() => desk.reveal(hit.entry.key)} onKeyDown={onKeyDown} />
          </li>
        ))}
      </ul>
      {history.hasOlder && (
        <button type="button" className="button quiet" disabled={history.loadingOlder} onClick={() => store.loadOlder()}>
          {history.loadingOlder ? t('chat.olderLoading') : t('find.older')}
        </button>
      )}
    </div>
  );
}

function Place({ hit, onGo, onKeyDown }: { hit: Hit; onGo: () => void; onKeyDown: (event: KeyboardEvent) => void }) {
  const { entry, before, match, after } = hit;
  const { t } = useTranslation();
  const language = useLanguage();
  const agent = useConversationPart((view) => view.agent.name);
  return (
    <button type="button" className="hit" onClick={onGo} onKeyDown={onKeyDown}>
      <span className="hit-head">
        <b dir="auto">{entry.mine ? t('reply.you') : agent}</b>
        <time className="numbers" dateTime={entry.ts}>
          {moment(entry.ts, language)}
        </time>
      </span>
      <span className="hit-words" dir="auto">
        {before}
        <mark>{match}</mark>
        {after}
      </span>
    </button>
  );
}
