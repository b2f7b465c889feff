/** A device in a process of its own that streams and tells what happens to it on stdout, one JSON value a line: to be killed. */
import { join } from 'node:path';
import { Connection } from '../../client/core/connection.ts';
import { FileCursorStore } from '../../client/core/cursor-file.ts';
import { FileOutboxStore } from '../../client/core/outbox-file.ts';
import { NodeWebSocket } from '../../client/core/websocket-node.ts';
import type { Delivered } from '../../src/protocol/envelope.ts';

/** How the process is told what to do: JSON in its first argument. */
export interface ProcessOrders {
  relay: string;
  conversationId: string;
  deviceId: string;
  token: string;
  folder: string;
  /** The first number that its messages carry. */
  from: number;
  /** False: only sends what earlier processes left. */
  talks: boolean;
}

/** What the process tells. */
export type ProcessNews =
  /** A message is in the outbox: it was promised. */
  | { kept: number }
  | { relayed: string; seq: number | null }
  | { told: Delivered }
  /** Synced, and nothing in the outbox. */
  | { drained: true };

const { relay, conversationId, deviceId, token, folder, from, talks } = JSON.parse(process.argv[2] ?? '') as ProcessOrders;
const tell = (news: ProcessNews) => process.stdout.write(`${JSON.stringify(news)}\n`);

const connection = new Connection({
  relay,
  conversationId,
  self: { kind: 'app', id: deviceId },
  credentials: { load: () => token, save: () => undefined },
  hello: { name: 'Phone', platform: 'test' },
  start: 'oldest',
  outbox: new FileOutboxStore(join(folder, 'outbox')),
  cursor: new FileCursorStore(join(folder, 'cursor')),
  WebSocket: NodeWebSocket,
});
connection.on('message', (told) => tell({ told }));
connection.on('sent', ({ entry, status }) => {
  if (status.state === 'relayed') tell({ relayed: entry.id, seq: status.seq });
  if (!talks && connection.state.name === 'online' && connection.outbox.length === 0) tell({ drained: true });
});
connection.on('synced', () => {
  if (!talks && connection.outbox.length === 0) tell({ drained: true });
});
connection.start();
if (talks) await talk();

async function talk(): Promise<never> {
  for (let n = from; ; n++) {
    await connection.send('text', { content: `${n}` }, { id: `n${n}` });
    tell({ kept: n });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
