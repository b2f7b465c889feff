/** One conversation: what client/core announces becomes a view, and what the user does goes out. The only place that knows both. */
import type { ConnectionEvents, ConnectionState, SentUpdate } from '../../core/connection-events.ts';
import { isMessage } from '../../core/frames.ts';
import type { Delivered, Participant } from '../../../src/protocol/envelope.ts';
import type { Welcome } from '../../../src/protocol/handshake.ts';
import { DEFAULT_LIMITS, MAX_TEXT_CHARACTERS } from '../../../src/protocol/limits.ts';
import { CanvasDoor } from '../canvas/canvas-door.ts';
import { callerOf } from '../capabilities/caller.ts';
import { Attachments } from '../composer/attachments.ts';
import { isQueued } from '../model/entry.ts';
import { needsOf, questionsOf, steady, type Need } from '../model/need.ts';
import { Timeline } from '../model/timeline.ts';
import { unreadOf } from '../model/unread.ts';
import { AskingSurfaces } from '../surfaces/asking.ts';
import { SurfaceShelf } from '../surfaces/shelf.ts';
import { AgentWatch } from './agent-watch.ts';
import type { ConversationOptions, Link } from './conversation-options.ts';
import { linkView, type ConversationView } from './conversation-view.ts';
import { DeviceDesk } from './device-desk.ts';
import { Draft } from './draft.ts';
import { FileShelf } from './files.ts';
import { History, type LoadPage } from './history.ts';
import { KnownDevices } from './known-devices.ts';
import { nextFrame, Observable } from './observable.ts';
import { Outgoing } from './outgoing.ts';
import { ReadMark } from './read-mark.ts';

