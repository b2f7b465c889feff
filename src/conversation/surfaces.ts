/** The open surfaces of a conversation (§5, `lineup.v1.ui.*`). */
import type { Audience } from './audience.ts';
import type { Sql, SqlValue } from './ports.ts';

/** An open surface. */
export interface Surface {
  instance_id: string;
  /** The devices that it is for. */
  audience: Audience;
  open_seq: number;
  patch_seq: number | null;
}

type SurfaceRow = Surface & Record<string, SqlValue>;

/** Which surfaces are open, held in memory: at most 64. */
export class Surfaces {
  #sql: Sql;
  #open = new Map<string, Surface>();

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const row of sql.exec<SurfaceRow>('SELECT instance_id, audience, open_seq, patch_seq FROM surfaces'))
      this.#open.set(row.instance_id, { ...row });
  }

  get(instanceId: string): Surface | undefined {
    return this.#open.get(instanceId);
  }

  get count(): number {
    return this.#open.size;
  }

  /** All open ones, in the order they were opened. */
  all(): Surface[] {
    return [...this.#open.values()].sort((a, b) => a.open_seq - b.open_seq);
  }

  /** Opens an instance, or replaces an open one. */
  open(instanceId: string, audience: Audience, seq: number): void {
    this.#open.set(instanceId, { instance_id: instanceId, audience, open_seq: seq, patch_seq: null });
    this.#sql.exec(
      `INSERT INTO surfaces (instance_id, audience, open_seq) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET audience = excluded.audience, open_seq = excluded.open_seq, patch_seq = NULL`,
      instanceId,
      audience,
      seq,
    );
  }

  /** Notes the newest patch of an open instance. */
  patched(surface: Surface, seq: number): void {
    this.#open.set(surface.instance_id, { ...surface, patch_seq: seq });
    this.#sql.exec('UPDATE surfaces SET patch_seq = ? WHERE instance_id = ?', seq, surface.instance_id);
  }

  close(instanceId: string): void {
    if (this.#open.delete(instanceId)) this.#sql.exec('DELETE FROM surfaces WHERE instance_id = ?', instanceId);
  }
}
