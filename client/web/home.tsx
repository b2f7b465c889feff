/** Conversations: the list, the one on the screen, and what can be set. Loaded apart, since the welcome needs nothing of it. */
import { useEffect, useState } from 'react';
import { Chat } from './chat/chat.tsx';
import { ConversationProvider, useApp } from './parts/contexts.ts';
import { useWide } from './parts/use-wide.ts';
import { ConversationList } from './screens/conversation-list.tsx';
import { NoConversation } from './screens/no-conversation.tsx';
import { PairAgain } from './screens/pair-again.tsx';
import { conversationHref } from './screens/route.ts';
import { SettingsSheet } from './screens/settings-sheet.tsx';
import type { AppView } from './store/app-store.ts';

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
  const { rows, pairings } = view;
  const listable = rows.length + pairings.filter((pairing) => pairing.ended).length;
  const several = listable > 1;
  const ended = pairings.find((pairing) => pairing.ended && (pairing.key === place || !several));
  const row = ended ? undefined : (rows.find(({ key }) => key === place) ?? (wide || !several ? rows[0] : undefined));
  const listed = listable > 0 && (wide || (!row && !ended));
  const onMore = () => setSettings(true);
  useEffect(() => {
    if (row) app.show(row.key);
  }, [app, row]);
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
      <SettingsSheet pairing={row?.pairing ?? ended ?? null} open={settings} onClose={() => setSettings(false)} />
    </div>
  );
}
