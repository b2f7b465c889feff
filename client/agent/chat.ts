/** What a handler of an agent talks through: everything that it can say, show and ask in one conversation, while it handles one message. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '../../src/protocol/envelope.ts';
import type { FileInfo } from '../../src/protocol/http.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import type { Connection, SendOptions } from '../core/connection.ts';
import { NetworkError, RelayError } from '../core/errors.ts';
import type { DurableType } from '../core/frames.ts';
import {
  QUESTIONS,
  readAppResult,
  readKnownResult,
  readToolResult,
  type Answer,
  type QuestionArguments,
  type QuestionKind,
  type QuestionResult,
} from './answers.ts';
import type { CallEnding } from './call-memory.ts';
import type { CallRequest } from './calls.ts';
import { Canvas } from './canvas.ts';
import type { Device, Devices } from './devices.ts';
import type { Run } from './run.ts';
import { streamText } from './stream-text.ts';
import { Surface, type SurfaceApp } from './surface.ts';
import type { TextStream } from './text-stream.ts';

/** What a {@link Chat} stands on. */
export interface ChatGround {
  conversationId: string;
  /** Resolves when the message is safe, or was said before. */
  send: <T extends DurableType>(type: T, payload: Payloads[T], options: SendOptions) => Promise<void>;
  sendNow: Connection['sendNow'];
  devices: Devices;
  /** Makes a call and waits for its result, letting other work go on meanwhile. */
  call: (request: CallRequest, run: Run) => Promise<CallEnding>;
  /** Streams that are being written. */
  streams: Set<TextStream>;
  setState(state: Payloads['status']['state'], run: Run, detail?: string): Promise<void>;
  upload(content: Uint8Array<ArrayBuffer>, mimeType: string): Promise<FileInfo>;
  download(fileId: string): Promise<Blob>;
}

/** How a call is made. */
export interface CallOptions {
  /**
   * Names the call. The same id again, in whatever process, is the same call: the user is not asked twice, and an answer that is known
   * is given at once. Default: an id that follows from the message that is being handled.
   */
  callId?: string;
  /** How long the call may stay open, in ms, at most 7 days. Default: 24 hours. */
  expiresInMs?: number;
  /** The one device that is asked, `dv_…`. Default: all of them; the first answer counts. */
  device?: string;
}

/** Pauses before the second, third … try of a file's transfer, in ms. */
const TRANSFER_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];
/** How long devices may take to say which tools they have, in ms. */
const TOOLS_DEADLINE_MS = 3_000;

/**
 * One conversation, for the time of one run.
 *
 * What is said is safe in the outbox when its promise resolves: it will arrive once, whatever happens to the network or to this process.
 * What is asked resolves with the answer, also when the connection breaks or the process ends meanwhile: the next process handles the
 * message again, asks under the same id, and gets the same answer. While a handler waits for the user, the next message is handled.
 * When the user presses stop, the method that is being waited for throws, and the run ends there.
 */
export class Chat {
  readonly #ground: ChatGround;
  readonly #run: Run;
  readonly #target: Target | undefined;

  /** @param target who hears it; default: all devices */
  constructor(ground: ChatGround, run: Run, target?: Target) {
    this.#ground = ground;
    this.#run = run;
    this.#target = target;
  }

  get conversationId(): string {
    return this.#ground.conversationId;
  }

  /** Aborted when the run is to end; for work of the handler's own. */
  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /**
   * Says a text in Markdown: at once, or while it is being written. When the user presses stop, or the source fails, what was there is
   * kept. A written answer of book length becomes several messages.
   * @returns the id of the (last) message, for {@link edit}
   * @example
   * await chat.say('**Done.**');
   * await chat.say(model.stream(prompt)); // any AsyncIterable<string>
   */
  async say(content: string | AsyncIterable<string>): Promise<string> {
    if (typeof content === 'string') return this.#send('text', { content, format: 'markdown' });
    return this.stream(content);
  }

