/** A server of AstrBot's ACP: sockets, framing, JSON-RPC with batches. What the methods do is somebody else's. */
import { chmod, lstat, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Json, JsonObject } from '../../../src/protocol/json.ts';
import type { ServerAddress } from './address.ts';
import { FrameReader, frameOf, type Framing } from './framing.ts';
import { ACP_CODES, answerOf, decodeBody, readMessage, RpcError, type RpcId } from './json-rpc.ts';

/** One connection, as methods see it. */
export interface Caller {
  /** Sends a notification, in the framing that the caller speaks. */
  notify: (method: string, params: JsonObject) => void;
  /** Aborted when the connection is gone. */
  signal: AbortSignal;
}

/** One request. */
export interface Request {
  id: RpcId;
  method: string;
  params: Json | undefined;
  caller: Caller;
  /** Aborted when the caller is gone or takes the request back. */
  signal: AbortSignal;
}

/** Answers a request; throws RpcError to refuse it. */
export type Answer = (request: Request) => Promise<Json>;

/** Elements of one batch. */
const MAX_BATCH = 100;
/** What a caller that does not read may have waiting, in bytes, before it is cut off. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Requests of one connection at the same time. */
const MAX_OPEN_REQUESTS = 256;

/** See the file's head. */
export class RpcServer {
  readonly #answer: Answer;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /**
   * Listens on one more address. A Unix socket is for this user alone; one that a dead process left behind is replaced.
   * @returns the address with the port that it got
   * @throws what the platform says, EADDRINUSE when it is taken
   */
  async listen(address: ServerAddress): Promise<ServerAddress> {
    const server = createServer((socket) => this.#accept(socket));
    if (address.kind === 'unix') await removeStale(address.path);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    this.#servers.push(server);
    if (address.kind === 'tcp') return { ...address, port: (server.address() as AddressInfo).port };
    await chmod(address.path, 0o600);
    return address;
  }

  /** Cuts every connection and stops listening. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setKeepAlive(true, 30_000);
    socket.setNoDelay(true);
    const connection = new ServerConnection(socket, this.#answer);
    socket.on('data', (chunk: Buffer) => connection.receive(chunk));
    // A connection that breaks is closed, and its close is all that matters.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      connection.gone();
    });
  }
}

class ServerConnection {
  readonly #socket: Socket;
  readonly #answer: Answer;
  readonly #reader = new FrameReader();
  readonly #closing = new AbortController();
  readonly #open = new Map<RpcId, AbortController>();
  #requests = 0;

  constructor(socket: Socket, answer: Answer) {
    this.#socket = socket;
    this.#answer = answer;
  }

  receive(chunk: Uint8Array): void {
    for (const found of this.#reader.push(chunk)) {
      if (found.kind === 'body') void this.#body(found.bytes, found.framing);
      else {
        this.#send(answerOf(null, { error: new RpcError(ACP_CODES.invalidRequest, `Invalid request: ${found.reason}`) }), found.framing);
        // Where the next message begins is anybody's guess.
        this.#socket.end();
      }
    }
  }

  gone(): void {
    this.#closing.abort();
  }

  async #body(bytes: Uint8Array, framing: Framing): Promise<void> {
    let value: Json;
    try {
      value = decodeBody(bytes);
    } catch (error) {
      return this.#send(answerOf(null, { error: rpcErrorOf(error) }), framing);
    }
    if (!Array.isArray(value)) {
      const answer = await this.#one(value, framing);
      if (answer) this.#send(answer, framing);
      return;
    }
    if (value.length === 0 || value.length > MAX_BATCH) {
      const reason = value.length === 0 ? 'a batch is not empty' : `a batch has at most ${MAX_BATCH} elements`;
      return this.#send(answerOf(null, { error: new RpcError(ACP_CODES.invalidRequest, `Invalid request: ${reason}`) }), framing);
    }
    const answers = (await Promise.all(value.map((each) => this.#one(each, framing)))).filter((each) => each !== null);
    if (answers.length > 0) this.#send(answers, framing);
  }

  /** Null: nothing is answered, as it was a notification or a response. */
  async #one(value: Json, framing: Framing): Promise<JsonObject | null> {
    const message = readMessage(value);
    if (message.kind === 'invalid') {
      return answerOf(message.id, { error: new RpcError(ACP_CODES.invalidRequest, `Invalid request: ${message.reason}`) });
    }
    if (message.kind !== 'call') return null;
    const { id, method, params } = message;
    if (method === '$/cancelRequest') return this.#cancel(params);
    const outcome = await this.#perform(id ?? null, method, params, framing);
    return id === undefined ? null : answerOf(id, outcome);
  }

  #cancel(params: Json | undefined): null {
    const id = typeof params === 'object' && params !== null && !Array.isArray(params) ? params.id : undefined;
    if (typeof id === 'string' || typeof id === 'number') this.#open.get(id)?.abort();
    return null;
  }

  async #perform(id: RpcId, method: string, params: Json | undefined, framing: Framing): Promise<{ result: Json } | { error: RpcError }> {
    if (this.#requests >= MAX_OPEN_REQUESTS)
      return { error: new RpcError(ACP_CODES.agentBusy, 'Agent busy: too many requests of this connection are open') };
    const controller = new AbortController();
    this.#requests += 1;
    this.#open.set(id, controller);
    try {
      const signal = AbortSignal.any([controller.signal, this.#closing.signal]);
      const caller = {
        notify: (name: string, body: JsonObject) => this.#send({ jsonrpc: '2.0', method: name, params: body }, framing),
        signal: this.#closing.signal,
      };
      return { result: await this.#answer({ id, method, params, caller, signal }) };
    } catch (error) {
      return { error: rpcErrorOf(error) };
    } finally {
      this.#requests -= 1;
      this.#open.delete(id);
    }
  }

  #send(value: Json, framing: Framing): void {
    if (this.#socket.destroyed || !this.#socket.writable) return;
    if (this.#socket.writableLength > MAX_WAITING_BYTES) return void this.#socket.destroy();
    this.#socket.write(frameOf(JSON.stringify(value), framing));
  }
}

/** What goes wrong inside of us is told by its kind alone. */
function rpcErrorOf(error: unknown): RpcError {
  return error instanceof RpcError ? error : new RpcError(ACP_CODES.internalError, 'Internal error');
}

/** Removes a socket's file when nobody listens behind it any more. */
async function removeStale(path: string): Promise<void> {
  const file = await lstat(path).catch(() => null);
  if (!file?.isSocket()) return;
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
  if (!isAlive) await rm(path, { force: true });
}
