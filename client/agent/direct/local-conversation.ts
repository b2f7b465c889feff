/** One conversation of direct mode: a {@link ConversationHost} on a file of its own. */
import { rmSync } from 'node:fs';
import type { Connection, Transport } from '../../../src/conversation/connection.ts';
import type { Conversation } from '../../../src/conversation/conversation.ts';
import type { CloseCode } from '../../../src/protocol/close-codes.ts';
import type { Participant } from '../../../src/protocol/envelope.ts';
import type { Result } from '../../../src/protocol/errors.ts';
import type { AuditEntry, ImportAnswer } from '../../../src/protocol/http.ts';
import type { Limits } from '../../../src/protocol/limits.ts';
import type { AdmittedToken } from '../../../src/worker/auth/admit.ts';
import type { Admission, ConversationApi, ConversationSummary, NewConversation, PostAnswer, Tidings } from '../../../src/worker/conversation-api.ts';
import { ConversationHost } from '../../../src/worker/conversation-host.ts';
import { migrate, type Migration } from '../../../src/worker/migrate.ts';
import { Alarm } from './alarm.ts';
import { SqliteFile } from './sqlite.ts';

/** What a conversation of direct mode needs of the relay that it is part of. */
export interface LocalSurroundings {
  limits: () => Limits;
  migrations: readonly Migration[];
  admitToken(token: string, conversationId: string): Promise<AdmittedToken>;
  /** Hears of errors that are no client's. */
  report(error: unknown): void;
  /** Its storage is gone: the next one of this id is another. */
  forgotten(): void;
}

/** See the file's head. */
export class LocalConversation implements ConversationApi {
  readonly #sql: SqliteFile;
  readonly #host: ConversationHost;
  readonly #alarm = new Alarm(() => this.conversation?.runDue());

  constructor(path: string, { limits, migrations, admitToken, report, forgotten }: LocalSurroundings) {
    const clock = { now: () => Date.now() };
    this.#sql = new SqliteFile(path);
    this.#host = new ConversationHost({
      sql: this.#sql,
      clock,
      limits,
      nextTurn: () => new Promise((resolve) => void setImmediate(resolve)),
      keepAwake: () => undefined,
      setAlarm: (at) => this.#alarm.set(at),
      migrate: () => migrate(this.#sql, clock, migrations),
      admitToken,
      forget: () => {
        this.#alarm.set(null);
        this.#sql.close();
        for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
        forgotten();
      },
      report,
    });
    // No alarm outlives a process.
    this.#alarm.set(this.conversation?.ledger.due.next() ?? null);
  }

  /** The conversation, while there is one. */
  get conversation(): Conversation | undefined {
    return this.#host.conversation;
  }

  /** As {@link ConversationHost.barredFrom}. */
  barredFrom(admission: Admission | null): CloseCode | undefined {
    return this.#host.barredFrom(admission);
  }

  /** As {@link ConversationHost.open}. */
  open(transport: Transport, admission: Admission | null): Connection {
    return this.#host.open(transport, admission);
  }

  async create(conversation: NewConversation): Promise<void> {
    this.#host.create(conversation);
  }

  /** Files: upgrades have a way of their own here. */
  async fetch(request: Request): Promise<Response> {
    const answer = await this.#host.files(request);
    const bytes = await answer.arrayBuffer();
    // Workers say how long a body is by themselves.
    answer.headers.set('content-length', String(bytes.byteLength));
    return new Response(bytes, answer);
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

  /** A socket of this machine goes when it is closed: nobody has to wait for its hello. */
  async saidHello(): Promise<boolean> {
    return true;
  }

  /** Commits what waits, and lets go of the file. To be called when its sockets are gone. */
  close(): void {
    this.#alarm.set(null);
    if (!this.conversation) return;
    this.conversation.flush();
    this.#sql.close();
  }
}
