/** One conversation of an agent: takes what comes, one piece of work after the other, and hands it to the agent's handlers. */
import type { Delivered, Participant } from '../../src/protocol/envelope.ts';
import type { ConversationChange } from '../../src/protocol/handshake.ts';
import type { FileInfo } from '../../src/protocol/http.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import type { Connection, SendOptions, Sent } from '../core/connection.ts';
import type { ConnectionState, SentUpdate, StopReason } from '../core/connection-events.ts';
import { UnsendableError } from '../core/errors.ts';
import { isMessage, type DurableType, type Message } from '../core/frames.ts';
import { randomId } from '../core/random-id.ts';
import type { CallEnding, CallMemory } from './call-memory.ts';
import { Calls, type CallRequest } from './calls.ts';
import { Chat, type ChatGround } from './chat.ts';
import { Devices } from './devices.ts';
import type { HandledMemory } from './handled-memory.ts';
import { Run } from './run.ts';
import { RunQueue, sentence, type Work } from './run-queue.ts';
import type { TextStream } from './text-stream.ts';

/** The part of a connection that an agent uses. */
export type AgentConnection = Pick<Connection, 'on' | 'start' | 'close' | 'send' | 'sendNow' | 'discard'>;

/** A device that was just paired. */
export interface NewDevice {
  id: string;
  name: string;
}

/** What an agent does with what comes. */
export interface Handlers {
  text?: (chat: Chat, message: Message<'text'>) => Promise<unknown> | void;
  image?: (chat: Chat, message: Message<'image'>) => Promise<unknown> | void;
  file?: (chat: Chat, message: Message<'file'>) => Promise<unknown> | void;
  uiEvent?: (chat: Chat, message: Message<'lineup.v1.ui.event'>) => Promise<unknown> | void;
  paired?: (chat: Chat, device: NewDevice) => Promise<unknown> | void;
}

/** What a conversation is made of. */
export interface AgentConversationParts {
  id: string;
  self: Participant;
  /** Makes the connection; `process` gets every new message, and its promise holds the stored cursor back. */
  connect: (process: (frame: Delivered) => Promise<void>) => AgentConnection;
  upload: (content: Uint8Array<ArrayBuffer>, mimeType: string) => Promise<FileInfo>;
  download: (fileId: string) => Promise<Blob>;
  calls: CallMemory;
  handled: HandledMemory;
  /** No earlier process left a cursor: the log comes from its beginning, and most of it was answered long ago. */
  isCatchingUp: boolean;
  handlers: Handlers;
  /** Only here new devices are greeted; every conversation hears of them. */
  isHome: () => boolean;
  on: {
    state: (state: ConnectionState) => void;
    welcome: () => void;
    conversation: (conversationId: string, change: ConversationChange) => void;
    stopped: (reason: StopReason) => void;
    /** Something failed that the user cannot see; one sentence without any content. */
    problem: (problem: string) => void;
  };
}

/** Refusals that only say: this was sent before. */
const SAID_BEFORE: ReadonlySet<string> = new Set(['id_conflict', 'call_id_conflict']);

/** The work of an agent in one conversation. */
export class AgentConversation {
  readonly #parts: AgentConversationParts;
  readonly #connection: AgentConnection;
  readonly #devices = new Devices();
  readonly #queue: RunQueue;
  readonly #streams = new Set<TextStream>();
  /** What came during the first catch-up and still waits to be judged. */
  #backlog: { frame: Delivered; begin: () => void; skip: () => void }[] | null;
  readonly #calls: Calls;
  /** The seqs of messages whose handling has begun and not ended. */
  readonly #unhandled = new Set<number>();
  #status: Sent | null = null;