/** See the file's head. Lives from {@link start} to {@link close}. */
export class ConversationStore {
  readonly id: string;
  readonly me: Participant;
  readonly view: Observable<ConversationView>;
  readonly files: FileShelf;
  readonly surfaces: SurfaceShelf;
  readonly canvas: CanvasDoor;
  /** Any page of the history, for whoever wants more of it than is on the screen. */
  readonly readPage: LoadPage;
  /** What the user does goes this way. */
  readonly outgoing: Outgoing;
  readonly devices: KnownDevices;
  readonly draft: Draft;
  readonly attachments: Attachments;
  readonly #link: Link;
  readonly #options: ConversationOptions;
  readonly #now: () => number;
  readonly #timeline: Timeline;
  readonly #history: History;
  readonly #unlisten: (() => void)[] = [];
  readonly #agent: AgentWatch;
  readonly #desk: DeviceDesk;
  readonly #asking: AskingSurfaces;
  readonly #read: ReadMark;
  #title: string | null;
  #wasOnline = false;
  #synced = false;
  #epoch: string | null = null;
  /** The highest seq that this device heard of. */
  #head = 0;
  #fileBytes = DEFAULT_LIMITS.max_file_bytes;
  #needs: readonly Need[] = [];

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.id = options.conversationId;
    this.me = options.me;
    const { http, link } = options;
    this.#link = link;
    this.#now = options.now ?? Date.now;
    this.#title = options.title;
    this.#read = new ReadMark(options.local, this.id);
    this.draft = new Draft(options.local, this.id);
    this.devices = new KnownDevices(options.local, options.agentKey);
    this.files = new FileShelf((fileId) => http.download(this.id, fileId));
    const timeline = new Timeline(options.me);
    this.#timeline = timeline;
    this.#agent = new AgentWatch(options.agent, () => timeline.stall());
    const outgoing = new Outgoing({
      conversationId: this.id,
      link,
      http,
      files: this.files,
      runId: () => this.#agent.runId,
      discarded: (id) => {
        timeline.discard(id);
        this.view.changed();
      },
    });
    this.outgoing = outgoing;
    this.#desk = new DeviceDesk({
      me: options.me,
      local: options.local,
      host: options.host,
      send: (type, payload) => void outgoing.send(type, payload),
      discard: (id) => this.#link.discard(id),
      draw: (call) => this.canvas.take(call),
      caller: callerOf({
        conversationId: options.conversationId,
        agent: options.agentKey,
        agentName: () => this.#agent.agent.name,
        isPending: (callId) => timeline.isPending(callId),
        upload: (file, onProgress) => outgoing.upload(file, onProgress),
        download: (fileId) => http.download(this.id, fileId),
        send: (type, payload) => outgoing.send(type, payload),
      }),
    });
    this.canvas = new CanvasDoor({
      conversationId: options.conversationId,
      owner: `${options.agentKey} ${options.conversationId}`,
      local: options.local,
      isPending: (callId) => timeline.isPending(callId),
      send: (result) => void outgoing.send('tool.result', result),
    });
    const schedule = options.schedule ?? nextFrame;
    this.attachments = new Attachments({
      upload: (file, onProgress) => outgoing.upload(file, onProgress),
      limit: () => this.#fileBytes,
      schedule,
    });
    this.surfaces = new SurfaceShelf((payload) => void outgoing.send('lineup.v1.ui.event', payload), schedule);
    this.#asking = new AskingSurfaces(this.surfaces, options.agent.id, schedule);
    this.readPage = (query) => http.history(this.id, query);
    this.#history = new History(
      this.readPage,
      (messages) => messages.forEach((message) => timeline.apply(message)),
      () => this.view.changed(),
    );
    this.view = new Observable(() => this.#look(), schedule);
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
      this.#timeline.settle(call_id, status, by, new Date(this.#now()).toISOString());
      this.#desk.settled(call_id);
      if (!('id' in by && by.id === this.me.id)) this.canvas.lost(call_id);
    });
    on('paired', ({ device }) => this.devices.learn(device.device_id, device.name));
    on('conversation', ({ conversation, change }) => {
      if (conversation.conversation_id === this.id && change === 'renamed') this.#title = conversation.title;
      this.#options.onConversations?.();
    });
    this.#unlisten.push(
      this.#desk.declareChanges(() => this.#link.state.name === 'online'),
      this.#desk.followQuestions(() => this.view.changed()),
      this.#asking.start(),
      this.#asking.view.subscribe(() => this.view.changed()),
    );
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
    this.attachments.clear();
    this.#desk.close();
    await this.#link.close();
  }

  /** Tries to connect at once, or again after it was replaced by another tab. */
  reconnect(): void {
    if (this.#link.state.name === 'stopped') this.#link.start();
    else this.#link.reconnect();
  }

  /** Loads older messages. */
  loadOlder(): void {
    void this.#history.older();
  }

  /** Tries the history again after it could not be loaded. */
  loadHistory(): void {
    void this.#history.open();
  }

  /** The user has seen everything up to the end. */
  markRead(): void {
    const last = this.#timeline.entries.reduce((highest, entry) => Math.max(highest, Math.floor(entry.seq ?? 0)), 0);
    // What has no place on the screen, such as a result, is read with the rest.
    if (this.#read.advance(Math.max(last, this.#synced ? this.#head : 0))) this.view.changed();
  }

  /** Whether everything up to `seq` was read on this device. */
  hasRead(seq: number): boolean {
    return seq <= (this.#read.seq ?? 0);
  }

  #onState(state: ConnectionState): void {
    if (state.name === 'online') {
      this.#wasOnline = true;
      this.attachments.online();
    }
    if (state.name !== 'online') this.#synced = false;
    if (state.name === 'stopped' && state.reason !== 'closed') this.#options.onStopped?.(state.reason);
  }

  #onWelcome(welcome: Welcome): void {
    this.#agent.welcome(welcome.peers, welcome.status);
    this.surfaces.welcome(welcome.surfaces);
    this.#title = welcome.conversation.title;
    this.#fileBytes = welcome.limits.max_file_bytes;
    if (this.#epoch !== null && this.#epoch !== welcome.epoch) {
      this.#timeline.reset();
      this.#history.reset();
    }
    this.#read.belongsTo(welcome.epoch);
    this.#desk.declare();
    this.#desk.pending(welcome.pending_calls);
    const over = this.#timeline.waiting(welcome.pending_calls, welcome.head_seq);
    if (over.length > 0) void this.#history.again(over);
    this.#epoch = welcome.epoch;
    this.#head = welcome.head_seq;
    // Conversations may have been made or deleted while nobody was told.
    if (this.#wasOnline) this.#options.onConversations?.();
    void this.#history.open();
    if (!welcome.resumed && !welcome.gap) void this.#history.reach(welcome.head_seq);
  }

  #onGap(gap: ConnectionEvents['gap']): void {
    if (gap.oldest_seq > 1) this.#timeline.gap(gap.oldest_seq, new Date(this.#now()).toISOString());
  }

  #onMessage(message: Delivered): void {
    this.#head = Math.max(this.#head, message.seq ?? 0);
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
        this.#head = Math.max(this.#head, status.seq ?? 0);
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

  #look(): ConversationView {
    const { entries, open } = this.#timeline;
    const history = this.#history.view;
    this.#needs = steady(this.#needs, needsOf(open, this.#desk.questions, this.#asking.view.get()));
    return {
      title: this.#title,
      link: linkView(this.#link.state),
      wasOnline: this.#wasOnline,
      agent: this.#agent.agent,
      status: this.#agent.status,
      progress: this.#agent.progress,
      entries,
      needs: this.#needs,
      open: questionsOf(open),
      queued: entries.reduce((count, entry) => count + Number(isQueued(entry)), 0),
      flowing: this.#timeline.flowing,
      history,
      limits: { textCharacters: MAX_TEXT_CHARACTERS, fileBytes: this.#fileBytes },
      durable: this.#link.durable,
      unread: unreadOf(entries, this.#read.seq ?? 0, history.hasOlder),
      synced: this.#synced,
    };
  }
}
