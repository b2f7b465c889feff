/** The canvas tool (§11): carries out the agent's calls and what the user does, keeps the boards, and answers. */
import type { JsonObject } from '../../../src/protocol/json.ts';
import { DEFAULT_LIMITS } from '../../../src/protocol/limits.ts';
import { randomId } from '../../core/random-id.ts';
import { nextFrame, Observable, type Schedule } from '../store/observable.ts';
import { cleared, closed, drawn, hasRoom, INK, LINE_WIDTH, noted, svgOf, undone, type Board, type Stroke } from './board.ts';
import { BrowserBoardStore, type BoardStore } from './board-store.ts';
import type { BoardCall, CanvasParts } from './canvas-door.ts';
import { isColor } from './color.ts';
import { parsePath, pathData } from './path.ts';

export interface CanvasView {
  /** Newest first. */
  open: readonly Board[];
  /** The board on the screen. */
  active: string | null;
  /** Whether it has the whole window. */
  whole: boolean;
}

/** How an action ended: words and values, or why not. */
type Outcome = { result: JsonObject & { message: string } } | { error: { code: 'invalid_arguments' | 'execution_error'; message: string } };

/** Open at once in one conversation. */
const MOST_OPEN = 8;
/** Closed boards that are remembered, to say what became of them. */
const CLOSED_KEPT = 32;
/** A board that is unknown here may be another device's: that one answers first. In ms. */
const ANOTHER_DEVICE_MS = 2_000;
/** A result travels in one frame, beside its envelope. */
const MOST_SVG_BYTES = DEFAULT_LIMITS.max_frame_bytes / 2;

interface DeskSurroundings {
  store: BoardStore;
  schedule: Schedule;
  now: () => number;
  supported?: (color: string) => boolean;
}

/** Opens the desk with what was kept. */
export async function openCanvasDesk(
  parts: CanvasParts,
  around: DeskSurroundings = { store: new BrowserBoardStore(parts.owner), schedule: nextFrame, now: Date.now },
): Promise<CanvasDesk> {
  return new CanvasDesk(parts, around, await around.store.load());
}

/** See the file's head. */
export class CanvasDesk {
  readonly view: Observable<CanvasView>;
  readonly #parts: CanvasParts;
  readonly #around: DeskSurroundings;
  readonly #boards: Map<string, Board>;
  #saving: Promise<unknown> = Promise.resolve();
  #active: string | null = null;
  #whole = false;

