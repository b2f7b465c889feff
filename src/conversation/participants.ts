/** The agent and the devices of a conversation: names, cursors (§4 receipts), when they were last seen. */
import type { Participant } from '../protocol/envelope.ts';
import type { Sql, SqlValue } from './ports.ts';

/** A participant as it is stored. */
export interface Member extends Participant {
  name: string;
  platform: string | null;
  /** ISO 8601; null for the agent. */
  paired_at: string | null;
  /** Highest seq that it said it received. */
  cursor: number;
  /** Ms; null for one that never connected. */
  seen_at: number | null;
}

/** `seen_at` is written again only after this, in ms, unless the cursor moved: a reconnect storm writes nothing. */
const SEEN_RESOLUTION_MS = 60_000;

/** Everyone in a conversation, held in memory. */
export class Participants {
  #sql: Sql;
  #members = new Map<string, Member>();
  /** Cursors and times as they are on disk. */
  #stored = new Map<string, { cursor: number; seen_at: number | null }>();

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const row of sql.exec<Member & Record<string, SqlValue>>(
      'SELECT id, kind, name, platform, paired_at, cursor, seen_at FROM participants ORDER BY paired_at, id',
    )) {
      this.#members.set(row.id, { ...row });
      this.#stored.set(row.id, { cursor: row.cursor, seen_at: row.seen_at });
    }
  }

  get(id: string): Member | undefined {
    return this.#members.get(id);
  }

  /** Everyone, or all of one kind. */
  all(kind?: Participant['kind']): Member[] {
    const members = [...this.#members.values()];
    return kind === undefined ? members : members.filter((member) => member.kind === kind);
  }

  hasDevice(id: string): boolean {
    return this.#members.get(id)?.kind === 'app';
  }

  /** Adds one that is not there yet. @returns whether it was added */
  add(member: Pick<Member, 'kind' | 'id' | 'name'> & Partial<Pick<Member, 'platform' | 'paired_at'>>): boolean {
    if (this.#members.has(member.id)) return false;
    const added: Member = { platform: null, paired_at: null, cursor: 0, seen_at: null, ...member };
    this.#sql.exec(
      'INSERT INTO participants (id, kind, name, platform, paired_at) VALUES (?, ?, ?, ?, ?)',
      added.id,
      added.kind,
      added.name,
      added.platform,
      added.paired_at,
    );
    this.#members.set(added.id, added);
    this.#stored.set(added.id, { cursor: 0, seen_at: null });
    return true;
  }

  remove(id: string): boolean {
    if (!this.#members.delete(id)) return false;
    this.#stored.delete(id);
    this.#sql.exec('DELETE FROM participants WHERE id = ?', id);
    return true;
  }

  /** Moves a cursor forward, in memory. @returns whether it moved */
  received(id: string, seq: number): boolean {
    const member = this.#members.get(id);
    if (!member || seq <= member.cursor) return false;
    member.cursor = seq;
    return true;
  }

  /** Notes that a participant was heard at `at` (ms), in memory. */
  seen(id: string, at: number): void {
    const member = this.#members.get(id);
    if (member && at > (member.seen_at ?? 0)) member.seen_at = at;
  }

  /** Takes over the cursors and times that another one of the same conversation has in memory. */
  recall(other: Participants): void {
    for (const { id, cursor, seen_at } of other.all()) {
      this.received(id, cursor);
      if (seen_at !== null) this.seen(id, seen_at);
    }
  }

  /** Writes a participant's cursor and time down, if that says anything new. For when it goes: while it is here, its sockets know. */
  save(id: string): void {
    const member = this.#members.get(id);
    const stored = this.#stored.get(id);
    if (!member || !stored) return;
    const seenLong = (member.seen_at ?? 0) - (stored.seen_at ?? 0) > SEEN_RESOLUTION_MS;
    if (member.cursor === stored.cursor && !seenLong) return;
    this.#sql.exec('UPDATE participants SET cursor = ?, seen_at = ? WHERE id = ?', member.cursor, member.seen_at, id);
    this.#stored.set(id, { cursor: member.cursor, seen_at: member.seen_at });
  }
}
