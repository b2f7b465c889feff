/** The Durable Object of one conversation: a shell of sockets, alarm and RPC around `src/conversation`. */
import { DurableObject } from 'cloudflare:workers';
import init from '../../migrations/conversation/0001_init.sql';
import type { Connection, ConnectionState } from '../conversation/connection.ts';
import { Conversation, type Admitted } from '../conversation/conversation.ts';
import { isoTime } from '../conversation/effects.ts';
import { historyPage } from '../conversation/history.ts';
import { createMeta } from '../conversation/meta.ts';
import { CLOSE_REASONS } from '../conversation/roster.ts';
import { conversationChanged, devicePaired, deviceRevoked } from '../conversation/tidings.ts';
import { CLOSE, type CloseCode } from '../protocol/close-codes.ts';
import type { Participant } from '../protocol/envelope.ts';
import { refusal } from '../protocol/errors.ts';
import type { AuditEntry } from '../protocol/http.ts';
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
import type { Env } from './env.ts';
import { download, upload } from './file-transfer.ts';
import { migrate } from './migrate.ts';
import { SocketTransport } from './socket-transport.ts';
import { durableSql } from './sql-storage.ts';

const MIGRATIONS = [{ name: '0001_init', sql: init }];
const CLOCK = { now: () => Date.now() };

