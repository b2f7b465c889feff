/** Which conversations there are, and whose. What is said in them is theirs alone. */
import type { Sql } from '../../conversation/ports.ts';
import type { ConversationInfo } from '../../protocol/http.ts';

/** A conversation as the directory keeps it. */
export type ConversationRecord = {
  conversation_id: string;
  agent_id: string;
  title: string | null;
  /** Ms since 1970. */
  created_at: number;
};

/** What the directory itself can tell of a conversation. */
export type ListedConversation = Pick<ConversationInfo, 'conversation_id' | 'title' | 'created_at'>;

const COLUMNS = 'conversation_id, agent_id, title, created_at';

/** The table `conversations`. */
export class Conversations {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(conversation: ConversationRecord): void {
    this.#sql.exec(
      `INSERT INTO conversations (${COLUMNS}) VALUES (?, ?, ?, ?)`,
      conversation.conversation_id,
      conversation.agent_id,
      conversation.title,
      conversation.created_at,
    );
  }

  find(conversationId: string): ConversationRecord | undefined {
    return this.#sql.exec<ConversationRecord>(`SELECT ${COLUMNS} FROM conversations WHERE conversation_id = ?`, conversationId)[0];
  }

  /** An agent's conversations, oldest first: the first is the one it was enrolled with, for as long as that exists. */
  listOf(agentId: string): ConversationRecord[] {
    return this.#sql.exec<ConversationRecord>(`SELECT ${COLUMNS} FROM conversations WHERE agent_id = ? ORDER BY created_at, rowid`, agentId);
  }

  rename(conversationId: string, title: string | null): void {
    this.#sql.exec('UPDATE conversations SET title = ? WHERE conversation_id = ?', title, conversationId);
  }

  remove(conversationId: string): void {
    this.#sql.exec('DELETE FROM conversations WHERE conversation_id = ?', conversationId);
  }
}

/** A conversation as answers and tidings show it. */
export function listedConversation(conversation: ConversationRecord): ListedConversation {
  return {
    conversation_id: conversation.conversation_id,
    title: conversation.title,
    created_at: new Date(conversation.created_at).toISOString(),
  };
}
