/** What a handler of an agent talks through: everything that it can say, show and ask in one conversation, while it handles one message. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '../../src/protocol/envelope.ts';
import type { FileInfo } from '../../src/protocol/http.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import type { Connection, SendOptions } from '../core/connection.ts';
import { NetworkError, RelayError } from '../core/errors.ts';
import type { DurableType } from '../core/frames.ts';
import type { CallMemory } from './call-memory.ts';
import type { Device, Devices } from './devices.ts';
import type { Question, QuestionArguments, QuestionKind } from './questions.ts';
import { Closing, type Run } from './run.ts';
import { TextStream } from './text-stream.ts';

/** What a {@link Chat} stands on. */
export interface ChatGround {
  conversationId: string;
  /** Resolves when the message is safe, or was said before. */
  send: <T extends DurableType>(type: T, payload: Payloads[T], options: SendOptions) => Promise<void>;
  sendNow: Connection['sendNow'];
  devices: Devices;
  calls: CallMemory;
  /** Streams that are being written. */
  streams: Set<TextStream>;
  setState(state: Payloads['status']['state'], run: Run, detail?: string): Promise<void>;
  upload(content: Uint8Array<ArrayBuffer>, mimeType: string): Promise<FileInfo>;
}

/** Pauses before the second, third … try of an upload, in ms. */
const UPLOAD_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];
/** UTF-16 units of one streamed message: in the most wasteful JSON spelling (six bytes each) still well within a frame. */
const MAX_STREAM_UNITS = 32_768;
/** How long devices may take to say which tools they have, in ms. */
const TOOLS_DEADLINE_MS = 3_000;

/**
 * One conversation, for the time of one run.
 *
 * A promise of these resolves when the message is safe in the outbox: it will arrive once, whatever happens to the network or to this
 * process. When the user presses stop, the method that is being waited for throws, and the run ends there.
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

  /** Says a text in Markdown, at once. Returns its id, for {@link edit}. */
  say(content: string): Promise<string> {
    return this.#send('text', { content, format: 'markdown' });
  }

  /**
   * Says a text in Markdown while it is being written. When the user presses stop, or the source fails, what was there is kept.
   * An answer of book length becomes several messages.
   * @returns the id of the last of them, for {@link edit}
   */
  async stream(source: AsyncIterable<string>): Promise<string> {
    await this.#ground.setState('working', this.#run);
    let stream = this.#openStream();
    try {
      for await (const delta of endingWith(source, this.signal)) {
        for (let at = 0; at < delta.length; at += MAX_STREAM_UNITS) {
          const part = delta.slice(at, at + MAX_STREAM_UNITS);
          if (stream.content.length + part.length > MAX_STREAM_UNITS) {
            await this.#finish(stream);
            stream = this.#openStream();
          }
          stream.write(part);
        }
      }
    } finally {
      await this.#finish(stream);
    }
    this.signal.throwIfAborted();
    return stream.messageId;
  }

  /** Replaces a text that this agent said. */
  async edit(messageId: string, content: string): Promise<void> {
    await this.#send('text.edit', { message_id: messageId, content });
  }

  /**
   * Asks the user. The answer goes to the question's handler, in this process or in a later one.
   * @param note for the handler, small and JSON: what it must know of now
   */
  async ask<K extends QuestionKind>(question: Question<K>, args: QuestionArguments<K>, note: JsonObject = {}): Promise<void> {
    this.signal.throwIfAborted();
    const id = this.#run.nextId();
    await this.#ground.calls.put(id, { question: question.name, note, asked_at: Date.now() });
    const call = { name: question.kind, action: question.action, call_id: id, arguments: definedOnly(args) };
    await this.#ground.send('tool.call', call, this.#options(id));
  }

  /** Shows an image. */
  async image(content: Uint8Array<ArrayBuffer>, image: { mimeType: string; alt: string; caption?: string }): Promise<void> {
    const { url, file_id } = await this.#upload(content, image.mimeType);
    await this.#send('image', { url, file_id, alt: image.alt, ...(image.caption !== undefined && { caption: image.caption }) });
  }

  /** Sends a file. */
  async file(content: Uint8Array<ArrayBuffer>, file: { name: string; mimeType: string }): Promise<void> {
    const { file_id, size } = await this.#upload(content, file.mimeType);
    await this.#send('file', { file_id, name: file.name, mime_type: file.mimeType, size });
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
  devices(): Promise<Device[]> {
    const ask = () => this.#ground.send('tool.list', {}, {});
    return this.#ground.devices.askAll(ask, TOOLS_DEADLINE_MS, this.signal);
  }

  /** Waits, unless the run is to end. */
  async wait(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch(() => undefined);
    this.signal.throwIfAborted();
  }

  #openStream(): TextStream {
    const stream = new TextStream(this.#ground.sendNow, this.#run.nextId());
    this.#ground.streams.add(stream);
    return stream;
  }

  async #finish(stream: TextStream): Promise<void> {
    stream.end();
    this.#ground.streams.delete(stream);
    // The next process writes the whole of it again under the same id.
    if (this.signal.reason instanceof Closing || stream.content === '') return;
    await this.#ground.send('text', { content: stream.content.toWellFormed(), format: 'markdown' }, this.#options(stream.messageId));
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

  async #upload(content: Uint8Array<ArrayBuffer>, mimeType: string): Promise<FileInfo> {
    for (const pause of UPLOAD_PAUSES_MS) {
      this.signal.throwIfAborted();
      try {
        return await this.#ground.upload(content, mimeType);
      } catch (error) {
        if (!(error instanceof NetworkError || (error instanceof RelayError && error.retryable))) throw error;
        await this.wait(pause);
      }
    }
    return this.#ground.upload(content, mimeType);
  }
}

/** The same values, until the signal is aborted; then no more, even if the source does not listen. */
async function* endingWith<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const values = source[Symbol.asyncIterator]();
  const ended = new Promise<{ done: true; value?: never }>((resolve) => {
    if (signal.aborted) resolve({ done: true });
    signal.addEventListener('abort', () => resolve({ done: true }), { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([values.next(), ended]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // A source that hangs is not waited for, and what it says after its end interests nobody.
    void Promise.resolve(values.return?.()).catch(() => undefined);
  }
}

/** JSON has no undefined. */
function definedOnly(args: object): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as JsonObject;
}
