/** What components reach without being handed it: the app, the conversation they stand in, and the language. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppStore } from '../store/app-store.ts';
import type { ConversationStore } from '../store/conversation-store.ts';
import type { ConversationView } from '../store/conversation-view.ts';
import type { Observable } from '../store/observable.ts';
import type { Preferences } from '../store/preferences.ts';
import type { Installer } from './installer.ts';

const App = createContext<AppStore | null>(null);
const Conversation = createContext<ConversationStore | null>(null);
const UserPreferences = createContext<Preferences | null>(null);
const HomeScreen = createContext<Installer | null>(null);

export const AppProvider = App.Provider;
export const ConversationProvider = Conversation.Provider;
export const PreferencesProvider = UserPreferences.Provider;
export const InstallerProvider = HomeScreen.Provider;

export function useApp(): AppStore {
  return present(useContext(App), 'AppProvider');
}

export function useConversation(): ConversationStore {
  return present(useContext(Conversation), 'ConversationProvider');
}

export function usePreferences(): Preferences {
  return present(useContext(UserPreferences), 'PreferencesProvider');
}

export function useInstaller(): Installer {
  return present(useContext(HomeScreen), 'InstallerProvider');
}

/** The current value of something that can be watched. */
export function useView<T>(observable: Observable<T>): T {
  return useSyncExternalStore(observable.subscribe, observable.get);
}

/** One part of the conversation's view; the component renders again only when that part is another one. */
export function useConversationPart<T>(pick: (view: ConversationView) => T): T {
  const { view } = useConversation();
  return useSyncExternalStore(view.subscribe, () => pick(view.get()));
}

/** The language that is spoken, for Intl. */
export function useLanguage(): string {
  return useTranslation().i18n.language;
}

function present<T>(value: T | null, provider: string): T {
  if (value === null) throw new Error(`Used outside of ${provider}.`);
  return value;
}
