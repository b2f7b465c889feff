/** The conversations of an agent as a bridge needs them: beside what a handler's chat does, calls whose answer is awaited in the middle of a run. */
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { Connection } from '../../core/connection.ts';
import type { ConnectionOptions } from '../../core/connection-options.ts';
import { isMessage, type DurableType, type EphemeralType } from '../../core/frames.ts';
import { RelayHttp } from '../../core/http.ts';
import { randomId } from '../../core/random-id.ts';
import type { AgentConnection } from '../agent-conversation.ts';
import { Deferred } from '../deferred.ts';
import { Devices, type Device } from '../devices.ts';

/** How long devices may take to say which tools they have, in ms. */
const TOOLS_DEADLINE_MS = 3_000;

/** How a call ended: the part of a `tool.result` that says so. */
export type CallEnding = Pick<Payloads['tool.result'], 'result' | 'error'>;

/** What a device is called with. */
export interface ToolRequest {
  name: string;
  action?: string;
  arguments: JsonObject;
}

/** How a call is made. */
export interface CallOptions {
  /** Aborted: the call is taken back and ends as cancelled. */
  signal?: AbortSignal;
  /** Default: whichever device answers first. */
  deviceId?: string;
  /** Hears of `tool.progress`. */
  onProgress?: (progress: Payloads['tool.progress']) => void;
}

/** What is told beside what the agent's handlers get. */
export interface Watch {
  /** The user pressed stop. */
  cancelled?: (conversationId: string) => void;
  /** A device came or went. */
  presence?: (conversationId: string, deviceId: string, online: boolean) => void;
}

interface Line {
  connection: AgentConnection;
  options: ConnectionOptions;
  http: RelayHttp;
  devices: Devices;
}

interface Pending {
  conversationId: string;
  settle: (ending: CallEnding) => void;
  onProgress?: (progress: Payloads['tool.progress']) => void;
}

/**
 * Every open conversation of one agent. Give {@link connect} to the agent as its `connect`.
 *
 * A call waits in this process's memory. What an earlier process had asked is settled as cancelled at the first connection, since whoever
 * waited for it is gone.
 */
export class ConversationLines {
  readonly #lines = new Map<string, Line>();
  readonly #pending = new Map<string, Pending>();
  readonly #make: (options: ConnectionOptions) => AgentConnection;

  readonly #watch: Watch;

  /** @param make default: the real {@link Connection} */
  constructor(watch: Watch = {}, make: (options: ConnectionOptions) => AgentConnection = (options) => new Connection(options)) {
    this.#watch = watch;
    this.#make = make;
  }

