/** One conversation: what client/core announces becomes a view, and what the user does goes out. The only place that knows both. */
import type { ConnectionEvents, ConnectionState, SentUpdate } from '../../core/connection-events.ts';
import type { Connection } from '../../core/connection.ts';
import { isMessage } from '../../core/frames.ts';
import type { RelayHttp } from '../../core/http.ts';
import type { Delivered, Participant } from '../../../src/protocol/envelope.ts';
import type { Peer, Welcome } from '../../../src/protocol/handshake.ts';
import type { FileInfo } from '../../../src/protocol/http.ts';
import { DEFAULT_LIMITS, MAX_TEXT_CHARACTERS } from '../../../src/protocol/limits.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { describeTools } from '../../../src/protocol/tools.ts';
import { INVENTORY } from '../model/inventory.ts';
import { Timeline } from '../model/timeline.ts';
import { decide, OFFERED_TOOLS, resultOf, type Answer } from '../model/tool-desk.ts';
import type { AgentView, ConversationView, LinkView, ProgressView, StatusView } from './conversation-view.ts';
import { FileShelf } from './files.ts';
import { History } from './history.ts';
import type { LocalStore } from './local-store.ts';
import { nextFrame, Observable, type Schedule } from './observable.ts';
import { troubleOf, type Trouble } from './trouble.ts';

/** The part of a connection that is used here, so that a scripted one can stand in for it. */
export type Link = Pick<Connection, 'on' | 'state' | 'outbox' | 'durable' | 'start' | 'reconnect' | 'close' | 'send' | 'retry' | 'discard'>;

/** The HTTP calls that are used here. */
export type ConversationHttp = Pick<RelayHttp, 'history' | 'upload' | 'download'>;

/** What a conversation tells of its agent and of other conversations. */
export type Tidings = Pick<ConnectionEvents, 'conversation' | 'revoked'>;

export interface ConversationOptions {
  conversationId: string;
  /** This device. */
  me: Participant;
  agent: { id: string; name: string };
  title: string | null;
  link: Link;
  http: ConversationHttp;
  local: LocalStore;
  /** Called when the connection stopped for good. */
  onStopped?: (reason: Extract<LinkView, { name: 'stopped' }>['reason']) => void;
  /** Called when the list of conversations is another one. */
  onConversations?: () => void;
  schedule?: Schedule;
  now?: () => number;
}

