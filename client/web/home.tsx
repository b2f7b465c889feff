/** Conversations: the list, the one on the screen, and what can be set. Loaded apart, since the welcome needs nothing of it. */
import { lazy, useEffect, useState } from 'react';
import { Chat } from './chat/chat.tsx';
import { ConversationProvider, useApp } from './parts/contexts.ts';
import { Part } from './parts/part.tsx';
import { shownName } from './parts/shown-name.ts';
import { useTitle } from './parts/use-title.ts';
import { useWide } from './parts/use-wide.ts';
import { ConversationList } from './screens/conversation-list.tsx';
import { NoConversation } from './screens/no-conversation.tsx';
import { PairAgain } from './screens/pair-again.tsx';
import { conversationHref } from './screens/route.ts';
import { SettingsSheet } from './screens/settings-sheet.tsx';
import type { AppView } from './store/app-store.ts';
import type { ConversationRow } from './store/conversation-rows.ts';

const ExportSheet = lazy(() => import('./export/export-sheet.tsx'));

/** What the root shows by itself stays on the screen when another conversation comes up: from now on it is what the address names. */
function useStay(key: string | null): void {
  useEffect(() => {
    if (key !== null) history.replaceState(history.state, '', conversationHref(key));
  }, [key]);
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
  const ended = pairings.find((pairing) => pairing.ended && (pairing.key === place || !several));
  const row = ended ? undefined : (rows.find(({ key }) => key === place) ?? (wide || !several ? rows[0] : undefined));
  const listed = listable > 0 && (wide || (!row && !ended));
  const onMore = () => setSettings(true);
  const shown = row?.key ?? null;
  useEffect(() => app.show(shown), [app, shown]);
  useEffect(() => () => app.show(null), [app]);
  const agent = row && shownName(row.store.view.get().agent.name);
  useTitle(agent ?? 'LineUp', view.needing);
  useStay(place === null ? (row?.key ?? null) : null);
  return (
    <div className={listed && (row ?? ended) ? 'app with-list' : 'app'}>
      {listed && <ConversationList current={row?.key ?? ended?.key ?? null} onMore={onMore} level={(row ?? ended) ? 2 : 1} />}
      {ended && <PairAgain pairing={ended} />}
      {row && (
        <ConversationProvider key={row.key} value={row.store}>
          <Chat back={several && !wide ? '#/' : null} onMore={onMore} />
        </ConversationProvider>
      )}
      {listable === 0 && pairings[0] && <NoConversation pairing={pairings[0]} />}
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
