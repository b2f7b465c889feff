/** The app's real surroundings: relays over the network, the browser's databases. */
import { Connection } from '../../core/connection.ts';
import { MemoryCursorStore } from '../../core/cursor-store.ts';
import { RelayHttp } from '../../core/http.ts';
import { IndexedDbOutboxStore } from '../../core/outbox-indexeddb.ts';
import { documentSignals } from '../../core/page.ts';
import type { ConversationHost } from '../capabilities/host.ts';
import type { Surroundings } from './app-store.ts';
import { ConversationStore } from './conversation-store.ts';
import type { LocalStore } from './local-store.ts';
import type { Pairing, PairingBook } from './pairings.ts';
import { screenSignals } from './screen-signals.ts';
import { wipeBrowser } from './wipe.ts';

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
      rename: (pairing, id, title) => http(pairing).renameConversation(id, title),
      remove: (pairing, id) => http(pairing).deleteConversation(id),
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
          outbox: outboxOf(pairing, conversationId),
          // Messages live in memory and come back as pages of history, so the cursor lives there too.
          cursor: new MemoryCursorStore(),
          page: screenSignals(documentSignals(), on.onScreen),
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
      async forget(pairing, conversationId) {
        try {
          await outboxOf(pairing, conversationId).wipe();
        } catch (error) {
          // The browser keeps no data for this page: then the outbox was in memory, and went with its connection.
          if (!(error instanceof DOMException)) throw error;
        }
        if (local.read(`canvas.${conversationId}`) === null) return;
        const { BrowserBoardStore } = await import('../canvas/board-store.ts');
        await new BrowserBoardStore(`${pairing.key} ${conversationId}`).wipe();
      },
      wipe: wipeBrowser,
    };
  };
}

function outboxOf(pairing: Pairing, conversationId: string): IndexedDbOutboxStore {
  return new IndexedDbOutboxStore(`${pairing.relay} ${pairing.deviceId} ${conversationId}`);
}
