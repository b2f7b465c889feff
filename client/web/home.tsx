/** Conversations: the list, the one on the screen, and what can be set. Loaded apart, since the welcome needs nothing of it. */
import { lazy, useEffect, useState } from 'react';
import { Chat } from './chat/chat.tsx';
import { ConversationProvider, useApp } from './parts/contexts.ts';
import { Part } from './parts/part.tsx';
import { useTitle } from './parts/use-title.ts';
import { useWide } from './parts/use-wide.ts';
import { useNoteFromList } from './screens/back-to-list.ts';
import { ConversationList } from './screens/conversation-list.tsx';
import { Gone } from './screens/gone.tsx';
import { NoConversation } from './screens/no-conversation.tsx';
import { PairAgain } from './screens/pair-again.tsx';
import { conversationHref } from './screens/route.ts';
import { SettingsSheet } from './screens/settings-sheet.tsx';
import type { AppView } from './store/app-store.ts';
import type { ConversationRow } from './store/conversation-rows.ts';
import type { Pairing } from './store/pairings.ts';

const ExportSheet = lazy(() => import('./export/export-sheet.tsx'));

/** What the root shows by itself stays on the screen when another conversation comes up: from now on it is what the address names. */
function useStay(key: string | null): void {
  useEffect(() => {
    if (key !== null) history.replaceState(history.state, '', conversationHref(key));
  }, [key]);
}

/** Whether a place is a conversation of a pairing's, or the pairing itself. */
function isOf(place: string | null, { key }: Pick<Pairing, 'key'>): boolean {
  return place === key || (place?.startsWith(`${key}|`) ?? false);
}

/** The conversation that the address named last while it was there. */
function useLast(here: ConversationRow | undefined): ConversationRow | null {
  const [last, setLast] = useState(here ?? null);
  if (here && here !== last) setLast(here);
  return last;
}

/** Conversations: list and timeline side by side where there is room, one after the other where there is not. */
export default function Home({ view, place }: { view: AppView; place: string | null }) {
  const app = useApp();
  const wide = useWide();
  const [settings, setSettings] = useState(false);
  // The conversation to be saved as a file; kept once there was one, so that the sheet can leave in its own time.
  const [saving, setSaving] = useState<{ row: ConversationRow; open: boolean } | null>(null);
  const { rows, pairings } = view;
  const listable = rows.length + pairings.filter((pairing) => pairing.ended).length;
  const several = listable > 1;
  const here = rows.find(({ key }) => key === place);
  const ended = here ? undefined : pairings.find((pairing) => pairing.ended && (isOf(place, pairing) || !several));
  // The address names one that is not there: nobody is led into another one instead.
  const missing = here || ended ? null : place;
  const last = useLast(here);
  // Where there is nothing else and nothing to copy, that there is no conversation says it all.
  const gone = missing !== null && last?.key === missing && (listable > 0 || last.store.draft.text !== '') ? last : null;
  const awaited = missing !== null && gone === null && pairings.some((pairing) => isOf(missing, pairing));
  const row = here ?? (ended || gone || awaited || (several && !wide) ? undefined : rows[0]);
  const main = row ?? ended ?? gone;
  const listed = listable > 0 && (wide || !main);
  const onMore = () => setSettings(true);
  const shown = row?.key ?? null;
  useEffect(() => app.show(shown), [app, shown]);
  useEffect(() => () => app.show(null), [app]);
  const agent = row?.store.view.get().agent.name;
  useTitle(agent ?? 'LineUp', view.needing);
  useNoteFromList(place, listed && !main);
  useStay(row && !here ? row.key : null);
  return (
    <div className={listed && main ? 'app with-list' : 'app'}>
      {listed && <ConversationList current={row?.key ?? ended?.key ?? null} onMore={onMore} level={main ? 2 : 1} />}
      {ended && <PairAgain key={ended.key} pairing={ended} place={place} last={last} />}
      {/* What the user does in the settings leads on by itself. */}
      {gone && !settings && <Gone key={gone.key} row={gone} paired={pairings.some(({ key }) => key === gone.pairing.key)} />}
      {row && (
        <ConversationProvider key={row.key} value={row.store}>
          <Chat back={several && !wide ? '#/' : null} onMore={onMore} />
        </ConversationProvider>
      )}
      {listable === 0 && !gone && pairings[0] && <NoConversation pairing={pairings[0]} />}
      <SettingsSheet
        row={row ?? null}
        pairing={row?.pairing ?? ended ?? null}
        open={settings}
        onClose={() => setSettings(false)}
        onExport={() => row && setSaving({ row, open: true })}
      />
      {saving && (
        <Part>
          <ExportSheet key={saving.row.key} row={saving.row} open={saving.open} onClose={() => setSaving({ ...saving, open: false })} />
        </Part>
      )}
    </div>
  );
}