  /** As {@link say}, of a text that is being written. */
  async stream(source: AsyncIterable<string>): Promise<string> {
    await this.#ground.setState('working', this.#run);
    const { sendNow, streams } = this.#ground;
    const send = (text: string, id: string) => this.#ground.send('text', { content: text, format: 'markdown' }, this.#options(id));
    return streamText(source, { signal: this.signal, nextId: () => this.#run.nextId(), sendNow, send, streams });
  }

  /** Replaces a text that this agent said. */
  async edit(messageId: string, content: string): Promise<void> {
    await this.#send('text.edit', { message_id: messageId, content });
  }

  /**
   * Asks the user to choose.
   * @example
   * const answer = await chat.choice({ question: 'Deploy where?', options: ['test', 'production'] });
   * if (answer.status === 'completed') await deploy(answer.result.selected);
   */
  choice(args: QuestionArguments<'choice'>, options?: CallOptions): Promise<Answer<QuestionResult<'choice'>>> {
    return this.#ask('choice', args, options);
  }

  /** Asks the user to agree or to decline. Closing the question is no answer: `rejected`. */
  confirm(args: QuestionArguments<'confirm'>, options?: CallOptions): Promise<Answer<QuestionResult<'confirm'>>> {
    return this.#ask('confirm', args, options);
  }

  /** Asks the user for a text. */
  input(args: QuestionArguments<'input'>, options?: CallOptions): Promise<Answer<QuestionResult<'input'>>> {
    return this.#ask('input', args, options);
  }

  /** Calls any tool of a device. `action` may be left out for a tool of type action. */
  async tool(name: string, action: string | undefined, args: JsonObject, options?: CallOptions): Promise<Answer<JsonObject & { message: string }>> {
    return readToolResult((await this.#callTool(name, action, args, options)).payload);
  }

  /** Opens a drawing board. @throws UnansweredError when no device could */
  canvas(size: { width: number; height: number }, options: Omit<CallOptions, 'callId'> = {}): Promise<Canvas> {
    return Canvas.open(
      (action, args, device) => this.#callTool('canvas', action, args, { ...options, ...(device !== undefined && { device }) }),
      size,
    );
  }

  /** What the user's app can do beyond its tools: capabilities, such as `clipboard.write`. */
  readonly app = {
    /** Calls a capability; the device asks its user. `reason` is shown to them. */
    call: async (capability: string, args: JsonObject, reason: string, options?: CallOptions): Promise<Answer<JsonObject>> => {
      const call = { capability, reason, arguments: args };
      return readAppResult((await this.#call('lineup.v1.app.call', call, options)).payload);
    },
  };

  /** Small apps of the agent's own on the user's devices. */
  readonly ui = {
    /** Opens one; the same `instanceId` again replaces it. What the user does there comes to {@link LineUpAgent.onUiEvent}. */
    open: async (app: SurfaceApp, state: JsonObject, { instanceId = this.#run.nextId() }: { instanceId?: string } = {}): Promise<Surface> => {
      await this.#send('lineup.v1.ui.open', { instance_id: instanceId, app, state });
      return this.ui.of(instanceId);
    },
    /** One that is open already, by its id; of an earlier run or process, too. */
    of: (instanceId: string): Surface => new Surface((type, payload) => this.#send(type, payload), instanceId),
  };

  /** Shows an image. */
  async image(content: Uint8Array<ArrayBuffer>, image: { mimeType: string; alt: string; caption?: string }): Promise<void> {
    const { url, file_id } = await this.#transfer(() => this.#ground.upload(content, image.mimeType));
    await this.#send('image', { url, file_id, alt: image.alt, ...(image.caption !== undefined && { caption: image.caption }) });
  }

  /** Sends a file. */
  async file(content: Uint8Array<ArrayBuffer>, file: { name: string; mimeType: string }): Promise<void> {
    const { file_id, size } = await this.#transfer(() => this.#ground.upload(content, file.mimeType));
    await this.#send('file', { file_id, name: file.name, mime_type: file.mimeType, size });
  }

  /** Fetches a file or an image that a device sent, by its `file_id`. */
  download(fileId: string): Promise<Blob> {
    return this.#transfer(() => this.#ground.download(fileId));
  }

  /** Tells what the agent is at; shown until the run ends or tells something else. */
  working(detail?: string): Promise<void> {
    return this.#ground.setState('working', this.#run, detail);
  }

  /** Tells how far the run is, to who is there: 0 to 100. */
  progress(percent: number, message?: string): void {
    this.signal.throwIfAborted();
    this.#ground.sendNow('progress', { run_id: this.#run.id, percent, ...(message !== undefined && { message }) });
  }

  /** Tells that something went wrong. */
  async fail(code: string, message: string, retryable = false): Promise<void> {
    await this.#send('error', { code, message, run_id: this.#run.id, retryable });
  }

  /** Asks the devices which tools they have. Those that are offline are there with what they said last. */
  tools(): Promise<Device[]> {
    const ask = () => this.#ground.send('tool.list', {}, {});
    return this.#ground.devices.askAll(ask, TOOLS_DEADLINE_MS, this.signal);
  }

  /** The devices with everything that they have declared (§7), as it is known now. */
  inventory(): Device[] {
    return this.#ground.devices.list();
  }

  /** Waits, unless the run is to end. */
  async wait(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch(() => undefined);
    this.signal.throwIfAborted();
  }

  async #ask<K extends QuestionKind>(kind: K, args: QuestionArguments<K>, options?: CallOptions): Promise<Answer<QuestionResult<K>>> {
    const { action, result } = QUESTIONS[kind];
    const { payload } = await this.#callTool(kind, action, definedOnly(args), options);
    // The schema and the kind belong together, which the union of three does not tell.
    return readKnownResult<unknown>(result, payload) as Answer<QuestionResult<K>>;
  }

  #callTool(name: string, action: string | undefined, args: JsonObject, options?: CallOptions): Promise<CallEnding> {
    return this.#call('tool.call', { name, ...(action !== undefined && { action }), arguments: args }, options);
  }

  #call(type: CallRequest['type'], call: JsonObject, { callId, expiresInMs, device }: CallOptions = {}): Promise<CallEnding> {
    this.signal.throwIfAborted();
    const id = callId ?? this.#run.nextId();
    if (callId === undefined) this.#run.callIds.push(id);
    const expiry = expiresInMs === undefined ? {} : { expires_at: new Date(Date.now() + expiresInMs).toISOString() };
    const asked = device ?? this.#target?.id;
    return this.#ground.call(
      {
        callId: id,
        isNamed: callId !== undefined,
        type,
        payload: { ...call, call_id: id, ...expiry },
        ...(asked !== undefined && { device: asked }),
      },
      this.#run,
    );
  }

  async #send<T extends DurableType>(type: T, payload: Payloads[T]): Promise<string> {
    this.signal.throwIfAborted();
    const id = this.#run.nextId();
    await this.#ground.send(type, payload, this.#options(id));
    return id;
  }

  #options(id: string): SendOptions {
    return { id, ...(this.#target && { target: this.#target }) };
  }

  async #transfer<T>(transfer: () => Promise<T>): Promise<T> {
    for (const pause of TRANSFER_PAUSES_MS) {
      this.signal.throwIfAborted();
      try {
        return await transfer();
      } catch (error) {
        if (!(error instanceof NetworkError || (error instanceof RelayError && error.retryable))) throw error;
        await this.wait(pause);
      }
    }
    return transfer();
  }
}

/** JSON has no undefined. */
function definedOnly(args: object): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as JsonObject;
}
