/** One conversation: what client/core announces becomes a view, and what the user does goes out. The only place that knows both. */
import type { ConnectionEvents, ConnectionState, SentUpdate } from '../../core/connection-events.ts';
import type { Connection } from '../../core/connection.ts';
import { isMessage, type DurableType } from '../../core/frames.ts';
import type { RelayHttp } from '../../core/http.ts';
import type { Delivered, Participant } from '../../../src/protocol/envelope.ts';
import type { Welcome } from '../../../src/protocol/handshake.ts';
import type { FileInfo } from '../../../src/protocol/http.ts';
import { DEFAULT_LIMITS, MAX_TEXT_CHARACTERS } from '../../../src/protocol/limits.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { CanvasDoor } from '../canvas/canvas-door.ts';
import { callerOf } from '../capabilities/caller.ts';
import type { ConversationHost } from '../capabilities/host.ts';
import type { Entry } from '../model/entry.ts';
import { Timeline } from '../model/timeline.ts';
import { isQuestion, resultOf, type Answer } from '../model/tool-desk.ts';
import { SurfaceShelf } from '../surfaces/shelf.ts';
import { AgentWatch } from './agent-watch.ts';
import { linkView, type ConversationView, type LinkView } from './conversation-view.ts';
import { DeviceDesk } from './device-desk.ts';
import { FileShelf } from './files.ts';
import { History } from './history.ts';
import type { LocalStore } from './local-store.ts';
import { nextFrame, Observable, type Schedule } from './observable.ts';
import { troubleOf, type Trouble } from './trouble.ts';

/** The part of a connection that is used here, so that a scripted one can stand in for it. */
export type Link = Pick<Connection, 'on' | 'state' | 'outbox' | 'durable' | 'start' | 'reconnect' | 'close' | 'send' | 'retry' | 'discard'>;

/** The HTTP calls that are used here. */
export type ConversationHttp = Pick<RelayHttp, 'history' | 'upload' | 'download'>;

