/** The Durable Object of one conversation: sockets that hibernate, one alarm, and RPC around a {@link ConversationHost}. */
import { DurableObject } from 'cloudflare:workers';
import init from '../../migrations/conversation/0001_init.sql';
import type { Connection, ConnectionState } from '../conversation/connection.ts';
import { CLOSE_REASONS } from '../conversation/roster.ts';
import { CLOSE } from '../protocol/close-codes.ts';
import type { Participant } from '../protocol/envelope.ts';
import type { Result } from '../protocol/errors.ts';
import type { AuditEntry, ImportAnswer } from '../protocol/http.ts';
import { HELLO_DEADLINE_MS, readLimits } from '../protocol/limits.ts';
import { admitToken } from './auth/admit.ts';
import {
  ADMISSION_HEADER,
  CONNECTION_HEADER,
  type Admission,
  type ConversationApi,
  type ConversationSummary,
  type NewConversation,
  type PostAnswer,
  type Tidings,
} from './conversation-api.ts';
import { ConversationHost } from './conversation-host.ts';
import type { Env } from './env.ts';
import { migrate } from './migrate.ts';
import { SocketTransport } from './socket-transport.ts';
import { durableSql } from './sql-storage.ts';

const MIGRATIONS = [{ name: '0001_init', sql: init }];
const CLOCK = { now: () => Date.now() };

/** One conversation. The Worker and the directory are its only callers; they have checked who is asking. */
export class ConversationObject extends DurableObject<Env> implements ConversationApi {
  readonly #sql = durableSql(this.ctx.storage);
  readonly #host: ConversationHost;
  #connections = new Map<WebSocket, Connection>();
  /** Connections that owe their hello, by id. */
  #greetings = new Map<string, PromiseWithResolvers<boolean>>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    this.#host = new ConversationHost({
      sql: this.#sql,
      clock: CLOCK,
      limits: () => readLimits(env),
      nextTurn: () => scheduler.wait(0),
      keepAwake: (work) => this.ctx.waitUntil(work),
      setAlarm: (at) => void ctx.storage.setAlarm(at),
      migrate: () => migrate(this.#sql, CLOCK, MIGRATIONS),
      admitToken: (token, conversationId) => admitToken(env, token, conversationId),
      forget: async () => {
        await ctx.storage.deleteAlarm();
        await ctx.storage.deleteAll();
      },
      report: (error) =>
        console.error(JSON.stringify({ event: 'conversation_error', error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' })),
    });
    this.#adoptSockets();
  }

  async create(conversation: NewConversation): Promise<void> {
    this.#host.create(conversation);
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get('upgrade') === 'websocket') return this.#upgrade(readAdmission(request));
    return await this.#host.files(request);
  }

  async post(from: Participant, body: string): Promise<PostAnswer> {
    return await this.#host.post(from, body);
  }

  async history(participant: Participant, page: { after?: number; before?: number; limit: number }): Promise<string> {
    return this.#host.history(participant, page);
  }

  async importHistory(body: string): Promise<Result<ImportAnswer>> {
    return this.#host.importHistory(body);
  }

  async audit(limit: number): Promise<AuditEntry[]> {
    return this.#host.audit(limit);
  }

  async summary(): Promise<ConversationSummary> {
    return this.#host.summary();
  }

  async tell(tidings: Tidings): Promise<void> {
    await this.#host.tell(tidings);
  }

  async saidHello(connectionId: string): Promise<boolean> {
    return (await this.#greetings.get(connectionId)?.promise) ?? true;
  }

  override async alarm(): Promise<void> {
    this.#host.conversation?.runDue();
  }

  // Not async: most frames are done when this returns, and a promise would cost more than they do.
  override webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> | undefined {
    const connection = this.#connections.get(socket);
    const { conversation } = this.#host;
    if (!connection || !conversation) return undefined;
    const pending = conversation.receive(connection, data);
    if (!this.#greetings.has(connection.state.id)) return pending;
    const greet = (): void => {
      if (connection.welcomed) this.#greeted(connection, true);
    };
    if (pending) return pending.then(greet);
    greet();
    return undefined;
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#gone(socket);
    if (socket.readyState === WebSocket.READY_STATE_CLOSED) return;
    // 1005 and 1006 stand for a close without a code, and may not be sent themselves.
    if (code === 1005 || code === 1006) socket.close();
    else socket.close(code);
  }

  override webSocketError(socket: WebSocket): void {
    this.#gone(socket);
  }

  /** Takes up the sockets that outlived a sleep. */
  #adoptSockets(): void {
    for (const socket of this.ctx.getWebSockets()) {
      const connection = this.#adopt(socket);
      if (connection && !connection.welcomed) this.#awaitHello(connection);
    }
  }

  #adopt(socket: WebSocket): Connection | undefined {
    const state: ConnectionState | null = socket.deserializeAttachment();
    const connection = state && this.#host.conversation?.adopt(new SocketTransport(this.ctx, socket), state);
    if (!connection) return undefined;
    this.#connections.set(socket, connection);
    return connection;
  }

  #upgrade(admission: Admission | null): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    const barred = this.#host.barredFrom(admission);
    if (barred !== undefined) {
      server.accept();
      server.close(barred, CLOSE_REASONS[barred]);
      return new Response(null, { status: 101, webSocket: client });
    }
    this.ctx.acceptWebSocket(server);
    const connection = this.#host.open(new SocketTransport(this.ctx, server), admission);
    this.#connections.set(server, connection);
    this.#awaitHello(connection);
    return new Response(null, { status: 101, webSocket: client, headers: { [CONNECTION_HEADER]: connection.state.id } });
  }

  #greeted({ state }: Connection, welcomed: boolean): void {
    this.#greetings.get(state.id)?.resolve(welcomed);
    this.#greetings.delete(state.id);
  }

  /**
   * Gives a connection its time to say hello. By a timer and no alarm: it costs no write. `waitUntil` keeps the object awake for it,
   * and no longer than it takes.
   */
  #awaitHello(connection: Connection): void {
    const greeting = Promise.withResolvers<boolean>();
    this.#greetings.set(connection.state.id, greeting);
    const left = Math.max(0, connection.state.openedAt + HELLO_DEADLINE_MS - Date.now());
    const timer = setTimeout(() => {
      this.#host.conversation?.close(connection, CLOSE.helloTimeout);
      this.#greeted(connection, false);
    }, left);
    this.ctx.waitUntil(greeting.promise.then(() => clearTimeout(timer)));
  }

  #gone(socket: WebSocket): void {
    // The socket whose end woke the object is no longer listed among those to adopt, but it still knows who it was.
    const connection = this.#connections.get(socket) ?? this.#adopt(socket);
    this.#connections.delete(socket);
    if (!connection) return;
    this.#greeted(connection, false);
    this.#host.conversation?.closed(connection);
  }
}

function readAdmission(request: Request): Admission | null {
  const header = request.headers.get(ADMISSION_HEADER);
  return header === null ? null : (JSON.parse(decodeURIComponent(header)) as Admission);
}
