/** Which screen is shown. */
import { lazy, Suspense } from 'react';
import { HostLayer } from './capabilities/host-layer.tsx';
import { useFileDrop } from './composer/use-file-drop.ts';
import { useApp, useView } from './parts/contexts.ts';
import { InvitationScreen } from './screens/invitation.tsx';
import { UpdateBar } from './parts/update-bar.tsx';
import { Starting } from './screens/starting.tsx';
import { readRoute, useHash } from './screens/route.ts';
import { PairAnother, Welcome } from './screens/welcome.tsx';

/** Asked for early, it is there when somebody is paired. */
export const loadHome = () => import('./home.tsx');
const Home = lazy(loadHome);

export function App() {
  useFileDrop();
  return (
    <>
      <Screen />
      <UpdateBar />
      <HostLayer />
    </>
  );
}

function Screen() {
  const view = useView(useApp().view);
  const route = readRoute(useHash());
  if (view.invitation) return <InvitationScreen key={view.invitation.code} invitation={view.invitation} />;
  if (view.pairings.length === 0) return <Welcome />;
  if (route.name === 'pair') return <PairAnother />;
  return (
    <Suspense fallback={<Starting />}>
      <Home view={view} place={route.name === 'root' ? null : route.key} />
    </Suspense>
  );
}
