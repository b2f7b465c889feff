/** Direct mode as a server: the web app, `/v1`, full clients' sockets and bare v1 clients on one port of this machine (§10). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type Server as SocketServer, type WebSocket } from 'ws';
import { redeemBody } from '../../../src/protocol/http.ts';
import { app } from '../../../src/worker/app.ts';
import { socketOffer, SUBPROTOCOL } from '../../../src/worker/auth/bearer.ts';
import { isSameSecret } from '../../../src/worker/auth/owner-key.ts';
import { conversationRequest } from '../../../src/worker/conversation-request.ts';
import { knows } from '../../../src/worker/directory/admitting.ts';
import { complete } from '../../../src/worker/response-headers.ts';
import { readBody } from '../../../src/worker/routes/request-body.ts';
import { isLoopback, shownOrigin } from './addresses.ts';
import { ClientSocket } from './client-socket.ts';
import { enter, judgeUpgrade } from './conversation-socket.ts';
import type { DirectRelay } from './direct-relay.ts';
import { sendResponse, toRequest } from './fetch-server.ts';
import type { FileLinks } from './file-links.ts';
import { serveV1 } from './v1-socket.ts';

/** What is served, and how others find it. */
export interface DirectServerOptions {
  relay: DirectRelay;
  /** The address to listen on, such as `0.0.0.0`. */
  host: string;
  /** 0: any free one. */
  port: number;
  /** The pre-shared token. */
  token: string;
  /** The agent of this machine: whom the pre-shared token leads to. */
  agentId: string;
  links: FileLinks;
  /** Hears what bare v1 clients sent in vain. */
  refused(reason: string): void;
}

const SOCKET_PATH = /^\/v1\/conversations\/([^/]+)\/socket$/;
/** A frame beyond this is not even read: its socket is closed with 1009. Up to here one above the limit is refused as §8 has it. */
const MAX_READ_BYTES = 32 * 1_048_576;
const HEARTBEAT_MS = 25_000;
/** How long sockets have to say goodbye, in ms. */
const GOODBYE_MS = 1_000;
const GOING_AWAY = 1001;
const AUTHORITY = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** A server that listens. */
export class DirectServer {
  readonly #options: DirectServerOptions;
  readonly #http: Server;
  readonly #sockets: SocketServer<typeof ClientSocket>;
  readonly #silent = new WeakSet<WebSocket>();
  #heartbeat: NodeJS.Timeout | undefined;

  private constructor(options: DirectServerOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer({
      WebSocket: ClientSocket,
      noServer: true,
      maxPayload: MAX_READ_BYTES,
      perMessageDeflate: false,
      // What is no UTF-8 is replaced, as on Workers: a broken character is no reason to break the line.
      skipUTF8Validation: true,
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    });
    this.#http = createServer((message, response) => void this.#answer(message, response).catch(options.relay.report));
    this.#http.on('upgrade', (message, socket, head) => void this.#upgrade(message, socket, head).catch(options.relay.report));
  }

