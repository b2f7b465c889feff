/** A drawing board on the user's devices (§11): what the agent and the user draw on together. */
import type { z } from 'zod';
import type { JsonObject } from '../../src/protocol/json.ts';
import { TOOLS } from '../../src/protocol/tools.ts';
import { readKnownResult, resultOf } from './answers.ts';
import type { CallEnding } from './call-memory.ts';

const { actions } = TOOLS.canvas;

/** Makes one call to the tool, of one device where it is named. */
export type CanvasCall = (action: string, args: JsonObject, device?: string) => Promise<CallEnding>;

/** A stroke: SVG path data, and how it looks. */
export type Stroke = Omit<z.infer<(typeof actions.draw)['arguments']>, 'instance_id'>;

/** An open board. Each method throws UnansweredError when the device could not do it. */
export class Canvas {
  readonly #call: CanvasCall;
  /** The device that opened it: only there the board exists. */
  readonly #device: string | undefined;
  readonly instanceId: string;

  private constructor(call: CanvasCall, instanceId: string, device: string | undefined) {
    this.#call = call;
    this.#device = device;
    this.instanceId = instanceId;
  }

  /** Opens a board. */
  static async open(call: CanvasCall, size: { width: number; height: number }): Promise<Canvas> {
    const { payload, by } = await call('open', size);
    return new Canvas(call, resultOf(readKnownResult(actions.open.result, payload)).instance_id, by);
  }

  async draw(stroke: Stroke): Promise<void> {
    await this.#do('draw', Object.fromEntries(Object.entries(stroke).filter(([, value]) => value !== undefined)) as JsonObject);
  }

  /** Takes back the last stroke. */
  async undo(): Promise<void> {
    await this.#do('undo');
  }

  /** Takes back every stroke. */
  async clear(): Promise<void> {
    await this.#do('clear');
  }

  /** The drawing as SVG, with what the user has drawn. It comes from a device: never put it into a page as it is. */
  async snapshot(): Promise<string> {
    return (await this.#do('snapshot')).svg;
  }

  async close(): Promise<void> {
    await this.#do('close');
  }

  async #do<A extends keyof typeof actions>(action: A, args: JsonObject = {}): Promise<z.infer<(typeof actions)[A]['result']>> {
    const { payload } = await this.#call(action, { instance_id: this.instanceId, ...args }, this.#device);
    // The schema and the action belong together, which a union does not tell.
    return resultOf(readKnownResult<unknown>(actions[action].result, payload)) as z.infer<(typeof actions)[A]['result']>;
  }
}
