/** Which screen is shown. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Chat } from './chat/chat.tsx';
import { ConversationProvider, useApp, useView } from './parts/contexts.ts';
import { useWide } from './parts/use-wide.ts';
import { ConversationList } from './screens/conversation-list.tsx';
import { InvitationScreen } from './screens/invitation.tsx';
import { PairAgain } from './screens/pair-again.tsx';
import { conversationHref, readRoute, useHash } from './screens/route.ts';
import { SettingsSheet } from './screens/settings-sheet.tsx';
import { PairAnother, Welcome } from './screens/welcome.tsx';
import type { AppView } from './store/app-store.ts';

export function App() {
  const view = useView(useApp().view);
  const route = readRoute(useHash());
  if (view.invitation) return <InvitationScreen key={view.invitation.code} invitation={view.invitation} />;
  if (view.pairings.length === 0) return <Welcome />;
  if (route.name === 'pair') return <PairAnother />;
  return <Home view={view} place={route.name === 'root' ? null : route.key} />;
}

/** What the root shows by itself stays on the screen when another conversation comes up: from now on it is what the address names. */
function useStay(key: string | null): void {
  useEffect(() => {
    if (key !== null) history.replaceState(history.state, '', conversationHref(key));
  }, [key]);
}

/** Conversations: list and timeline side by side where there is room, one after the other where there is not. */
function Home({ view, place }: { view: AppView; place: string | null }) {
  const { t } = useTranslation();
  const wide = useWide();
  const [settings, setSettings] = useState(false);
  const { rows, pairings } = view;
  const several = rows.length + pairings.filter(({ ended }) => ended).length > 1;
  const ended = pairings.find((pairing) => pairing.ended && (pairing.key === place || !several));
  const row = ended ? undefined : (rows.find(({ key }) => key === place) ?? (wide || !several ? rows[0] : undefined));
  const listed = wide || (!row && !ended && several);
  const onMore = () => setSettings(true);
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
      {!row && !ended && !listed && (
        <main className="screen">
          <div className="screen-column middle">
            <h1 className="smaller">{t('list.none')}</h1>
          </div>
        </main>
      )}
      <SettingsSheet pairing={row?.pairing ?? ended ?? null} open={settings} onClose={() => setSettings(false)} />
    </div>
  );
}
