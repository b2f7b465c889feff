/** The devices of one conversation as the agent sees them: who is there, and which tools each has. */
import type { Delivered } from '../../src/protocol/envelope.ts';
import type { Peer } from '../../src/protocol/handshake.ts';
import type { Inventory } from '../../src/protocol/inventory.ts';
import { isJsonObject, type Json } from '../../src/protocol/json.ts';
import { isMessage } from '../core/frames.ts';

/** A tool of a device, as `tool.list` tells it. */
export interface DeviceTool {
  name: string;
  type: 'app' | 'toolset' | 'action';
  description: string;
  actions: string[];
}

/** A device, its tools, and what else it has declared. */
export interface Device {
  id: string;
  name: string;
  online: boolean;
  /** Null: it never told. */
  tools: DeviceTool[] | null;
  /** What it declares that it can do (§7): capabilities, installed apps, components. Null: it never told. Declared is not allowed yet. */
  inventory: Inventory | null;
}

/** The inventory of a device that has told its capabilities alone. */
const NOTHING: Inventory = { revision: '', standard_components: [], applications: [], capabilities: [] };

/** Keeps the list up to date. */
export class Devices {
  readonly #devices = new Map<string, Device>();
  readonly #waiting = new Set<() => void>();
  /** Counts what each device has answered, to know who answered since a question. */
  readonly #answered = new Map<string, number>();
  #answers = 0;

  /** Takes the peers of a welcome. */
  welcome(peers: readonly Peer[]): void {
    const present = new Set(peers.map((peer) => peer.id));
    for (const id of this.#devices.keys()) if (!present.has(id)) this.#devices.delete(id);
    for (const { id, name, online } of peers) this.#devices.set(id, { tools: null, inventory: null, ...this.#devices.get(id), id, name, online });
  }

  presence(id: string, online: boolean): void {
    const device = this.#devices.get(id);
    if (device) device.online = online;
    this.#changed();
  }

  paired(id: string, name: string): void {
    this.#devices.set(id, { id, name, online: false, tools: null, inventory: null });
  }

  revoked(id: string): void {
    this.#devices.delete(id);
    this.#changed();
  }

  /** Takes an answer to `tool.list`. */
  toolList(frame: Delivered): void {
    if (!isMessage(frame, 'tool.list') || frame.sender.kind !== 'app') return;
    const device = this.#devices.get(frame.sender.id);
    const { tools } = frame.payload;
    if (!device || !Array.isArray(tools)) return;
    device.tools = (tools as Json[]).flatMap(readTool);
    this.#answered.set(device.id, ++this.#answers);
    this.#changed();
  }

  /** Takes an inventory, or the capabilities alone. */
  declared(frame: Delivered): void {
    const device = frame.sender.kind === 'app' ? this.#devices.get(frame.sender.id) : undefined;
    if (!device) return;
    // The relay checked both against their schemas.
    if (isMessage(frame, 'lineup.v1.client.inventory')) device.inventory = frame.payload;
    if (isMessage(frame, 'lineup.v1.app.list')) device.inventory = { ...(device.inventory ?? NOTHING), capabilities: frame.payload.capabilities };
  }

  list(): Device[] {
    return [...this.#devices.values()].map((device) => ({ ...device }));
  }

  /** Asks, and waits until every device that is online has answered, at most `ms` milliseconds. */
  async askAll(ask: () => Promise<unknown>, ms: number, signal: AbortSignal): Promise<Device[]> {
    const before = this.#answers;
    await ask();
    const complete = () => this.list().every(({ id, online }) => !online || (this.#answered.get(id) ?? 0) > before);
    const ended = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    while (!complete() && !ended.aborted) await this.#nextChange(ended);
    signal.throwIfAborted();
    return this.list();
  }

  #nextChange(ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        ended.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      ended.addEventListener('abort', done);
    });
  }

  #changed(): void {
    for (const done of this.#waiting) done();
  }
}

// What a device says of itself is shown, never relied upon: whatever is not as the contract has it is left out.
function readTool(tool: Json): DeviceTool[] {
  if (!isJsonObject(tool) || typeof tool.name !== 'string') return [];
  const type = (['app', 'toolset', 'action'] as const).find((each) => each === tool.type) ?? 'action';
  const description = typeof tool.description === 'string' ? tool.description : '';
  const actions = Array.isArray(tool.actions)
    ? tool.actions.flatMap((action) => (isJsonObject(action) && typeof action.name === 'string' ? [action.name] : []))
    : [];
  return [{ name: tool.name, type, description, actions }];
}