  constructor(parts: CanvasParts, around: DeskSurroundings, kept: readonly Board[]) {
    this.#parts = parts;
    this.#around = around;
    this.#boards = new Map(kept.toSorted((a, b) => a.openedAt - b.openedAt).map((board) => [board.instanceId, board]));
    this.view = new Observable(() => this.#look(), around.schedule);
    this.#active = this.view.get().open[0]?.instanceId ?? null;
    this.view.changed();
  }

  /** Carries out a call of the agent's. What it changed is kept before it is answered. */
  async take({ callId, call, mineAlone }: BoardCall): Promise<void> {
    if (!this.#parts.isPending(callId)) return;
    if (call.action !== 'open' && !this.#boards.has(call.arguments.instance_id) && !mineAlone) {
      await new Promise((resolve) => setTimeout(resolve, ANOTHER_DEVICE_MS));
    }
    const outcome = this.#carryOut(callId, call);
    await this.#saving;
    if (this.#parts.isPending(callId)) this.#parts.send({ name: 'canvas', action: call.action, call_id: callId, ...outcome });
  }

  /** Another device answered the call. */
  lost(callId: string): void {
    for (const { instanceId, openCall } of this.#boards.values()) if (openCall === callId) this.#forget(instanceId);
    this.view.changed();
  }

  /** The user drew a line. False when the board is full. */
  draw(instanceId: string, stroke: Stroke): boolean {
    const board = this.#boards.get(instanceId);
    if (!board || board.closed || !hasRoom(board, stroke.path)) return false;
    this.#put(drawn(board, stroke));
    return true;
  }

  /** The user takes back the last line. */
  undo(instanceId: string): void {
    this.#change(instanceId, undone);
  }

  /** The user takes back every line. */
  clear(instanceId: string): void {
    this.#change(instanceId, cleared);
  }

  /** The user closes a board, for the agent too. */
  close(instanceId: string): void {
    this.#change(instanceId, closed);
  }

  /** Brings a board to the screen. @param whole with the whole window for it */
  show(instanceId: string, whole = false): void {
    this.#active = instanceId;
    this.#whole = whole;
    this.view.flush();
  }

  /** Takes a board off the screen; it stays open. */
  leave(): void {
    this.#active = null;
    this.#whole = false;
    this.view.flush();
  }

  #carryOut(callId: string, call: BoardCall['call']): Outcome {
    if (call.action === 'open') return this.#open(callId, call.arguments);
    const { instance_id: instanceId } = call.arguments;
    const board = this.#boards.get(instanceId);
    if (!board) return refused('execution_error', `instance_id: there is no board ${JSON.stringify(instanceId.slice(0, 64))} here`);
    const again = board.done.includes(callId);
    if (board.closed && !again) return refused('execution_error', 'closed: the board was closed');
    const change = (next: Board, message: string): Outcome => {
      if (!again) this.#put(noted(next, callId));
      return { result: { message } };
    };
    switch (call.action) {
      case 'draw': {
        const stroke = this.#strokeOf(call.arguments);
        if ('error' in stroke) return stroke;
        if (!again && !hasRoom(board, stroke.path)) return refused('execution_error', 'the board is full');
        return change(drawn(board, stroke), 'drawn');
      }
      case 'undo':
        return change(undone(board), 'undone');
      case 'clear':
        return change(cleared(board), 'cleared');
      case 'close':
        return change(closed(board), 'closed');
      case 'snapshot': {
        const svg = svgOf(board);
        // All of it is ASCII, so characters are bytes; quotes take two of them in JSON.
        if (svg.length > MOST_SVG_BYTES) return refused('execution_error', 'there is too much on the board for one snapshot');
        return { result: { message: `${board.strokes.length} lines`, svg } };
      }
    }
  }

  #open(callId: string, { width, height }: { width: number; height: number }): Outcome {
    const known = [...this.#boards.values()].find(({ openCall }) => openCall === callId);
    if (!known && this.#openBoards().length >= MOST_OPEN) return refused('execution_error', `${MOST_OPEN} boards are open already: close one`);
    const instanceId = known?.instanceId ?? randomId('inst');
    if (!known) {
      if (!this.#whole) this.#active = instanceId;
      this.#put({ instanceId, openCall: callId, width, height, strokes: [], closed: false, done: [], openedAt: this.#around.now() });
    }
    return { result: { message: `instance_id: ${instanceId}`, instance_id: instanceId } };
  }

  #strokeOf({ path, color = INK, width = LINE_WIDTH }: { path: string; color?: string | undefined; width?: number | undefined }) {
    const parsed = parsePath(path);
    if (!parsed.ok) return refused('invalid_arguments', `arguments.path: ${parsed.problem}`);
    if (!isColor(color, this.#around.supported)) return refused('invalid_arguments', 'arguments.color: expected a CSS colour');
    return { path: pathData(parsed.segments), color, width };
  }

  #change(instanceId: string, change: (board: Board) => Board): void {
    const board = this.#boards.get(instanceId);
    if (board && !board.closed) this.#put(change(board));
  }

  #put(board: Board): void {
    this.#boards.set(board.instanceId, board);
    this.#save(() => this.#around.store.save(board));
    if (board.closed) {
      if (this.#active === board.instanceId) {
        this.#active = null;
        this.#whole = false;
      }
      const old = [...this.#boards.values()].filter((each) => each.closed).slice(0, -CLOSED_KEPT);
      for (const { instanceId } of old) this.#forget(instanceId);
    }
    this.#mark();
    this.view.changed();
  }

  #forget(instanceId: string): void {
    this.#boards.delete(instanceId);
    this.#save(() => this.#around.store.remove(instanceId));
    if (this.#active === instanceId) {
      this.#active = null;
      this.#whole = false;
    }
    this.#mark();
  }

  #save(work: () => Promise<void>): void {
    this.#saving = this.#saving.then(work);
  }

  /** Whether there is something to load with the next page. */
  #mark(): void {
    const { local, conversationId } = this.#parts;
    local.write(`canvas.${conversationId}`, this.#boards.size > 0 ? '1' : null);
  }

  #openBoards(): Board[] {
    return [...this.#boards.values()].filter((board) => !board.closed);
  }

  #look(): CanvasView {
    return { open: this.#openBoards().toReversed(), active: this.#active, whole: this.#whole };
  }
}

function refused(
  code: 'invalid_arguments' | 'execution_error',
  message: string,
): { error: { code: 'invalid_arguments' | 'execution_error'; message: string } } {
  return { error: { code, message } };
}