/** See the file's head. Lives from {@link start} to {@link close}. */
export class ConversationStore {
  readonly id: string;
  readonly me: Participant;
  readonly view: Observable<ConversationView>;
  readonly files: FileShelf;
  readonly #link: Link;
  readonly #http: ConversationHttp;
  readonly #local: LocalStore;
  readonly #options: ConversationOptions;
  readonly #now: () => number;
  readonly #timeline: Timeline;
  readonly #history: History;
  readonly #unlisten: (() => void)[] = [];
  #title: string | null;
  #agent: AgentView;
  #status: StatusView | null = null;
  #progress: ProgressView | null = null;
  #wasOnline = false;
  #synced = false;
  #epoch: string | null = null;
  #fileBytes = DEFAULT_LIMITS.max_file_bytes;
  #lastRead: number;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.id = options.conversationId;
    this.me = options.me;
    this.#link = options.link;
    this.#http = options.http;
    this.#local = options.local;
    this.#now = options.now ?? Date.now;
    this.#title = options.title;
    this.#agent = { ...options.agent, online: null, lastSeen: null, received: 0 };
    this.#lastRead = Number(this.#local.read(`read.${this.id}`) ?? 0);
    this.#timeline = new Timeline(options.me);
    this.files = new FileShelf((fileId) => this.#http.download(this.id, fileId));
    this.#history = new History(
      (query) => this.#http.history(this.id, query),
      (messages) => messages.forEach((message) => this.#timeline.apply(message)),
      () => this.view.changed(),
    );
    this.view = new Observable(() => this.#look(), options.schedule ?? nextFrame);
  }

  /** Connects and loads the newest page. */
  start(): void {
    const on = <K extends keyof ConnectionEvents>(event: K, listener: (value: ConnectionEvents[K]) => void) => {
      const heard = (value: ConnectionEvents[K]) => {
        listener(value);
        this.view.changed();
      };
      this.#unlisten.push(this.#link.on(event, heard));
    };
    on('state', (state) => this.#onState(state));
    on('welcome', (welcome) => this.#onWelcome(welcome));
    on('gap', (gap) => this.#onGap(gap));
    on('message', (message) => this.#onMessage(message));
    on('synced', () => (this.#synced = true));
    on('sent', (update) => this.#onSent(update));
    on('receipt', ({ participant, seq }) => this.#onReceipt(participant, seq));
    on('presence', ({ peer, online, last_seen }) => this.#onPresence(peer, online, last_seen));
    on('settled', ({ call_id, status, by }) => this.#timeline.settle(call_id, status, by));
    on('conversation', ({ conversation, change }) => {
      if (conversation.conversation_id === this.id && change === 'renamed') this.#title = conversation.title;
      this.#options.onConversations?.();
    });
    this.#link.start();
    for (const update of this.#link.outbox) this.#onSent(update);
    void this.#history.open();
    this.view.changed();
  }

  /** Closes the connection. Queued messages stay in the outbox. */
  async close(): Promise<void> {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.files.clear();
    await this.#link.close();
  }

  /** Tries to connect at once, or again after it was replaced by another tab. */
  reconnect(): void {
    if (this.#link.state.name === 'stopped') this.#link.start();
    else this.#link.reconnect();
  }

  /** Sends a text; it is kept until the relay has it. Null when it is on its way, else why it cannot be sent. */
  async sendText(content: string): Promise<Trouble | null> {
    return this.#send('text', { content });
  }

  /** Sends an image or a file that was uploaded before. */
  async sendFile(file: FileInfo, source: { name: string; type: string }): Promise<Trouble | null> {
    const { file_id, url, size } = file;
    if (source.type.startsWith('image/')) return this.#send('image', { url, file_id, alt: source.name });
    return this.#send('file', { file_id, name: source.name, mime_type: source.type, size });
  }

  /** Stores a file with the relay. @param onProgress gets a share of 0 to 1 */
  async upload(blob: Blob, onProgress: (share: number) => void): Promise<{ ok: true; file: FileInfo } | { ok: false; trouble: Trouble }> {
    try {
      const file = await this.#http.upload(this.id, blob, blob.type, (sent, total) => onProgress(total === 0 ? 0 : sent / total));
      this.files.put(file.file_id, blob);
      return { ok: true, file };
    } catch (error) {
      return { ok: false, trouble: troubleOf(error) };
    }
  }

  /** Answers a question, once: whatever is tapped after that is too late. */
  answer(call: Payloads['tool.call'], answer: Answer): Promise<Trouble | null> {
    return this.#send('tool.result', resultOf(call, answer));
  }

  /** Asks the agent to stop what it is doing. */
  cancelRun(): Promise<Trouble | null> {
    const runId = this.#status?.runId ?? this.#progress?.runId;
    return this.#send('run.cancel', runId ? { run_id: runId } : {});
  }

  /** Loads older messages. */
  loadOlder(): void {
    void this.#history.older();
  }

  /** Tries the history again after it could not be loaded. */
  loadHistory(): void {
    void this.#history.open();
  }

  /** Sends a message again that got no answer. */
  retry(id: string): void {
    this.#link.retry(id);
  }

  /** Takes back a message that the relay does not have. */
  discard(id: string): void {
    this.#link.discard(id);
    this.#timeline.discard(id);
    this.view.changed();
  }

  /** The user has seen everything up to the end. */
  markRead(): void {
    const last = this.#lastSeq();
    if (last <= this.#lastRead) return;
    this.#lastRead = last;
    this.#local.write(`read.${this.id}`, String(last));
    this.view.changed();
  }

  /** The text that was typed and not sent. */
  get draft(): string {
    return this.#local.read(`draft.${this.id}`) ?? '';
  }

  /** Keeps what was typed. */
  keepDraft(text: string): void {
    this.#local.write(`draft.${this.id}`, text === '' ? null : text);
  }

  async #send<
    T extends 'text' | 'image' | 'file' | 'tool.result' | 'tool.list' | 'run.cancel' | 'lineup.v1.client.inventory' | 'lineup.v1.app.result',
  >(type: T, payload: Payloads[T]): Promise<Trouble | null> {
    try {
      const { done } = await this.#link.send(type, payload);
      // How it ends is told by the `sent` event as well, and shown from there.
      done.catch(() => undefined);
      return null;
    } catch (error) {
      return troubleOf(error);
    }
  }

  #onState(state: ConnectionState): void {
    if (state.name === 'online') this.#wasOnline = true;
    if (state.name !== 'online') this.#synced = false;
    if (state.name === 'stopped' && state.reason !== 'closed') this.#options.onStopped?.(state.reason);
  }

  #onWelcome(welcome: Welcome): void {
    const agent = welcome.peers.find((peer) => peer.kind === 'agent');
    if (agent) this.#meet(agent);
    this.#title = welcome.conversation.title;
    this.#fileBytes = welcome.limits.max_file_bytes;
    this.#setStatus(welcome.status, null);
    if (this.#epoch !== welcome.epoch) {
      if (this.#epoch !== null) {
        this.#timeline.reset();
        this.#history.reset();
      }
      void this.#send('lineup.v1.client.inventory', INVENTORY);
    }
    this.#epoch = welcome.epoch;
    // Conversations may have been made or deleted while nobody was told.
    if (this.#wasOnline) this.#options.onConversations?.();
    void this.#history.open();
    if (!welcome.resumed && !welcome.gap) void this.#history.reach(welcome.head_seq);
  }

  #onGap(gap: ConnectionEvents['gap']): void {
    if (gap.oldest_seq > 1) this.#timeline.gap(gap.oldest_seq, new Date(this.#now()).toISOString());
  }

  #meet(peer: Peer): void {
    this.#agent = {
      id: peer.id,
      name: peer.name,
      online: peer.online,
      lastSeen: peer.last_seen,
      received: Math.max(peer.received ?? 0, this.#agent.received),
    };
  }

  #onMessage(message: Delivered): void {
    const ts = message.ts ?? new Date(this.#now()).toISOString();
    if (isMessage(message, 'text.delta')) this.#timeline.delta(message.payload as Delivered['payload'], message.sender, ts);
    else if (isMessage(message, 'status')) this.#setStatus(message.payload, this.#synced ? this.#now() : null);
    else if (isMessage(message, 'progress')) this.#setProgress(message.payload);
    else if (isMessage(message, 'tool.list')) void this.#send('tool.list', { tools: describeTools(OFFERED_TOOLS), reply_to: message.id });
    else this.#timeline.apply(message);
    if (message.settled !== undefined) return;
    if (isMessage(message, 'tool.call') && message.payload.arguments !== undefined) this.#onToolCall(message.payload);
    if (isMessage(message, 'lineup.v1.app.call')) this.#onAppCall(message.payload);
  }

  #onToolCall(call: Payloads['tool.call']): void {
    const decision = decide(call);
    if (decision.do === 'answer' && this.#timeline.isPending(call.call_id)) void this.#send('tool.result', decision.result);
  }

  /**
   * This version has no capabilities. Once the relay knows that (our inventory was acknowledged), it settles by itself what no device
   * declares (§6, 6): a call that comes through all the same is another device's to answer.
   */
  #onAppCall(call: Payloads['lineup.v1.app.call']): void {
    if (this.#local.read(`inventory.${this.id}`) === this.#declared || !this.#timeline.isPending(call.call_id)) return;
    const error = { code: 'unsupported_host', message: `This device cannot do ${call.capability}.` };
    void this.#send('lineup.v1.app.result', { call_id: call.call_id, status: 'unsupported', error });
  }

  #onSent({ entry, status }: SentUpdate): void {
    const { id, type, payload, created_at } = entry;
    switch (status.state) {
      case 'queued':
      case 'sending':
        this.#timeline.queue({ id, type, payload }, new Date(created_at).toISOString());
        break;
      case 'relayed':
        this.#timeline.acked(id, status.seq);
        if (type === 'lineup.v1.client.inventory') this.#local.write(`inventory.${this.id}`, this.#declared);
        break;
      case 'failed':
        // A message left over from before a reload is seen here for the first time.
        this.#timeline.queue({ id, type, payload }, new Date(created_at).toISOString());
        this.#timeline.failed(id, { code: status.retryable ? 'timeout' : status.code, message: status.message });
        break;
      case 'discarded':
        this.#timeline.discard(id);
        break;
    }
  }

  #onReceipt(participant: Participant, seq: number): void {
    if (participant.kind === 'agent' && seq > this.#agent.received) this.#agent = { ...this.#agent, received: seq };
  }

  #onPresence(peer: Participant, online: boolean, lastSeen: string | null): void {
    if (peer.kind !== 'agent') return;
    this.#agent = { ...this.#agent, online, lastSeen: lastSeen ?? this.#agent.lastSeen };
    if (online) return;
    this.#timeline.stall();
    this.#progress = null;
  }

  #setStatus(payload: unknown, since: number | null): void {
    const status = readStatus(payload);
    const same = status !== null && this.#status !== null && status.state === this.#status.state && status.runId === this.#status.runId;
    this.#status = status && { ...status, since: same ? (this.#status?.since ?? null) : since };
    if (status && status.state !== 'idle' && status.state !== 'error') return;
    this.#progress = null;
    this.#timeline.stall();
  }

  #setProgress(payload: Payloads['progress']): void {
    this.#progress = { runId: payload.run_id, percent: payload.percent ?? null, message: payload.message ?? null };
  }

  /** What is remembered of an acknowledged inventory: a device that was paired anew has to declare itself anew. */
  get #declared(): string {
    return `${this.me.id} ${INVENTORY.revision}`;
  }

  #lastSeq(): number {
    return this.#timeline.entries.reduce((last, entry) => Math.max(last, Math.floor(entry.seq ?? 0)), 0);
  }

  #look(): ConversationView {
    const entries = this.#timeline.entries;
    return {
      title: this.#title,
      link: linkView(this.#link.state),
      wasOnline: this.#wasOnline,
      agent: this.#agent,
      status: this.#status,
      progress: this.#progress,
      entries,
      open: this.#timeline.open.filter((entry) => entry.type === 'tool.call' && isQuestion(entry.payload as Payloads['tool.call'])),
      queued: entries.reduce((count, entry) => count + Number(entry.mine && entry.seq === null && entry.failure === null), 0),
      flowing: this.#timeline.flowing,
      history: this.#history.view,
      limits: { textCharacters: MAX_TEXT_CHARACTERS, fileBytes: this.#fileBytes },
      durable: this.#link.durable,
      unread: entries.reduce((count, entry) => count + Number(!entry.mine && (entry.seq ?? 0) > this.#lastRead), 0),
    };
  }
}

function isQuestion(call: Payloads['tool.call']): boolean {
  return call.arguments !== undefined && decide(call).do === 'ask';
}

function linkView(state: ConnectionState): LinkView {
  switch (state.name) {
    case 'idle':
    case 'connecting':
      return { name: 'connecting' };
    case 'syncing':
    case 'online':
      return { name: 'online' };
    case 'waiting':
      return { name: 'offline' };
    case 'stopped':
      return state.reason === 'closed' ? { name: 'connecting' } : { name: 'stopped', reason: state.reason };
  }
}

const STATES: readonly string[] = ['idle', 'thinking', 'working', 'waiting', 'error'] satisfies StatusView['state'][];

function readStatus(payload: unknown): Omit<StatusView, 'since'> | null {
  if (typeof payload !== 'object' || payload === null || !('state' in payload)) return null;
  const { state, detail, run_id } = payload as Payloads['status'];
  if (!STATES.includes(state)) return null;
  return { state, detail: detail ?? null, runId: run_id ?? null };
}
