/** Where the app begins. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { version } from '../../package.json';
import { parsePairingInput } from '../core/pairing.ts';
import { App, loadHome } from './app.tsx';
import { DeviceHost } from './capabilities/host.ts';
import { HostProvider } from './capabilities/host-context.ts';
import { keepWithinKeyboard } from './parts/app-height.ts';
import { AppProvider, PreferencesProvider } from './parts/contexts.ts';
import { keepShell } from './parts/shell.ts';
import { reloadOnMissingChunk } from './parts/missing-chunk.ts';
import { AppStore } from './store/app-store.ts';
import { invitationOf } from './store/invitation.ts';
import { LocalStore } from './store/local-store.ts';
import { Preferences } from './store/preferences.ts';
import { networkSurroundings } from './store/surroundings.ts';
import { loadMarkdown } from './timeline/load-markdown.ts';

const local = new LocalStore();
const preferences = new Preferences(local);
const host = new DeviceHost(local);
const app = new AppStore(local, networkSurroundings(local, host, version));

/** A pairing link was opened: the code leaves the address bar, and with it the history, before anything else happens. */
function takeInvitation(): void {
  if (!location.hash.includes('pair=')) return;
  const input = parsePairingInput(location.hash);
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  if (input.ok) app.invite(invitationOf(input, location.origin));
}

takeInvitation();
window.addEventListener('hashchange', takeInvitation);
reloadOnMissingChunk();
void keepShell();
keepWithinKeyboard();
await preferences.apply();
host.start();
app.start();
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
        <HostProvider value={host}>
          <App />
        </HostProvider>
      </AppProvider>
    </PreferencesProvider>
  </StrictMode>,
);
