/** What devices declare (§7): inventories by revision, tool lists, capability lists; the latest of each, outside the log. */
import type { Delivered } from '../protocol/envelope.ts';
import type { Sql, SqlValue } from './ports.ts';

/** A kept value: the agent's status for all or for one participant, or what a device last said. */
export type KeptSlot = 'status' | `${'status' | 'tools' | 'apps' | 'inventory'}:${string}`;

/** What a declaration names. */
export type DeclaredKind = 'application' | 'capability';

/** Whether something may be asked for (§6, 6): declared now, declared once, never declared, or nobody has said anything yet. */
export type Standing = 'declared' | 'revoked' | 'undeclared' | 'unknown';

interface DeclaredRow extends Record<string, SqlValue> {
  device: string;
  kind: DeclaredKind;
  name: string;
  current: number;
}

/** Kept values and declarations of one conversation, held in memory. */
export class Declarations {
  #sql: Sql;
  #kept = new Map<string, string>();
  /** device → kind → name → is it current? */
  #declared = new Map<string, Record<DeclaredKind, Map<string, boolean>>>();

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const { slot, frame } of sql.exec<{ slot: string; frame: string }>('SELECT slot, frame FROM kept ORDER BY slot'))
      this.#kept.set(slot, frame);
    for (const row of sql.exec<DeclaredRow>('SELECT device, kind, name, current FROM declared')) {
      this.#of(row.device)[row.kind].set(row.name, row.current === 1);
    }
  }

  /** The latest frame in a slot. */
  kept(slot: KeptSlot): string | undefined {
    return this.#kept.get(slot);
  }

  /** Every kept frame whose slot starts so, by slot. */
  keptAll(prefix: 'tools:' | 'apps:' | 'inventory:'): { device: string; frame: string }[] {
    return [...this.#kept].flatMap(([slot, frame]) => (slot.startsWith(prefix) ? [{ device: slot.slice(prefix.length), frame }] : []));
  }

  /** Keeps a status of the agent for one device and for itself, or for all (null): then what single ones were told is over. */
  keepStatus(agent: string, device: string | null, frame: string): void {
    if (device === null) {
      for (const slot of this.#kept.keys()) if (slot.startsWith('status:')) this.#drop(slot);
      this.keep('status', frame);
      return;
    }
    for (const id of [device, agent]) this.keep(`status:${id}`, frame);
  }

  /** The newest status that a participant may know of: the agent all of its own, a device those for all and for itself. */
  statusFor(participantId: string): string | undefined {
    return this.#kept.get(`status:${participantId}`) ?? this.#kept.get('status');
  }

  /** Replaces what is in a slot. */
  keep(slot: KeptSlot, frame: string): void {
    this.#kept.set(slot, frame);
    this.#sql.exec('INSERT INTO kept (slot, frame) VALUES (?, ?) ON CONFLICT DO UPDATE SET frame = excluded.frame', slot, frame);
  }

  /** The digest under which a device sent this revision; undefined for a new one. */
  revision(device: string, revision: string): string | undefined {
    return this.#sql.exec<{ digest: string }>('SELECT digest FROM revisions WHERE device = ? AND revision = ?', device, revision)[0]?.digest;
  }

  addRevision(device: string, revision: string, digest: string): void {
    this.#sql.exec('INSERT INTO revisions (device, revision, digest) VALUES (?, ?, ?)', device, revision, digest);
  }

  /** Makes `names` all that a device now declares of a kind. What it no longer names is revoked. Writes what changed. */
  declare(device: string, kind: DeclaredKind, names: readonly string[]): void {
    const known = this.#of(device)[kind];
    const now = new Set(names);
    for (const name of new Set([...known.keys(), ...now])) {
      const current = now.has(name);
      if (known.get(name) === current) continue;
      known.set(name, current);
      this.#sql.exec(
        'INSERT INTO declared (device, kind, name, current) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET current = excluded.current',
        device,
        kind,
        name,
        current ? 1 : 0,
      );
    }
  }

  /** How something stands with these devices (§6, 6). */
  standing(kind: DeclaredKind, name: string, devices: readonly string[]): Standing {
    const known = devices.filter(
      (device) => this.#kept.has(`inventory:${device}`) || (kind === 'capability' && isReadable(this.#kept.get(`apps:${device}`))),
    );
    if (known.length === 0) return 'unknown';
    const states = known.map((device) => this.#declared.get(device)?.[kind].get(name));
    if (states.includes(true)) return 'declared';
    return states.includes(false) ? 'revoked' : 'undeclared';
  }

  /** Forgets everything that a device said (§7: revoking a device drops its inventory). */
  forget(device: string): void {
    for (const slot of [`status:${device}`, `tools:${device}`, `apps:${device}`, `inventory:${device}`]) this.#drop(slot);
    this.#declared.delete(device);
    this.#sql.exec('DELETE FROM declared WHERE device = ?', device);
    this.#sql.exec('DELETE FROM revisions WHERE device = ?', device);
  }

  #drop(slot: string): void {
    if (this.#kept.delete(slot)) this.#sql.exec('DELETE FROM kept WHERE slot = ?', slot);
  }

  #of(device: string): Record<DeclaredKind, Map<string, boolean>> {
    let declared = this.#declared.get(device);
    if (!declared) {
      declared = { application: new Map(), capability: new Map() };
      this.#declared.set(device, declared);
    }
    return declared;
  }
}

/** Whether an `app.list` says what it lists: a sealed one need not. */
function isReadable(frame: string | undefined): boolean {
  return frame !== undefined && Array.isArray((JSON.parse(frame) as Delivered).payload.capabilities);
}
