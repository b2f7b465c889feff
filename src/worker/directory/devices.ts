/** The paired devices. */
import type { Sql } from '../../conversation/ports.ts';
import type { KnownDevice } from '../conversation-api.ts';

/** A device as the directory keeps it. */
export type DeviceRecord = {
  device_id: string;
  agent_id: string;
  name: string;
  platform: string;
  /** Ms since 1970. */
  paired_at: number;
};

const COLUMNS = 'device_id, agent_id, name, platform, paired_at';

/** The table `devices`. */
export class Devices {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(device: DeviceRecord): void {
    this.#sql.exec(
      `INSERT INTO devices (${COLUMNS}) VALUES (?, ?, ?, ?, ?)`,
      device.device_id,
      device.agent_id,
      device.name,
      device.platform,
      device.paired_at,
    );
  }

  find(deviceId: string): DeviceRecord | undefined {
    return this.#sql.exec<DeviceRecord>(`SELECT ${COLUMNS} FROM devices WHERE device_id = ?`, deviceId)[0];
  }

  /** An agent's devices, in the order in which they were paired. */
  listOf(agentId: string): DeviceRecord[] {
    return this.#sql.exec<DeviceRecord>(`SELECT ${COLUMNS} FROM devices WHERE agent_id = ? ORDER BY paired_at, rowid`, agentId);
  }

  countOf(agentId: string): number {
    return this.#sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM devices WHERE agent_id = ?', agentId)[0]?.count ?? 0;
  }

  remove(deviceId: string): void {
    this.#sql.exec('DELETE FROM devices WHERE device_id = ?', deviceId);
  }

  removeOf(agentId: string): void {
    this.#sql.exec('DELETE FROM devices WHERE agent_id = ?', agentId);
  }
}

/** A device as conversations and answers know it. */
export function knownDevice(device: DeviceRecord): KnownDevice {
  return { device_id: device.device_id, name: device.name, platform: device.platform, paired_at: new Date(device.paired_at).toISOString() };
}
