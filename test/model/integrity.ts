/** What has to hold of a conversation at any moment, seen from its tables and from a second one that is loaded from them. */
import type { Conversation } from '../../src/conversation/conversation.ts';
import { resumePoint, restored, welcome } from '../../src/conversation/handshake.ts';
import { historyPage } from '../../src/conversation/history.ts';
import type { Participant } from '../../src/protocol/envelope.ts';
import { AGENT, PHONE, TABLET, type Room, type Seen } from '../support/room.ts';
import { keyOf, type Client } from './client.ts';

interface LogRow extends Record<string, string | number | null> {
  seq: number;
  type: string;
  ref: string | null;
  bytes: number;
  has_frame: number;
}

interface CallRow extends Record<string, string | number | null> {
  call_id: string;
  seq: number;
  status: string;
  result_seq: number | null;
  due: number | null;
}

/** What is wrong with the tables. */
export function flaws({ sql, ledger, limits }: Room): string[] {
  const found: string[] = [];
  const rows = sql.exec<LogRow>('SELECT seq, type, ref, bytes, frame IS NOT NULL AS has_frame FROM log ORDER BY seq');
  const { oldest, index } = ledger.log;
  const readable = rows.filter(({ seq }) => seq >= oldest);
  if (readable.length !== index.messages) found.push(`${readable.length} messages, counted as ${index.messages}`);
  const bytes = readable.reduce((sum, row) => sum + row.bytes, 0);
  if (bytes !== index.bytes) found.push(`${bytes} bytes, counted as ${index.bytes}`);
  if (readable.length >= limits.retain_messages + 64) found.push(`${readable.length} messages are kept`);
  // Of edits the newest is there, and it alone.
  for (const edits of Map.groupBy(rows, ({ type, ref }) => (type === 'text.edit' ? ref : null)).entries()) {
    const [ref, those] = edits;
    if (ref !== null && those.some(({ has_frame }, i) => (has_frame === 1) !== (i === those.length - 1))) found.push(`edits of ${ref}`);
  }
  const frames = new Set(rows.flatMap(({ seq, has_frame }) => (has_frame === 1 ? [seq] : [])));
  const needed = new Set<number>();
  for (const { instance_id, open_seq, patch_seq } of ledger.surfaces.all()) {
    for (const seq of patch_seq === null ? [open_seq] : [open_seq, patch_seq]) {
      needed.add(seq);
      if (!frames.has(seq)) found.push(`surface ${instance_id} lacks ${seq}`);
    }
    const patches = rows.filter(({ type, ref, seq }) => type === 'lineup.v1.ui.patch' && ref === instance_id && seq > open_seq);
    if ((patches.at(-1)?.seq ?? null) !== patch_seq) found.push(`surface ${instance_id} has patch ${patch_seq}`);
  }
  for (const call of sql.exec<CallRow>(
    "SELECT call_id, seq, status, result_seq, due.at AS due FROM calls LEFT JOIN due ON due.kind = 'call' AND due.key = call_id",
  )) {
    const pending = call.status === 'pending';
    if (pending !== (call.result_seq === null) || pending !== (call.due !== null)) found.push(`call ${JSON.stringify(call)}`);
    if (pending) needed.add(call.seq);
    if (pending && !frames.has(call.seq)) found.push(`call ${call.call_id} is lost`);
    const results = rows.filter(({ type, ref }) => ref === call.call_id && type.endsWith('.result'));
    if (results.length !== (pending ? 0 : 1)) found.push(`call ${call.call_id} is ${call.status} with ${results.length} results`);
  }
  for (const { seq } of rows) if (seq < oldest && !needed.has(seq)) found.push(`${seq} outlived retention`);
  return found;
}

/** In what memory and storage disagree. */
export function disagreements(room: Room): string[] {
  const [memory, storage] = [view(room.conversation), view(room.load())];
  return Object.keys(memory).flatMap((part) => {
    const [a, b] = [JSON.stringify(memory[part]), JSON.stringify(storage[part])];
    return a === b ? [] : [`memory and storage disagree in ${part}: ${a} and ${b}`];
  });
}

function view({ ledger }: Conversation): Record<string, unknown> {
  const seenBy = (who: Participant) => {
    const point = resumePoint(ledger, { epoch: ledger.meta.epoch, seq: ledger.log.head });
    const { peers: _peers, ...rest } = welcome(ledger, who, { point, token: null, isOnline: () => false });
    return [rest, restored(ledger, who, point.after), historyPage(ledger, who, { limit: 100 }), historyPage(ledger, who, { after: 0, limit: 100 })];
  };
  const { index, head, oldest } = ledger.log;
  return {
    agent: seenBy(AGENT),
    phone: seenBy(PHONE),
    tablet: seenBy(TABLET),
    log: [head, oldest, index.messages, index.bytes, index.oldest()?.lastSeq],
    // In which order two things happen that are due at the same time is nobody's business.
    due: ledger.due
      .dueAt(Number.MAX_SAFE_INTEGER)
      .map(({ kind, key, at }) => `${kind} ${key} ${at}`)
      .sort(),
    members: ledger.participants.all().map(({ id }) => id),
  };
}

/** What the log has for a client that never got it, though it was there or resumed. */
export function missing(room: Room, client: Client): string[] {
  const { mind } = client;
  if (!mind) return [];
  const found: string[] = [];
  let after = mind.observer.from;
  for (let more = true; more;) {
    const page = JSON.parse(historyPage(room.ledger, client.self, { after, limit: 100 })) as { messages: Seen[]; has_more: boolean };
    for (const frame of page.messages) {
      if (!mind.known.has(keyOf(frame)) && !isOwnClose(client, frame)) found.push(`${mind.observer.name} never got ${frame.seq} ${keyOf(frame)}`);
    }
    after = page.messages.at(-1)?.seq ?? after;
    more = page.has_more && page.messages.length > 0;
  }
  return found;
}

/** The socket on which a user closed a surface is the one that is not told. */
function isOwnClose(client: Client, frame: Seen): boolean {
  return client.self.kind === 'app' && frame.type === 'lineup.v1.ui.close' && frame.sender?.kind === 'relay';
}