  /** Makes the connection of one conversation. */
  connect = (options: ConnectionOptions): AgentConnection => {
    const connection = this.#make({ ...options, hello: { ...options.hello, cancel_pending: true } });
    const { relay: origin, credentials, fetch } = options;
    // An agent's credentials always hold a token; a relay that gets an empty one says what is wrong.
    const http = new RelayHttp({ origin, token: async () => (await credentials.load()) ?? '', ...(fetch && { fetch }) });
    const devices = new Devices();
    this.#lines.set(options.conversationId, { connection, options, http, devices });
    connection.on('welcome', (welcome) => devices.welcome(welcome.peers));
    connection.on('presence', ({ peer, online }) => {
      devices.presence(peer.id, online);
      this.#watch.presence?.(options.conversationId, peer.id, online);
    });
    connection.on('paired', ({ device }) => devices.paired(device.device_id, device.name));
    connection.on('revoked', ({ device }) => devices.revoked(device.device_id));
    connection.on('message', (frame) => {
      if (isMessage(frame, 'run.cancel')) this.#watch.cancelled?.(options.conversationId);
      if (isMessage(frame, 'tool.list')) devices.toolList(frame);
      if (isMessage(frame, 'tool.result')) this.#pending.get(frame.payload.call_id)?.settle(frame.payload);
      if (isMessage(frame, 'tool.progress')) this.#pending.get(frame.payload.call_id)?.onProgress?.(frame.payload);
    });
    connection.on('state', (state) => {
      if (state.name !== 'stopped' || this.#lines.get(options.conversationId)?.connection !== connection) return;
      this.#lines.delete(options.conversationId);
      for (const pending of this.#pending.values()) if (pending.conversationId === options.conversationId) pending.settle(NO_CONVERSATION);
    });
    return connection;
  };

  /** The ids of the open conversations, the oldest first. */
  get conversationIds(): string[] {
    return [...this.#lines.keys()];
  }

  /** The HTTP side of the agent; undefined before the first conversation is open. */
  get http(): RelayHttp | undefined {
    return this.#lines.values().next().value?.http;
  }

  /**
   * Calls a tool of the devices and waits for its end, whatever the network does meanwhile.
   * Never rejects: what goes wrong is an ending with an error.
   */
  async call(conversationId: string, request: ToolRequest, { signal, deviceId, onProgress }: CallOptions = {}): Promise<CallEnding> {
    if (signal?.aborted) return CANCELLED;
    const line = this.#lines.get(conversationId);
    if (!line) return NO_CONVERSATION;
    const callId = randomId('call');
    const { promise, resolve } = new Deferred<CallEnding>();
    this.#pending.set(callId, { conversationId, settle: resolve, ...(onProgress && { onProgress }) });
    const cancel = () => {
      resolve(CANCELLED);
      // A call that was settled at the same moment refuses this, and nobody needs to know.
      line.connection.send('tool.cancel', { call_id: callId }).catch(() => undefined);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const target = deviceId === undefined ? {} : { target: { kind: 'app' as const, id: deviceId } };
      const sent = await line.connection.send('tool.call', { ...request, call_id: callId }, { id: callId, ...target });
      sent.done.catch((error: unknown) => resolve(failed(error)));
      return await promise;
    } catch (error) {
      return failed(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#pending.delete(callId);
    }
  }

  /** Puts a message into the outbox. Returns a promise of the relay's acknowledgement; false: it was refused, or the conversation is not open. */
  async send<T extends DurableType>(
    conversationId: string,
    type: T,
    payload: Payloads[T],
    id = randomId('m'),
  ): Promise<{ id: string; arrived: Promise<boolean> }> {
    const line = this.#lines.get(conversationId);
    if (!line) return { id, arrived: Promise.resolve(false) };
    const { done } = await line.connection.send(type, payload, { id });
    return {
      id,
      arrived: done.then(
        () => true,
        () => false,
      ),
    };
  }

  /** Tells something to whoever is there now. */
  sendNow<T extends EphemeralType>(conversationId: string, type: T, payload: Payloads[T]): void {
    this.#lines.get(conversationId)?.connection.sendNow(type, payload);
  }

  /** The devices of a conversation, with the tools that each has told of. */
  devices(conversationId: string): Device[] {
    return this.#lines.get(conversationId)?.devices.list() ?? [];
  }

  /** Asks the devices which tools they have; those that are online have a few seconds for it. */
  async askTools(conversationId: string, signal: AbortSignal): Promise<Device[]> {
    const line = this.#lines.get(conversationId);
    if (!line) return [];
    return line.devices.askAll(() => line.connection.send('tool.list', {}), TOOLS_DEADLINE_MS, signal);
  }

  /** The content of an image or a file that a device sent. */
  async download(conversationId: string, fileId: string): Promise<Blob> {
    const line = this.#lines.get(conversationId);
    if (!line) throw new Error('the conversation is not open');
    return line.http.download(conversationId, fileId);
  }
}

const CANCELLED: CallEnding = { error: { code: 'cancelled', message: 'The call was taken back.' } };
const NO_CONVERSATION: CallEnding = { error: { code: 'not_found', message: 'There is no open conversation to ask in.' } };

function failed(error: unknown): CallEnding {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'internal';
  return { error: { code, message: error instanceof Error ? error.message : String(error) } };
}
