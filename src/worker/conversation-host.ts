/** What every home of a conversation does, whatever it runs on: the calls of its relay's routes and directory, and who may enter. */
import { isoTime } from '../conversation/effects.ts';
import type { Connection, Transport } from '../conversation/connection.ts';
import { Conversation, type ConversationPorts } from '../conversation/conversation.ts';
import { historyPage } from '../conversation/history.ts';
import { importHistory } from '../conversation/importing.ts';
import { createMeta } from '../conversation/meta.ts';
import type { Admitted } from '../conversation/reception.ts';
import { conversationChanged, devicePaired, deviceRevoked } from '../conversation/tidings.ts';
import { CLOSE, type CloseCode } from '../protocol/close-codes.ts';
import type { Participant } from '../protocol/envelope.ts';
import { ERROR_STATUS, refusal, type Result } from '../protocol/errors.ts';
import type { AuditEntry, ImportAnswer } from '../protocol/http.ts';
import type { Limits } from '../protocol/limits.ts';
import type { AdmittedToken } from './auth/admit.ts';
import {
  ADMISSION_HEADER,
  type Admission,
  type ConversationSummary,
  type NewConversation,
  type PostAnswer,
  type Tidings,
} from './conversation-api.ts';
import { download, upload } from './file-transfer.ts';

/** What a home offers its conversation. */
export interface HostPorts extends Omit<ConversationPorts, 'limits' | 'admit'> {
  limits: () => Limits;
  /** Brings the storage to its newest schema. */
  migrate(): void;
  admitToken(token: string, conversationId: string): Promise<AdmittedToken>;
  /** Deletes all storage, and the alarm. */
  forget(): void | Promise<void>;
}

/** One conversation, or the place where one may be made. Its callers have checked who is asking. */
export class ConversationHost {
  readonly #ports: HostPorts;
  /** Undefined until it is made, and again once it is deleted: one that nobody made has no storage. */
  #conversation: Conversation | undefined;
  /** Participant → since when, and with which code, it is cut off. An admission of before may still be under way, for moments: memory will do. */
  #cuts = new Map<string, { at: number; code: CloseCode }>();

  /** Loads the conversation if there is one. */
  constructor(ports: HostPorts) {
    this.#ports = ports;
    if (ports.sql.exec("SELECT name FROM sqlite_master WHERE name = 'meta'").length > 0) this.#load();
  }

  /** The conversation, while there is one. */
  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  /** Makes the conversation's storage. Doing it again changes nothing. */
  create({ conversation_id, title, created_at, agent, devices }: NewConversation): void {
    if (!this.#conversation) {
      const { sql } = this.#ports;
      sql.transaction(() => {
        this.#ports.migrate();
        createMeta(sql, { conversationId: conversation_id, title, createdAt: created_at, agentId: agent.id });
      });
      this.#load();
    }
    this.#hear((ledger, effects) => {
      ledger.participants.add({ kind: 'agent', id: agent.id, name: agent.name });
      for (const device of devices) devicePaired(ledger, device, effects);
    });
  }

  /** Why a socket may not come in, as the code that closes it (§4). Null is one whose token is still to come in its hello. */
  barredFrom(admission: Admission | null): CloseCode | undefined {
    if (!this.#conversation) return CLOSE.notFound;
    return admission ? this.#cutSince(admission) : undefined;
  }

  /** Opens the connection of a socket that nothing bars ({@link barredFrom}). */
  open(transport: Transport, admission: Admission | null): Connection {
    return this.#existing().open(transport, admission && toAdmitted(admission));
  }

  /** Bytes in and out (§3); only what the routes have made themselves gets here. */
  async files(request: Request): Promise<Response> {
    const conversation = this.#conversation;
    if (!conversation || !request.headers.has(ADMISSION_HEADER)) return Response.json({ error: NO_CONVERSATION }, { status: ERROR_STATUS.not_found });
    if (request.method === 'POST') return upload({ ledger: conversation.ledger, change: (fn) => conversation.change(fn) }, request);
    const { pathname } = new URL(request.url);
    return download(conversation.ledger, pathname.slice(pathname.lastIndexOf('/') + 1), request.headers.get('range'));
  }

  /** Processes one envelope as a frame would be (§3). */
  async post(from: Participant, body: string): Promise<PostAnswer> {
    const answer = await this.#conversation?.post(from, body);
    if (!answer) return { ok: false, error: NO_CONVERSATION };
    return answer.ok ? { ok: true, id: answer.id ?? '', seq: answer.seq, duplicate: answer.duplicate } : answer;
  }

  /** A page of history as JSON text (§3). */
  history(participant: Participant, page: { after?: number; before?: number; limit: number }): string {
    const conversation = this.#existing();
    conversation.flush();
    return historyPage(conversation.ledger, participant, page);
  }

  /** Takes in a history of another relay. */
  importHistory(body: string): Result<ImportAnswer> {
    const conversation = this.#conversation;
    if (!conversation) return { ok: false, error: NO_CONVERSATION };
    conversation.catchUp();
    return importHistory(conversation, body, this.#ports.clock.now());
  }

  /** Newest first (§6, 9). */
  audit(limit: number): AuditEntry[] {
    return this.#existing().ledger.calls.audit(limit);
  }

  /** What lists show of it. */
  summary(): ConversationSummary {
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

  /** Hears what the directory tells. */
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
        this.#hear((ledger, effects) => conversationChanged(ledger, this.#ports.sql, tidings.conversation, tidings.change, effects));
        return;
      case 'deleted':
        await this.#forget(CLOSE.notFound);
    }
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

  #load(): void {
    this.#ports.migrate();
    this.#conversation = Conversation.load({ ...this.#ports, limits: this.#ports.limits(), admit: (token) => this.#admit(token) });
  }

  async #admit(token: string): Promise<(Admitted & { ok: true }) | { ok: false; close: CloseCode }> {
    const admitted = await this.#ports.admitToken(token, this.#existing().ledger.meta.conversationId);
    if (!admitted.ok) return { ok: false, close: admitted.close };
    const cut = this.#cutSince(admitted.admission);
    return cut === undefined ? { ok: true, ...toAdmitted(admitted.admission) } : { ok: false, close: cut };
  }

  /** Closes every socket and deletes all there is: nobody can ever come back for it. */
  async #forget(code: CloseCode): Promise<void> {
    this.#closeAll(code);
    this.#conversation = undefined;
    await this.#ports.forget();
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
    const conversation = this.#conversation;
    if (conversation) for (const connection of [...conversation.roster.all()].filter(which)) conversation.close(connection, code);
  }
}

const NO_CONVERSATION = refusal('not_found', 'conversation: no such conversation');

function toAdmitted({ participant, name, fresh_token }: Admission): Admitted {
  return { participant, name, freshToken: fresh_token };
}
