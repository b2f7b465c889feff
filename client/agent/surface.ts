/** A small app of the agent's own on the user's devices: opened, fed with state, closed (§5, ui.*). */
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Payloads } from '../../src/protocol/messages.ts';

/** The app: its code, or the id and version of one that a device has installed. */
export type SurfaceApp = Payloads['lineup.v1.ui.open']['app'];

/** Sends one message of the surface. */
export type SurfaceSend = <T extends 'lineup.v1.ui.patch' | 'lineup.v1.ui.close'>(type: T, payload: Payloads[T]) => Promise<unknown>;

/** An open surface. Its id is all that it is: another run or process can go on with it. */
export class Surface {
  readonly #send: SurfaceSend;
  readonly instanceId: string;

  constructor(send: SurfaceSend, instanceId: string) {
    this.#send = send;
    this.instanceId = instanceId;
  }

  /** Replaces the state, as a whole. */
  async patch(state: JsonObject): Promise<void> {
    await this.#send('lineup.v1.ui.patch', { instance_id: this.instanceId, state });
  }

  async close(reason?: string): Promise<void> {
    await this.#send('lineup.v1.ui.close', { instance_id: this.instanceId, ...(reason !== undefined && { reason }) });
  }
}