/** One conversation. The Worker and the directory are its only callers; they have checked who is asking. */
export class ConversationObject extends DurableObject<Env> implements ConversationApi {
  readonly #sql = durableSql(this.ctx.storage);
  /** Undefined until it is made, and again once it is deleted: an object that nobody made has no storage. */
  #conversation: Conversation | undefined;
  #connections = new Map<WebSocket, Connection>();
  /** Connections that owe their hello, by id. */
  #greetings = new Map<string, PromiseWithResolvers<boolean>>();
  /** Participant → since when, and with which code, it is cut off. An admission of before may still be under way, for moments: memory will do. */
  #cuts = new Map<string, { at: number; code: CloseCode }>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    if (this.#sql.exec("SELECT name FROM sqlite_master WHERE name = 'meta'").length > 0) this.#load();
  }

  async create({ conversation_id, title, created_at, agent, devices }: NewConversation): Promise<void> {
    if (!this.#conversation) {
      this.ctx.storage.transactionSync(() => {
        migrate(this.#sql, CLOCK, MIGRATIONS);
        createMeta(this.#sql, { conversationId: conversation_id, title, createdAt: created_at, agentId: agent.id });
      });
      this.#load();
    }
    this.#hear((ledger, effects) => {
      ledger.participants.add({ kind: 'agent', id: agent.id, name: agent.name });
      for (const device of devices) devicePaired(ledger, device, effects);
    });
  }

  override async fetch(request: Request): Promise<Response> {
    const admission = readAdmission(request);
    if (request.headers.get('upgrade') === 'websocket') return this.#upgrade(admission);
    const conversation = this.#conversation;
    if (!conversation || !admission) return Response.json({ error: refusal('not_found', 'conversation: no such conversation') }, { status: 404 });
    const path = new URL(request.url).pathname;
    if (request.method === 'POST') return upload({ ledger: conversation.ledger, change: (fn) => conversation.change(fn) }, request);
    return download(conversation.ledger, path.slice(path.lastIndexOf('/') + 1), request.headers.get('range'));
  }

  async post(from: Participant, body: string): Promise<PostAnswer> {
    const answer = await this.#conversation?.post(from, body);
    if (!answer) return { ok: false, error: refusal('not_found', 'conversation: no such conversation') };
    return answer.ok ? { ok: true, id: answer.id ?? '', seq: answer.seq, duplicate: answer.duplicate } : answer;
  }

  async history(participant: Participant, page: { after?: number; before?: number; limit: number }): Promise<string> {
    const conversation = this.#existing();
    conversation.flush();
    return historyPage(conversation.ledger, participant, page);
  }

  async audit(limit: number): Promise<AuditEntry[]> {
    return this.#existing().ledger.calls.audit(limit);
  }

  async summary(): Promise<ConversationSummary> {
    const conversation = this.#existing();
    conversation.flush();
    conversation.judgePresence();
    const { log, participants } = conversation.ledger;
    const lastAt = log.lastAt();
    return {
      head_seq: log.head,
      last_message_at: lastAt === null ? null : isoTime(lastAt),
      online: conversation.roster.onlineIds(),
      last_seen: Object.fromEntries(participants.all().flatMap(({ id, seen_at }) => (seen_at === null ? [] : [[id, isoTime(seen_at)]]))),
    };
  }

  async tell(tidings: Tidings): Promise<void> {
    const conversation = this.#conversation;
    if (!conversation) return;
    switch (tidings.kind) {
      case 'paired':
        this.#hear((ledger, effects) => devicePaired(ledger, tidings.device, effects));
        return;
      case 'revoked':
        // Cut first: a revoked device hears nothing more, not even of itself.
        this.#cut(tidings.device.device_id, tidings.at, CLOSE.revoked);
        this.#hear((ledger, effects) => deviceRevoked(ledger, tidings.device, effects));
        return;
      case 'agent-revoked':
        await this.#forget(CLOSE.revoked);
        return;
      case 'agent-token-replaced':
        this.#cut(conversation.ledger.agent.id, tidings.at, CLOSE.unauthorized);
        return;
      case 'conversation':
        this.#hear((ledger, effects) => conversationChanged(ledger, this.#sql, tidings.conversation, tidings.change, effects));
        return;
      case 'deleted':
        await this.#forget(CLOSE.notFound);
    }
  }

  async saidHello(connectionId: string): Promise<boolean> {
    return (await this.#greetings.get(connectionId)?.promise) ?? true;
  }

  override async alarm(): Promise<void> {
    this.#conversation?.runDue();
  }

  // Not async: most frames are done when this returns, and a promise would cost more than they do.
  override webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> | undefined {
    const connection = this.#connections.get(socket);
    if (!connection || !this.#conversation) return undefined;
    const pending = this.#conversation.receive(connection, data);
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

  /** Makes a change that the directory told. What cannot be stored was not heard: the directory tells it again. */
  #hear(change: Parameters<Conversation['change']>[0]): void {
    const made = this.#existing().change(change);
    if (!made.ok) throw new Error(`not heard: ${made.error.code}`);
  }

  #existing(): Conversation {
    if (!this.#conversation) throw new Error('this conversation was deleted');
    return this.#conversation;
  }

  #load(): Conversation | undefined {
    migrate(this.#sql, CLOCK, MIGRATIONS);
    const conversation = Conversation.load({
      sql: this.#sql,
      clock: CLOCK,
      limits: readLimits(this.env),
      nextTurn: () => scheduler.wait(0),
      setAlarm: (at) => void this.ctx.storage.setAlarm(at),
      admit: (token) => this.#admit(token),
      report: (error) =>
        console.error(JSON.stringify({ event: 'conversation_error', error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' })),
    });
    this.#conversation = conversation;
    for (const socket of this.ctx.getWebSockets()) {
      const state: ConnectionState | null = socket.deserializeAttachment();
      if (!state || !conversation) continue;
      const connection = conversation.adopt(new SocketTransport(this.ctx, socket), state);
      this.#connections.set(socket, connection);
      if (!connection.welcomed) this.#setDeadline(connection);
    }
    return conversation;
  }

  async #admit(token: string): Promise<(Admitted & { ok: true }) | { ok: false; close: CloseCode }> {
    const { conversationId } = this.#existing().ledger.meta;
    const admitted = await admitToken(this.env, token, conversationId);
    if (!admitted.ok) return { ok: false, close: admitted.close };
    const cut = this.#cutSince(admitted.admission);
    return cut === undefined ? { ok: true, ...toAdmitted(admitted.admission) } : { ok: false, close: cut };
  }

  #upgrade(admission: Admission | null): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    const cut = admission ? this.#cutSince(admission) : undefined;
    if (!this.#conversation || cut !== undefined) {
      const code = cut ?? CLOSE.notFound;
      server.accept();
      server.close(code, CLOSE_REASONS[code]);
      return new Response(null, { status: 101, webSocket: client });
    }
    this.ctx.acceptWebSocket(server);
    const connection = this.#conversation.open(new SocketTransport(this.ctx, server), admission && toAdmitted(admission));
    this.#connections.set(server, connection);
    this.#greetings.set(connection.state.id, Promise.withResolvers());
    this.#setDeadline(connection);
    return new Response(null, { status: 101, webSocket: client, headers: { [CONNECTION_HEADER]: connection.state.id } });
  }

  #greeted({ state }: Connection, welcomed: boolean): void {
    this.#greetings.get(state.id)?.resolve(welcomed);
    this.#greetings.delete(state.id);
  }

  // A timer and no alarm: it costs no write. waitUntil keeps the object awake for it, 10 s at most after a socket opens.
  #setDeadline(connection: Connection): void {
    const left = Math.max(0, connection.state.openedAt + HELLO_DEADLINE_MS - Date.now());
    this.ctx.waitUntil(
      scheduler.wait(left).then(() => {
        if (!connection.welcomed) this.#conversation?.close(connection, CLOSE.helloTimeout);
      }),
    );
  }

  #gone(socket: WebSocket): void {
    const connection = this.#connections.get(socket);
    this.#connections.delete(socket);
    if (!connection) return;
    this.#greeted(connection, false);
    this.#conversation?.closed(connection);
  }

  /** Closes every socket and deletes all there is: nobody can ever come back for it. */
  async #forget(code: CloseCode): Promise<void> {
    this.#closeAll(code);
    this.#conversation = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Closes a participant's sockets, and those of its admissions that were decided before but come after. */
  #cut(id: string, at: number, code: CloseCode): void {
    this.#cuts.set(id, { at, code });
    this.#closeAll(code, ({ participant }) => participant?.id === id);
  }

  #cutSince({ participant, at }: Admission): CloseCode | undefined {
    const cut = this.#cuts.get(participant.id);
    return cut && at <= cut.at ? cut.code : undefined;
  }

  #closeAll(code: CloseCode, which: (connection: Connection) => boolean = () => true): void {
    for (const connection of [...this.#connections.values()].filter(which)) this.#conversation?.close(connection, code);
  }
}

function readAdmission(request: Request): Admission | null {
  const header = request.headers.get(ADMISSION_HEADER);
  return header === null ? null : (JSON.parse(decodeURIComponent(header)) as Admission);
}

function toAdmitted({ participant, name, fresh_token }: Admission): Admitted {
  return { participant, name, freshToken: fresh_token };
}
