/** What a conversation knows of itself: its id, title, epoch, and how far its log was trimmed. */
import { randomToken } from '../protocol/ids.ts';
import type { Sql } from './ports.ts';

/** A conversation's own facts. */
export interface MetaFacts {
  conversationId: string;
  title: string | null;
  createdAt: string;
  /** Changes only when the log was lost or reset (§4). */
  epoch: string;
  agentId: string;
  /** Every message up to here has been trimmed, or there was none. */
  trimmedTo: number;
  /** The head when something was last imported; 0 when nothing was. */
  importedTo: number;
}

/** Stores the facts of a new conversation; an existing one keeps its own. */
export function createMeta(sql: Sql, facts: Pick<MetaFacts, 'conversationId' | 'title' | 'createdAt' | 'agentId'>): void {
  const rows: [string, string | null][] = [
    ['conversation_id', facts.conversationId],
    ['title', facts.title],
    ['created_at', facts.createdAt],
    ['epoch', `e_${randomToken(16)}`],
    ['agent_id', facts.agentId],
    ['trimmed_to', '0'],
  ];
  for (const [key, value] of rows) sql.exec('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING', key, value);
}

/** The facts, or undefined when this conversation was never made. */
export function readMeta(sql: Sql): MetaFacts | undefined {
  const stored = new Map(sql.exec<{ key: string; value: string | null }>('SELECT key, value FROM meta').map(({ key, value }) => [key, value]));
  const conversationId = stored.get('conversation_id');
  const epoch = stored.get('epoch');
  const agentId = stored.get('agent_id');
  if (!conversationId || !epoch || !agentId) return undefined;
  return {
    conversationId,
    epoch,
    agentId,
    title: stored.get('title') ?? null,
    createdAt: stored.get('created_at') ?? '',
    trimmedTo: Number(stored.get('trimmed_to') ?? 0),
    importedTo: Number(stored.get('imported_to') ?? 0),
  };
}

/** Stores a new title. */
export function writeTitle(sql: Sql, title: string | null): void {
  sql.exec("UPDATE meta SET value = ? WHERE key = 'title'", title);
}

/** Stores how far the log is trimmed. */
export function writeTrimmedTo(sql: Sql, seq: number): void {
  sql.exec("UPDATE meta SET value = ? WHERE key = 'trimmed_to'", String(seq));
}

/** Stores where the last import ended. */
export function writeImportedTo(sql: Sql, seq: number): void {
  sql.exec("INSERT INTO meta (key, value) VALUES ('imported_to', ?) ON CONFLICT DO UPDATE SET value = excluded.value", String(seq));
}
