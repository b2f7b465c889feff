/** Where the app begins. */
import i18next from 'i18next';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { version } from '../../package.json';
import { documentSignals } from '../core/page.ts';
import { parsePairingInput } from '../core/pairing.ts';
import { App, loadHome } from './app.tsx';
import { Attention } from './attention/attention.ts';
import { showBadge } from './attention/badge.ts';
import { isListShown } from './attention/list-shown.ts';
import { DeviceHost } from './capabilities/host.ts';
import { HostProvider } from './capabilities/host-context.ts';
import { keepWithinKeyboard } from './parts/app-height.ts';
import { AppProvider, InstallerProvider, PreferencesProvider } from './parts/contexts.ts';
import { Boundary } from './parts/boundary.tsx';
import { Installer } from './parts/installer.ts';
import { keepShell } from './parts/shell.ts';
import { reloadOnMissingChunk } from './parts/missing-chunk.ts';
import { Broken } from './screens/broken.tsx';
import { followInvitation } from './screens/follow-invitation.ts';
import { AppStore } from './store/app-store.ts';
import { invitationOf, type Invitation } from './store/invitation.ts';
import { watchLists } from './store/list-watch.ts';
import { LocalStore } from './store/local-store.ts';
import { Preferences } from './store/preferences.ts';
import { networkSurroundings } from './store/surroundings.ts';
import { loadMarkdown } from './timeline/load-markdown.ts';

const local = new LocalStore();
const preferences = new Preferences(local);
const installer = new Installer(local);
const host = new DeviceHost(local);
const app = new AppStore(local, networkSurroundings(local, host, version));

/** A pairing link was opened: the code leaves the address bar, and with it the history, before anything else happens. */
function takeInvitation(): Invitation | null {
  if (!location.hash.includes('pair=')) return null;
  const input = parsePairingInput(location.hash);
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return input.ok ? invitationOf(input, location.origin) : null;
}

function follow(invitation: Invitation | null): void {
  if (invitation) void followInvitation(app, invitation);
}

const invitation = takeInvitation();
window.addEventListener('hashchange', () => follow(takeInvitation()));
reloadOnMissingChunk();
installer.start();
void keepShell();
keepWithinKeyboard();
await preferences.apply();

/** What is kept here may be damaged, or of another version: then the user is told, and not left with an empty page. */
let broken: { error: unknown } | null = null;
try {
  host.start();
  new Attention({
    app,
    notices: host.notices,
    badge: (count) => showBadge(count).catch(reportError),
    visible: () => document.visibilityState === 'visible',
    listed: isListShown,
    t: i18next.t,
  }).start();
  app.start();
  const page = documentSignals();
  if (page) watchLists(app, page);
  follow(invitation);
} catch (error) {
  reportError(error);
  broken = { error };
}
// Not needed for the welcome, and not waited for by a conversation.
if (app.view.get().pairings.length > 0) {
  void loadHome();
  void loadMarkdown();
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <PreferencesProvider value={preferences}>
      <AppProvider value={app}>
        <InstallerProvider value={installer}>
          <HostProvider value={host}>
            <Boundary fallback={(error) => <Broken error={error} />}>{broken ? <Broken error={broken.error} /> : <App />}</Boundary>
          </HostProvider>
        </InstallerProvider>
      </AppProvider>
    </PreferencesProvider>
  </StrictMode>,
);
