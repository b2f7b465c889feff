/** The drawing boards of a conversation, loaded with the first of them. Part of every page's first load: keep it small. */
import type { Payloads } from '../../../src/protocol/messages.ts';
import type { LocalStore } from '../store/local-store.ts';
import { Observable } from '../store/observable.ts';
import type { CanvasCall } from '../../../src/protocol/tools.ts';
import type { CanvasDesk } from './canvas-desk.ts';

export interface CanvasParts {
  conversationId: string;
  /** Names the conversation among all of this browser's. */
  owner: string;
  local: LocalStore;
  isPending: (callId: string) => boolean;
  send: (result: Payloads['tool.result']) => void;
}

/** A call of the canvas whose arguments fit. */
export interface BoardCall {
  callId: string;
  call: CanvasCall;
  /** Whether it came to this device alone; otherwise the board may be another device's. */
  mineAlone: boolean;
}

/** See the file's head. */
export class CanvasDoor {
  /** Null until there is a board. */
  readonly view: Observable<CanvasDesk | null>;
  readonly #parts: CanvasParts;
  #loading: Promise<CanvasDesk> | null = null;
  #desk: CanvasDesk | null = null;

  constructor(parts: CanvasParts) {
    this.#parts = parts;
    this.view = new Observable<CanvasDesk | null>(
      () => this.#desk,
      (run) => run(),
    );
  }

  /** Brings back the boards from before a reload. */
  restore(): void {
    if (this.#parts.local.read(`canvas.${this.#parts.conversationId}`) !== null) this.#with(() => undefined);
  }

  /** Carries out a call and answers it. */
  take(call: BoardCall): void {
    this.#with((desk) => desk.take(call));
  }

  /** Somebody else answered a call: what this device made of it is nobody's. */
  lost(callId: string): void {
    if (this.#loading) this.#with((desk) => desk.lost(callId));
  }

  #with(work: (desk: CanvasDesk) => unknown): void {
    this.#loading ??= this.#load();
    this.#loading.then(work).catch((error: unknown) => {
      // What could not be loaded is tried again with the next call; this one is still open, and comes again with the next page.
      if (!this.#desk) this.#loading = null;
      reportError(error);
    });
  }

  async #load(): Promise<CanvasDesk> {
    const { openCanvasDesk } = await import('./canvas-desk.ts');
    this.#desk = await openCanvasDesk(this.#parts);
    this.view.changed();
    return this.#desk;
  }
}