  constructor(parts: AgentConversationParts) {
    this.#parts = parts;
    this.#backlog = parts.isCatchingUp ? [] : null;
    this.#connection = parts.connect((frame) => this.#process(frame));
    this.#calls = new Calls({
      memory: parts.calls,
      send: (callId, { type, payload, device }) => this.#send(type, payload as never, { id: callId, ...(device !== undefined && at(device)) }),
      cancel: (callId, { type, device }) => {
        const cancelType = type === 'tool.call' ? 'tool.cancel' : 'lineup.v1.app.cancel';
        return this.#send(cancelType, { call_id: callId }, { id: randomId('cancel'), ...(device !== undefined && at(device)) });
      },
      problem: parts.on.problem,
    });
    this.#queue = new RunQueue({
      chat: (run, target) => new Chat(this.#ground(), run, target),
      setState: (state, run) => this.#setState(state, run),
      problem: parts.on.problem,
    });
    this.#listen();
  }

  get id(): string {
    return this.#parts.id;
  }

  start(): void {
    this.#connection.start();
  }

  /** Ends the work that is being done, to be done again by the next process, and the connection. */
  async close(): Promise<void> {
    await this.#queue.close();
    await this.#connection.close();
  }

  #listen(): void {
    const { on } = this.#parts;
    const connection = this.#connection;
    connection.on('state', (state) => {
      on.state(state);
      if (state.name === 'stopped') on.stopped(state.reason);
    });
    connection.on('welcome', (welcome) => {
      this.#devices.welcome(welcome.peers);
      for (const stream of this.#streams) stream.startOver();
      on.welcome();
    });
    connection.on('synced', () => this.#catchUp());
    connection.on('presence', ({ peer, online }) => {
      this.#devices.presence(peer.id, online);
      if (online) for (const stream of this.#streams) stream.startOver();
    });
    connection.on('paired', ({ device }) => {
      this.#devices.paired(device.device_id, device.name);
      if (this.#parts.isHome()) void this.#greet({ id: device.device_id, name: device.name });
    });
    connection.on('revoked', ({ device }) => this.#devices.revoked(device.device_id));
    connection.on('conversation', ({ conversation, change }) => on.conversation(conversation.conversation_id, change));
    connection.on('sent', (update) => this.#sent(update));
    connection.on('refused', ({ code, message }) => on.problem(`the relay refused a frame: ${code}, ${message}`));
    connection.on('storage', ({ store, error }) =>
      on.problem(`the ${store} cannot be stored, and is lost when this process ends: ${sentence(error)}`),
    );
    connection.on('fault', ({ error, during }) => on.problem(`${during}: ${sentence(error)}`));
  }

  #process(frame: Delivered): Promise<void> {
    if (frame.sender.kind === 'agent') {
      // Said by an earlier process that left no memory: whatever came before was answered.
      if (frame.sender.id === this.#parts.self.id) for (const waiting of this.#backlog?.splice(0) ?? []) waiting.skip();
      return Promise.resolve();
    }
    if (isMessage(frame, 'tool.list')) {
      this.#devices.toolList(frame);
      return Promise.resolve();
    }
    if (frame.type === 'lineup.v1.client.inventory' || frame.type === 'lineup.v1.app.list') {
      this.#devices.declared(frame);
      return Promise.resolve();
    }
    if (isMessage(frame, 'tool.result') || isMessage(frame, 'lineup.v1.app.result')) return this.#settle(frame);
    if (!this.#backlog) return this.#take(frame);
    const backlog = this.#backlog;
    return new Promise((resolve) => {
      backlog.push({ frame, begin: () => resolve(this.#take(frame)), skip: resolve });
    });
  }

  #catchUp(): void {
    const backlog = this.#backlog ?? [];
    this.#backlog = null;
    for (const { begin } of backlog) begin();
  }

  #take(frame: Delivered): Promise<void> {
    if (isMessage(frame, 'run.cancel')) {
      this.#queue.stop(frame.payload.run_id, frame.seq ?? 0);
      return Promise.resolve();
    }
    const work = this.#workFor(frame);
    if (!work) return Promise.resolve();
    return this.#handle(causeOf(frame), frame.seq ?? 0, work);
  }

  async #handle(cause: string, seq: number, work: Work): Promise<void> {
    const { handled, calls, on } = this.#parts;
    if (handled.has(cause)) return;
    const run = new Run(cause, seq);
    this.#unhandled.add(seq);
    await this.#queue.begin(run, work);
    this.#unhandled.delete(seq);
    try {
      await handled.add(cause, seq, Math.min(...this.#unhandled));
      await calls.delete(run.callIds);
    } catch (error) {
      on.problem(`what is done cannot be stored: ${sentence(error)}`);
    }
  }

  #workFor(frame: Delivered): Work | null {
    const { text, image, file, uiEvent } = this.#parts.handlers;
    // Of a sealed message this agent can read nothing.
    if (frame.payload.sealed !== undefined) return null;
    if (text && isMessage(frame, 'text')) return (chat) => text(chat, frame);
    if (image && isMessage(frame, 'image')) return (chat) => image(chat, frame);
    if (file && isMessage(frame, 'file')) return (chat) => file(chat, frame);
    if (uiEvent && isMessage(frame, 'lineup.v1.ui.event')) return (chat) => uiEvent(chat, frame);
    return null;
  }

  async #settle({ sender, payload }: Message<'tool.result'> | Message<'lineup.v1.app.result'>): Promise<void> {
    try {
      await this.#calls.settle(payload.call_id, { payload: payload as JsonObject, ...(sender.kind === 'app' && { by: sender.id }) });
    } catch (error) {
      this.#parts.on.problem(`an answer cannot be stored: ${sentence(error)}`);
    }
  }

  #greet(device: NewDevice): Promise<void> {
    const { paired } = this.#parts.handlers;
    if (!paired) return Promise.resolve();
    return this.#queue.begin(new Run(`paired ${device.id}`, 0), (chat) => paired(chat, device), { kind: 'app', id: device.id });
  }

  #ground(): ChatGround {
    return {
      conversationId: this.#parts.id,
      send: (type, payload, options) => this.#send(type, payload, options),
      sendNow: (type, payload) => this.#connection.sendNow(type, payload),
      devices: this.#devices,
      call: (request, run) => this.#call(request, run),
      streams: this.#streams,
      upload: this.#parts.upload,
      download: this.#parts.download,
      setState: (state, run, detail) => this.#setState(state, run, detail),
    };
  }

  /** Work of the agent's own, which no message has asked for. */
  outside<T>(work: (chat: Chat) => Promise<T>): Promise<T> {
    return this.#queue.beside(new Run(randomId('own'), 0), work);
  }

  async #call(request: CallRequest, run: Run): Promise<CallEnding> {
    await this.#setState('waiting', run);
    const ending = await this.#queue.aside(run, this.#calls.call(request, run.signal));
    await this.#setState('working', run);
    return ending;
  }

  async #send<T extends DurableType>(type: T, payload: Payloads[T], options: SendOptions): Promise<void> {
    try {
      await this.#connection.send(type, payload, options);
    } catch (error) {
      // What an earlier process said under this id is still on its way, and stands.
      if (!(error instanceof UnsendableError && SAID_BEFORE.has(error.code))) throw error;
    }
  }

  /** Only the latest state counts: one that still waits for the network gives way. */
  async #setState(state: Payloads['status']['state'], run: Run, detail?: string): Promise<void> {
    if (this.#status) this.#connection.discard(this.#status.id);
    run.hasTold = true;
    const status = await this.#connection.send('status', { state, run_id: run.id, ...(detail !== undefined && { detail }) });
    this.#status = status;
    const settled = () => {
      if (this.#status === status) this.#status = null;
    };
    status.done.then(settled, settled);
  }

  #sent({ entry, status }: SentUpdate): void {
    if (status.state !== 'failed' || status.retryable) return;
    const isCall = entry.type === 'tool.call' || entry.type === 'lineup.v1.app.call';
    if (SAID_BEFORE.has(status.code) && !isCall) return;
    this.#parts.on.problem(`the relay refused a ${entry.type}: ${status.code}, ${status.message}`);
    if (!isCall) return;
    // A question that could not be asked is answered too, or whoever asked would wait for ever.
    const error = { code: status.code, message: status.message };
    this.#calls
      .settle(String(entry.payload.call_id), { payload: entry.type === 'tool.call' ? { error } : { status: 'failed', error } })
      .catch((reason: unknown) => this.#parts.on.problem(`an answer cannot be stored: ${sentence(reason)}`));
  }
}

/** To one device alone. */
function at(device: string): SendOptions {
  return { target: { kind: 'app', id: device } };
}

function causeOf(frame: Delivered): string {
  return `${frame.sender.kind} ${'id' in frame.sender ? frame.sender.id : ''} ${frame.id}`;
}
