/** The state of every call (§6): pending, then settled once and for good. */
import type { Sender } from '../protocol/envelope.ts';
import type { CallStatus } from '../protocol/handshake.ts';
import type { AuditEntry } from '../protocol/http.ts';
import type { Audience } from './audience.ts';
import type { DueTable } from './due.ts';
import { isoTime } from './effects.ts';
import type { Sql, SqlValue } from './ports.ts';

/** A call as it is stored. Times are ms. */
export interface Call {
  call_id: string;
  kind: 'tool' | 'app';
  /** Of the call frame. */
  seq: number;
  /** Devices that may see and answer it; `agent` for one that was never shown. */
  audience: Audience;
  /** Digest of the call's content. */
  digest: string;
  name: string | null;
  action: string | null;
  capability: string | null;
  reason: string | null;
  asked_by: string;
  asked_at: number;
  expires_at: number;
  status: 'pending' | CallStatus;
  settled_at: number | null;
  /** The deciding participant as JSON: `{kind, id?}`. */
  settled_by: string | null;
  result_seq: number | null;
}

const COLUMNS =
  'call_id, kind, seq, audience, digest, name, action, capability, reason, asked_by, asked_at, expires_at, status, settled_at, settled_by, result_seq';
type CallRow = Call & Record<string, SqlValue>;

/** The calls of one conversation. */
export class Calls {
  #sql: Sql;
  #due: DueTable;

  constructor(sql: Sql, due: DueTable) {
    this.#sql = sql;
    this.#due = due;
  }

  get(callId: string): Call | undefined {
    return this.#sql.exec<CallRow>(`SELECT ${COLUMNS} FROM calls WHERE call_id = ?`, callId)[0];
  }

  get pendingCount(): number {
    return this.#due.count('call');
  }

  /** Every unsettled call, in the order they were asked. */
  pending(): Call[] {
    return this.#due
      .keys('call')
      .flatMap((callId) => this.get(callId) ?? [])
      .sort((a, b) => a.seq - b.seq);
  }

  /** Stores a new call and when it expires. */
  add(call: Omit<Call, 'status' | 'settled_at' | 'settled_by' | 'result_seq'>): void {
    this.#sql.exec(
      `INSERT INTO calls (call_id, kind, seq, audience, digest, name, action, capability, reason, asked_by, asked_at, expires_at, status)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
      call.call_id,
      call.kind,
      call.seq,
      call.audience,
      call.digest,
      call.name,
      call.action,
      call.capability,
      call.reason,
      call.asked_by,
      call.asked_at,
      call.expires_at,
    );
    this.#due.set('call', call.call_id, call.expires_at);
  }

  /** Settles a pending call. `at` is ms, `resultSeq` the seq of its one result frame. */
  settle(callId: string, settled: { status: CallStatus; by: Sender; at: number; resultSeq: number }): void {
    this.#sql.exec(
      'UPDATE calls SET status = ?, settled_by = ?, settled_at = ?, result_seq = ? WHERE call_id = ?',
      settled.status,
      JSON.stringify(settled.by),
      settled.at,
      settled.resultSeq,
      callId,
    );
    this.#due.clear('call', callId);
  }

  /** Stores a call of another relay that ended there; its result may follow ({@link resultFollowed}). */
  addEnded(call: Call): void {
    this.#sql.exec(
      `INSERT INTO calls (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[call.call_id, call.kind, call.seq, call.audience, call.digest, call.name, call.action, call.capability, call.reason],
      ...[call.asked_by, call.asked_at, call.expires_at, call.status, call.settled_at, call.settled_by, call.result_seq],
    );
  }

  /** The result of a call that came as ended is in the log too. */
  resultFollowed(callId: string, resultSeq: number): void {
    this.#sql.exec('UPDATE calls SET result_seq = ? WHERE call_id = ?', resultSeq, callId);
  }

  /** Forgets the settled calls whose result the log no longer has. */
  forgetBefore(oldestSeq: number): void {
    this.#sql.exec("DELETE FROM calls WHERE status <> 'pending' AND coalesce(result_seq, seq) < ?", oldestSeq);
  }

  /**
   * What became of a call, as it is stamped on its frame in replay, history and restore (§2, `settled`).
   * Undefined while it is pending.
   */
  settledStamp(callId: string): string | undefined {
    const call = this.get(callId);
    if (!call || call.status === 'pending') return undefined;
    return `{"status":"${call.status}","by":${call.settled_by ?? '{"kind":"relay"}'},"at":"${isoTime(call.settled_at ?? 0)}"}`;
  }

  /** The newest `limit` calls for the audit (§6, 9): who asked for what and who decided, never arguments or results. */
  audit(limit: number): AuditEntry[] {
    return this.#sql.exec<CallRow>(`SELECT ${COLUMNS} FROM calls ORDER BY seq DESC LIMIT ?`, limit).map((call) => ({
      call_id: call.call_id,
      kind: call.kind,
      ...(call.name !== null && { name: call.name }),
      ...(call.action !== null && { action: call.action }),
      ...(call.capability !== null && { capability: call.capability }),
      ...(call.reason !== null && { reason: call.reason }),
      asked_by: { kind: 'agent', id: call.asked_by },
      asked_at: isoTime(call.asked_at),
      settled_at: call.settled_at === null ? null : isoTime(call.settled_at),
      status: call.status,
      settled_by: call.settled_by === null ? null : (JSON.parse(call.settled_by) as AuditEntry['settled_by']),
    }));
  }
}