export interface ConversationOptions {
  conversationId: string;
  /** This device. */
  me: Participant;
  agent: { id: string; name: string };
  /** Relay and agent: what the user decides about an agent is filed under it. */
  agentKey: string;
  /** What this device declares, and where calls of its capabilities go. */
  host: ConversationHost;
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
  readonly surfaces: SurfaceShelf;
  readonly canvas: CanvasDoor;
  readonly #link: Link;
  readonly #http: ConversationHttp;
  readonly #local: LocalStore;
  readonly #options: ConversationOptions;
  readonly #now: () => number;
  readonly #timeline: Timeline;
  readonly #history: History;
  readonly #unlisten: (() => void)[] = [];
  readonly #agent: AgentWatch;
  readonly #desk: DeviceDesk;
  #title: string | null;
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
    this.#lastRead = Number(this.#local.read(`read.${this.id}`) ?? 0);
    const timeline = new Timeline(options.me);
    this.#timeline = timeline;
    this.#agent = new AgentWatch(options.agent, () => timeline.stall());
    this.#desk = new DeviceDesk({
      me: options.me,
      local: options.local,
      host: options.host,
      send: (type, payload) => void this.#send(type, payload),
      discard: (id) => this.#link.discard(id),
      draw: (call) => this.canvas.take(call),
      caller: callerOf({
        conversationId: options.conversationId,
        agent: options.agentKey,
        agentName: () => this.#agent.agent.name,
        isPending: (callId) => timeline.isPending(callId),
        upload: (file, onProgress) => this.upload(file, onProgress),
        download: (fileId) => this.#http.download(this.id, fileId),
        send: (type, payload) => this.#send(type, payload),
      }),
    });
    this.canvas = new CanvasDoor({
      conversationId: options.conversationId,
      owner: `${options.agentKey} ${options.conversationId}`,
      local: options.local,
      isPending: (callId) => timeline.isPending(callId),
      send: (result) => void this.#send('tool.result', result),
    });
    this.files = new FileShelf((fileId) => this.#http.download(this.id, fileId));
    this.surfaces = new SurfaceShelf((payload) => void this.#send('lineup.v1.ui.event', payload), options.schedule ?? nextFrame);
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
    on('receipt', ({ participant, seq }) => this.#agent.receipt(participant, seq));
    on('presence', ({ peer, online, last_seen }) => this.#agent.presence(peer, online, last_seen));
    on('settled', ({ call_id, status, by }) => {
      this.#timeline.settle(call_id, status, by);
      this.#desk.settled(call_id);
      if (!('id' in by && by.id === this.me.id)) this.canvas.lost(call_id);
    });
    on('conversation', ({ conversation, change }) => {
      if (conversation.conversation_id === this.id && change === 'renamed') this.#title = conversation.title;
      this.#options.onConversations?.();
    });
    this.#unlisten.push(this.#desk.declareChanges(() => this.#link.state.name === 'online'));
    this.#link.start();
    for (const update of this.#link.outbox) this.#onSent(update);
    this.canvas.restore();
    void this.#history.open();
    this.view.changed();
  }

  /** Closes the connection. Queued messages stay in the outbox. */
  async close(): Promise<void> {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.files.clear();
    this.#desk.close();
    await this.#link.close();
  }

  /** Tries to connect at once, or again after it was replaced by another tab. */
  reconnect(): void {
    if (this.#link.state.name === 'stopped') this.#link.start();
    else this.#link.reconnect();
  }

  /**
   * Sends a text; it is kept until the relay has it. Null when it is on its way, else why it cannot be sent.
   * @param replyTo the id of the message that it answers
   */
  async sendText(content: string, replyTo?: string): Promise<Trouble | null> {
    return this.#send('text', { content, ...(replyTo !== undefined && { reply_to: replyTo }) });
  }

  /** Sends what the relay refused once more, as a new message. */
  async resend({ id, type, payload }: Entry): Promise<Trouble | null> {
    this.discard(id);
    return this.#send(type as DurableType, payload as Payloads[DurableType]);
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
    const { runId } = this.#agent;
    return this.#send('run.cancel', runId === null ? {} : { run_id: runId });
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

  async #send<T extends DurableType>(type: T, payload: Payloads[T]): Promise<Trouble | null> {
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
    this.#agent.welcome(welcome.peers, welcome.status);
    this.surfaces.welcome(welcome.surfaces);
    this.#title = welcome.conversation.title;
    this.#fileBytes = welcome.limits.max_file_bytes;
    if (this.#epoch !== welcome.epoch) {
      if (this.#epoch !== null) {
        this.#timeline.reset();
        this.#history.reset();
      }
    }
    this.#desk.declare();
    this.#desk.pending(welcome.pending_calls);
    this.#epoch = welcome.epoch;
    // Conversations may have been made or deleted while nobody was told.
    if (this.#wasOnline) this.#options.onConversations?.();
    void this.#history.open();
    if (!welcome.resumed && !welcome.gap) void this.#history.reach(welcome.head_seq);
  }

  #onGap(gap: ConnectionEvents['gap']): void {
    if (gap.oldest_seq > 1) this.#timeline.gap(gap.oldest_seq, new Date(this.#now()).toISOString());
  }

  #onMessage(message: Delivered): void {
    const ts = message.ts ?? new Date(this.#now()).toISOString();
    if (isMessage(message, 'text.delta')) this.#timeline.delta(message.payload as Delivered['payload'], message.sender, ts);
    else if (isMessage(message, 'status')) this.#agent.setStatus(message.payload, this.#synced ? this.#now() : null);
    else if (isMessage(message, 'progress')) this.#agent.setProgress(message.payload);
    else this.#timeline.apply(message);
    this.surfaces.take(message, this.#synced);
    this.#desk.take(message);
  }

  #onSent({ entry, status }: SentUpdate): void {
    const { id, type, payload, created_at } = entry;
    this.surfaces.sending(type, payload);
    switch (status.state) {
      case 'queued':
      case 'sending':
        this.#timeline.queue({ id, type, payload }, new Date(created_at).toISOString());
        this.#desk.queued(id, type, payload);
        break;
      case 'relayed':
        this.#timeline.acked(id, status.seq);
        this.#desk.relayed(type, payload);
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

  #lastSeq(): number {
    return this.#timeline.entries.reduce((last, entry) => Math.max(last, Math.floor(entry.seq ?? 0)), 0);
  }

  #look(): ConversationView {
    const entries = this.#timeline.entries;
    return {
      title: this.#title,
      link: linkView(this.#link.state),
      wasOnline: this.#wasOnline,
      agent: this.#agent.agent,
      status: this.#agent.status,
      progress: this.#agent.progress,
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
