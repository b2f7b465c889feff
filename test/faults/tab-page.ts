/** What a page of client-tabs.test.ts can be asked to do. */
import { Connection } from '../../client/core/connection.ts';
import { MemoryCursorStore } from '../../client/core/cursor-store.ts';
import { IndexedDbOutboxStore } from '../../client/core/outbox-indexeddb.ts';

let store: IndexedDbOutboxStore | null = null;
let connection: Connection | null = null;

const tab = {
  /** Ids that came from tabs that were closed later. */
  adopted: [] as string[],
  /** Contents that the connection told. */
  heard: [] as string[],

  /** Opens the outbox. @returns the ids that it was given */
  async openStore(scope: string): Promise<string[]> {
    store = new IndexedDbOutboxStore(scope);
    const given = await store.open((entries) => tab.adopted.push(...entries.map(({ id }) => id)));
    return given.map(({ id }) => id);
  },
  async put(ids: string[]): Promise<void> {
    for (const id of ids) await store?.put({ id, type: 'text', payload: { content: id }, created_at: 1 });
  },
  async remove(id: string): Promise<void> {
    await store?.remove(id);
  },
  async wipeStore(scope: string): Promise<void> {
    await new IndexedDbOutboxStore(scope).wipe();
  },
  async closeStore(): Promise<void> {
    await store?.close();
  },

  connect({ relay, conversationId, id, token }: { relay: string; conversationId: string; id: string; token: string }): void {
    connection = new Connection({
      relay,
      conversationId,
      self: { kind: 'app', id },
      credentials: { load: () => token, save: () => undefined },
      hello: { name: 'Browser', platform: 'web' },
      outbox: new IndexedDbOutboxStore(`${conversationId} ${id}`),
      cursor: new MemoryCursorStore(),
    });
    connection.on('message', ({ payload }) => tab.heard.push(String(payload.content)));
    connection.start();
  },
  async send(content: string): Promise<void> {
    await connection?.send('text', { content });
  },
  isDurable: (): boolean | undefined => connection?.durable,
};

/** The page's `window.tab`. */
export type Tab = typeof tab;

Object.assign(window, { tab });
