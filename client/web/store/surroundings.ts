/** The app's real surroundings: relays over the network, the browser's databases. */
import { Connection } from '../../core/connection.ts';
import { MemoryCursorStore } from '../../core/cursor-store.ts';
import { RelayHttp } from '../../core/http.ts';
import { IndexedDbOutboxStore } from '../../core/outbox-indexeddb.ts';
import type { ConversationHost } from '../capabilities/host.ts';
import type { Surroundings } from './app-store.ts';
import { ConversationStore } from './conversation-store.ts';
import type { LocalStore } from './local-store.ts';
import type { Pairing, PairingBook } from './pairings.ts';

/** How this app names its kind to relays and agents. */
const PLATFORM = 'web';

export function networkSurroundings(local: LocalStore, host: ConversationHost, version: string): (book: PairingBook) => Surroundings {
  return (book) => {
    const http = (pairing: Pairing) =>
      new RelayHttp({
        origin: pairing.relay,
        token: () => (book.find(pairing.key)?.deviceId === pairing.deviceId ? book.find(pairing.key)?.token : null) ?? pairing.token,
      });
    return {
      redeem: (relay, code, name) => RelayHttp.redeem(relay, code, { name, platform: PLATFORM }),
      conversations: (pairing) => http(pairing).conversations(),
      create: (pairing) => http(pairing).createConversation(),
      unpair: (pairing) => http(pairing).unpair(pairing.deviceId),
      open(pairing, info, on) {
        const conversationId = info.conversation_id;
        const me = { kind: 'app', id: pairing.deviceId } as const;
        const link = new Connection({
          relay: pairing.relay,
          conversationId,
          self: me,
          credentials: book.credentials(pairing.key, pairing.deviceId),
          hello: { name: pairing.deviceName, platform: PLATFORM, version },
          outbox: new IndexedDbOutboxStore(`${pairing.relay} ${pairing.deviceId} ${conversationId}`),
          // Messages live in memory and come back as pages of history, so the cursor lives there too.
          cursor: new MemoryCursorStore(),
        });
        return new ConversationStore({
          conversationId,
          me,
          agent: pairing.agent,
          agentKey: pairing.key,
          host,
          title: info.title,
          link,
          http: http(pairing),
          local,
          onStopped: on.stopped,
          onConversations: on.listChanged,
        });
      },
      wipe: () => deleteDatabases('lineup-'),
    };
  };
}

/** Deletes every database whose name begins like ours. */
async function deleteDatabases(prefix: string): Promise<void> {
  if (!('indexedDB' in window)) return;
  const databases = await indexedDB.databases();
  await Promise.all(databases.flatMap(({ name }) => (name?.startsWith(prefix) ? [deleteDatabase(name)] : [])));
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    // Another tab still has it open: it is deleted as soon as that tab closes it.
    request.addEventListener('blocked', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error(`The database ${name} could not be deleted.`)));
  });
}
