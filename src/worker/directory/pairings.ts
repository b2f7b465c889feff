/** Pairings: codes that an agent shows and a device redeems, once, before they expire (§3). */
import type { Clock, Sql } from '../../conversation/ports.ts';
import { makeId } from '../../protocol/ids.ts';
import { makeCode } from './pairing-code.ts';

/** A pairing as the directory keeps it. */
export type PairingRecord = {
  pairing_id: string;
  agent_id: string;
  /** Null once redeemed. */
  code: string | null;
  label: string | null;
  /** Ms since 1970. */
  expires_at: number;
  /** The device that redeemed it; it may have been revoked since. */
  device_id: string | null;
};

/** `state` of `GET /v1/pairings/:id`. */
export type PairingState = 'pending' | 'redeemed' | 'expired';

/** How long an ended pairing can still be asked about, in ms. */
const KEEP_MS = 86_400_000;

const COLUMNS = 'pairing_id, agent_id, code, label, expires_at, device_id';

/** The table `pairings`. */
export class Pairings {
  readonly #sql: Sql;
  readonly #clock: Clock;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  /** Makes a pairing with a code that no other pairing has. */
  make(agentId: string, ttlMs: number, label: string | null): PairingRecord & { code: string } {
    const now = this.#clock.now();
    this.#sql.exec('DELETE FROM pairings WHERE expires_at <= ?', now - KEEP_MS);
    let code = makeCode();
    while (this.#byCode(code)) code = makeCode();
    const pairing = { pairing_id: makeId('pr'), agent_id: agentId, code, label, expires_at: now + ttlMs, device_id: null };
    this.#sql.exec(`INSERT INTO pairings (${COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL)`, pairing.pairing_id, agentId, code, label, pairing.expires_at);
    return pairing;
  }

  find(pairingId: string): PairingRecord | undefined {
    return this.#sql.exec<PairingRecord>(`SELECT ${COLUMNS} FROM pairings WHERE pairing_id = ?`, pairingId)[0];
  }

  /** The pairing that this code redeems now; undefined for unknown, used and expired ones alike. */
  redeemable(code: string): PairingRecord | undefined {
    const pairing = this.#byCode(code);
    return pairing && this.stateOf(pairing) === 'pending' ? pairing : undefined;
  }

  /** Uses a pairing up. */
  redeem(pairingId: string, deviceId: string): void {
    this.#sql.exec('UPDATE pairings SET code = NULL, device_id = ? WHERE pairing_id = ?', deviceId, pairingId);
  }

  stateOf(pairing: PairingRecord): PairingState {
    if (pairing.code === null) return 'redeemed';
    return this.#clock.now() < pairing.expires_at ? 'pending' : 'expired';
  }

  /** How many codes of an agent could be redeemed now. */
  pendingOf(agentId: string): number {
    const [row] = this.#sql.exec<{ count: number }>(
      'SELECT COUNT(*) AS count FROM pairings WHERE agent_id = ? AND expires_at > ? AND code IS NOT NULL',
      agentId,
      this.#clock.now(),
    );
    return row?.count ?? 0;
  }

  removeOf(agentId: string): void {
    this.#sql.exec('DELETE FROM pairings WHERE agent_id = ?', agentId);
  }

  #byCode(code: string): PairingRecord | undefined {
    return this.#sql.exec<PairingRecord>(`SELECT ${COLUMNS} FROM pairings WHERE code = ?`, code)[0];
  }
}