  /**
   * Listens.
   * @throws Error with `code` `EADDRINUSE` when the port is taken
   */
  static async start(options: DirectServerOptions): Promise<DirectServer> {
    const server = new DirectServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#http.once('error', reject);
      server.#http.listen(options.port, options.host, () => {
        server.#http.off('error', reject);
        resolve();
      });
    });
    server.#heartbeat = setInterval(() => server.#beat(), HEARTBEAT_MS);
    return server;
  }

  /** The origin that links begin with for others in the network. */
  get origin(): string {
    const { port } = this.#http.address() as AddressInfo;
    return shownOrigin(this.#options.host, port);
  }

  /** The origin for agents on this machine. */
  get localOrigin(): string {
    const { port } = this.#http.address() as AddressInfo;
    const { host } = this.#options;
    return host === '0.0.0.0' || host === '::' ? `http://127.0.0.1:${port}` : this.origin;
  }

  /** Closes every socket, and the relay when they are gone. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    const stopped = new Promise<void>((resolve) => void this.#http.close(() => resolve()));
    const gone = [...this.#sockets.clients].map((socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())));
    for (const socket of this.#sockets.clients) socket.close(GOING_AWAY, 'going away');
    const late = setTimeout(() => {
      for (const socket of this.#sockets.clients) socket.terminate();
      this.#http.closeAllConnections();
    }, GOODBYE_MS);
    this.#http.closeIdleConnections();
    await Promise.all([stopped, ...gone]);
    clearTimeout(late);
    this.#options.relay.close();
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = toRequest(message, this.#originFor(message));
    const answer = complete(await this.#fetch(request));
    // Browsers heed it on https alone, and complain of it elsewhere.
    answer.headers.delete('Cross-Origin-Opener-Policy');
    await sendResponse(answer, response);
  }

  async #fetch(request: Request): Promise<Response> {
    const { relay } = this.#options;
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && pathname === '/v1/pairings/redeem') return await app.fetch(await this.#withCode(request), relay.env);
    const file = request.method === 'GET' ? this.#options.links.read(pathname) : null;
    if (file && (await knows(relay.registry, file.conversationId))) return await this.#file(file, request.headers.get('range'));
    return await app.fetch(request, relay.env);
  }

  /** The pre-shared token does what a printed code does: it is changed for one, behind which everything is the same. */
  async #withCode(request: Request): Promise<Request> {
    const body = await readBody(request.clone(), redeemBody);
    if (!body.ok || !isSameSecret(body.value.code.trim(), this.#options.token)) return request;
    const code = this.#options.relay.makeCode(this.#options.agentId);
    if (code === null) return request;
    return new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify({ ...body.value, code }) });
  }

  /** A file by its signed address: the signature is all the admission there is. */
  async #file({ conversationId, fileId }: { conversationId: string; fileId: string }, range: string | null): Promise<Response> {
    const admission = { participant: { kind: 'app' as const, id: '' }, name: '', fresh_token: null, at: Date.now() };
    const headers: Record<string, string> = range === null ? {} : { range };
    return await this.#options.relay
      .conversation(conversationId)
      .fetch(conversationRequest(conversationId, admission, `/files/${fileId}`, { headers }));
  }

  async #upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until there is a WebSocket nobody else listens for it.
    const broken = (): void => void socket.destroy();
    socket.on('error', broken);
    const origin = this.#originFor(message);
    const request = toRequest(message, origin);
    const url = new URL(request.url);
    const [, conversationId] = SOCKET_PATH.exec(url.pathname) ?? [];
    const open = (opened: (socket: WebSocket) => void): void => {
      socket.off('error', broken);
      this.#sockets.handleUpgrade(message, socket, head, (webSocket) => {
        this.#watch(webSocket);
        opened(webSocket);
      });
    };
    if (conversationId !== undefined) {
      const entry = await judgeUpgrade(this.#options.relay, conversationId, socketOffer(request).token);
      open((webSocket) => enter(this.#options.relay, conversationId, webSocket, entry));
    } else if (url.pathname === '/') {
      const { relay, token, agentId, links, refused } = this.#options;
      const fileAddress = (conversation: string, fileId: string): string => origin + links.path(conversation, fileId);
      open((webSocket) => serveV1({ relay, token, agentId, conversationId: url.searchParams.get('conversation'), fileAddress, refused }, webSocket));
    } else {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }
  }

  #watch(socket: WebSocket): void {
    socket.on('pong', () => this.#silent.delete(socket));
    // A frame that is too large or no UTF-8 closes the socket with a code of RFC 6455; there is nobody to tell.
    socket.on('error', () => undefined);
  }

  /** Ends sockets whose client went without a word, and asks the others. */
  #beat(): void {
    for (const socket of this.#sockets.clients) {
      if (this.#silent.has(socket)) socket.terminate();
      else {
        this.#silent.add(socket);
        socket.ping();
      }
    }
  }

  /** What links begin with: the address that the client itself used, unless only this machine can use it. */
  #originFor(message: IncomingMessage): string {
    const { host } = message.headers;
    if (host === undefined || !AUTHORITY.test(host) || !URL.canParse(`http://${host}`)) return this.origin;
    const { hostname, origin } = new URL(`http://${host}`);
    return isLoopback(hostname) ? this.origin : origin;
  }
}
