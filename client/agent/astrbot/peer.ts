/** A connection to a server of AstrBot's ACP that comes back: framing, requests, chunks, heartbeat. */
import { connect, type Socket } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';
import { retryDelay } from '../../core/backoff.ts';
import type { ServerAddress } from './address.ts';
import { FrameReader, frameOf, type Framing } from './framing.ts';
import { ACP_CODES, decodeBody, readMessage, RpcError } from './json-rpc.ts';

/** The connection was lost before the answer came: whether the request was done is not known. */
export class PeerGone extends Error {
  override readonly name = 'PeerGone';

  constructor() {
    super('The connection to the ACP server was lost before the answer came.');
  }
}

/** What a peer tells of itself. */
export interface PeerEvents {
  /** Connected and greeted: after each connection. */
  up: () => void;
  down: () => void;
  /** A notification that is no chunk of a request. */
  notification: (method: string, params: JsonObject) => void;
}

/** How a request is made. */
export interface PeerRequest {
  signal?: AbortSignal;
  /** Gets the chunks of a streamed answer. */
  onChunk?: (data: Json) => void;
  /** In ms; default: as long as it takes. */
  deadline?: number;
}

interface Waiting {
  resolve: (result: Json) => void;
  reject: (error: Error) => void;
  onChunk: ((data: Json) => void) | undefined;
}

/** Times, in ms. Tests have shorter ones. */
export interface PeerPace {
  /** Pause between two heartbeats. */
  heartbeat: number;
  /** How long the answer to a heartbeat or a greeting may take. */
  patience: number;
}

const PACE: PeerPace = { heartbeat: 25_000, patience: 10_000 };

/** See the file's head. */
export class Peer {
  readonly address: ServerAddress;
  readonly #events: PeerEvents;
  readonly #pace: PeerPace;
  readonly #waiting = new Map<number, Waiting>();
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Servers of the specification and of the implementation differ; whichever answers the greeting is kept. */
  #framing: Framing = 'header';
  #isUp = false;
  #isClosed = false;
  #failures = 0;
  #lastId = 0;

  constructor(address: ServerAddress, events: PeerEvents, pace = PACE) {
    this.address = address;
    this.#events = events;
    this.#pace = pace;
  }

  /** Whether requests can be made now. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Connects, and again whenever the connection is lost, until {@link close}. */
  start(): void {
    this.#dial();
  }

  close(): void {
    this.#isClosed = true;
    this.#schedule(null);
    this.#socket?.destroy();
  }

  /** @throws RpcError, {@link PeerGone}, and the signal's reason */
  async request(method: string, params: JsonObject, { signal, onChunk, deadline }: PeerRequest = {}): Promise<Json> {
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    let end: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Json>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onChunk });
        end = () => {
          // Servers that do not know this notification pass it over.
          this.#write({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', end, { once: true });
        if (deadline !== undefined) timer = setTimeout(() => reject(new PeerGone()), deadline);
        if (!this.#write({ jsonrpc: '2.0', id, method, params })) reject(new PeerGone());
      });
    } finally {
      this.#waiting.delete(id);
      clearTimeout(timer);
      if (end) signal?.removeEventListener('abort', end);
    }
  }

  #write(message: JsonObject): boolean {
    if (!this.#socket?.writable) return false;
    this.#socket.write(frameOf(JSON.stringify(message), this.#framing));
    return true;
  }

  #dial(): void {
    if (this.#isClosed) return;
    const { address } = this;
    const socket = connect(address.kind === 'tcp' ? { host: address.host, port: address.port } : { path: address.path });
    this.#socket = socket;
    const reader = new FrameReader();
    socket.setNoDelay(true);
    socket.setTimeout(this.#pace.patience, () => {
      if (socket.connecting) socket.destroy();
    });
    socket.on('connect', () => void this.#greet(socket));
    socket.on('data', (chunk: Buffer) => {
      for (const found of reader.push(chunk)) {
        if (found.kind === 'broken') socket.destroy();
        else this.#take(found.bytes);
      }
    });
    // Its close follows, and tells the same.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#lost(socket));
  }

  async #greet(socket: Socket): Promise<void> {
    try {
      await this.request(
        'initialize',
        { protocolVersion: '1.0', capabilities: {}, clientInfo: { name: 'lineup' } },
        { deadline: this.#pace.patience },
      );
    } catch (error) {
      if (!(error instanceof RpcError)) {
        // Perhaps it speaks the other framing.
        this.#framing = this.#framing === 'header' ? 'json-line' : 'header';
        socket.destroy();
        return;
      }
      // A server of the specification alone does not know the method, and is as good.
      if (error.code === ACP_CODES.parseError) return void socket.destroy();
    }
    if (socket.destroyed) return;
    this.#failures = 0;
    this.#isUp = true;
    this.#schedule(() => void this.#beat(socket), this.#pace.heartbeat);
    this.#events.up();
  }

  async #beat(socket: Socket): Promise<void> {
    try {
      await this.request('ping', {}, { deadline: this.#pace.patience });
    } catch (error) {
      // Any answer is a sign of life, also that there is no such method.
      if (!(error instanceof RpcError)) return void socket.destroy();
    }
    if (!socket.destroyed) this.#schedule(() => void this.#beat(socket), this.#pace.heartbeat);
  }

  #take(bytes: Uint8Array): void {
    let value: Json;
    try {
      value = decodeBody(bytes);
    } catch {
      return;
    }
    for (const each of Array.isArray(value) ? value : [value]) this.#message(each);
  }

  #message(value: Json): void {
    const message = readMessage(value);
    if (message.kind === 'call') {
      if (message.id !== undefined)
        this.#write({ jsonrpc: '2.0', id: message.id, error: { code: ACP_CODES.methodNotFound, message: 'Method not found' } });
      else if (isJsonObject(message.params ?? null)) this.#notification(message.method, message.params as JsonObject);
      return;
    }
    const waiting = message.kind === 'invalid' || typeof message.id !== 'number' ? undefined : this.#waiting.get(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.result);
    if (message.kind === 'failure') waiting?.reject(message.error);
  }

  #notification(method: string, params: JsonObject): void {
    const id = params.request_id ?? params.id;
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting) waiting.onChunk?.(params.data ?? params.chunk ?? params.delta ?? params);
    else this.#events.notification(method, params);
  }

  #lost(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#schedule(null);
    const wasUp = this.#isUp;
    this.#isUp = false;
    for (const waiting of this.#waiting.values()) waiting.reject(new PeerGone());
    if (wasUp) this.#events.down();
    this.#failures += 1;
    if (!this.#isClosed) this.#schedule(() => this.#dial(), retryDelay(this.#failures, 0.5 + Math.random() / 2));
  }

  #schedule(act: (() => void) | null, ms = 0): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = act ? setTimeout(act, ms) : null;
  }
}
