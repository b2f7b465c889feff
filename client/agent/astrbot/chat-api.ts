/** AstrBot's HTTP API for chats: one request for each message, answered by server-sent events, and attachments beside it. */
import { isJsonObject, type Json } from '../../../src/protocol/json.ts';
import { EventTooLong, eventsOf } from './server-sent-events.ts';

/** What an attachment is to AstrBot. */
export type AttachmentType = 'image' | 'record' | 'video' | 'file';

/** A part of a message to AstrBot. */
export type Segment = { type: 'plain'; text: string } | { type: AttachmentType; attachment_id: string };

/** One event of an answer. */
export type ChatEvent =
  | { kind: 'session'; id: string }
  /** A piece of the answer. */
  | { kind: 'text'; text: string }
  /** The end of the answer, with all of it once more. */
  | { kind: 'complete'; text: string }
  /** Something that is not text, by the name or address that AstrBot gives it. */
  | { kind: 'attachment'; type: AttachmentType; name: string }
  /** The id under which the last attachment can be fetched. */
  | { kind: 'saved'; id: string }
  | { kind: 'error'; message: string };

/** AstrBot could not be reached, or refused. One sentence. */
export class AstrBotError extends Error {
  override readonly name = 'AstrBotError';
}

/** Where AstrBot is, and as whom it is asked. */
export interface ChatApiOptions {
  /** Its address, such as `http://localhost:6185`. */
  url: string;
  /** An API key, `abk_…`. */
  key: string;
  username: string;
}

/** How AstrBot begins the name of an attachment, such as `[IMAGE]`. */
const LABEL = /^\[[A-Z]+\]/;

/** See the file's head. Every call throws {@link AstrBotError}, and the signal's reason. */
export class ChatApi {
  readonly #options: ChatApiOptions;

  constructor(options: ChatApiOptions) {
    this.#options = options;
  }

  /** Says a message and gives what is answered. */
  async *chat(message: string | Segment[], sessionId: string | undefined, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const { username } = this.#options;
    const response = await this.#call('/api/v1/chat', 'chat', signal, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ username, message, enable_streaming: true, ...(sessionId !== undefined && { session_id: sessionId }) }),
    });
    if (!isOf(response, 'text/event-stream') || !response.body) throw new AstrBotError(refusalIn(parsed(await this.#reach(response.text(), signal))));
    try {
      for await (const data of eventsOf(response.body)) yield* readEvent(data);
    } catch (error) {
      signal.throwIfAborted();
      throw new AstrBotError(
        error instanceof EventTooLong ? 'AstrBot sent a line that is too long' : 'The connection with AstrBot broke in the middle of the answer',
      );
    }
  }

  /** Gives AstrBot a file; returns it as a part of a message. */
  async attach(content: Blob, name: string, signal: AbortSignal): Promise<Segment> {
    const body = new FormData();
    body.append('file', content, name);
    const response = await this.#call('/api/v1/file', 'file', signal, { method: 'POST', body });
    const answer = parsed(await this.#reach(response.text(), signal));
    const { attachment_id, type } = isJsonObject(answer) && isJsonObject(answer.data) ? answer.data : {};
    if (typeof attachment_id !== 'string') throw new AstrBotError(refusalIn(answer));
    return { type: isAttachmentType(type) ? type : 'file', attachment_id };
  }

  /** Fetches an attachment of an answer. */
  async fetch(attachmentId: string, signal: AbortSignal): Promise<Blob> {
    const path = `/api/v1/file?attachment_id=${encodeURIComponent(attachmentId)}`;
    const response = await this.#call(path, 'file', signal);
    const content = await this.#reach(response.blob(), signal);
    const answer = isOf(response, 'application/json') ? parsed(await content.text()) : null;
    if (isJsonObject(answer) && answer.status === 'error') throw new AstrBotError(refusalIn(answer));
    return content;
  }

  async #call(path: string, scope: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response> {
    const { url, key } = this.#options;
    const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${key}` };
    const response = await this.#reach(fetch(new URL(path, url), { ...init, headers, signal }), signal);
    if (response.status === 401 || response.status === 403)
      throw new AstrBotError(`AstrBot does not take this key: ASTRBOT_API_KEY must be one with the ${scope} scope`);
    if (!response.ok) throw new AstrBotError(`AstrBot answered with HTTP status ${response.status}`);
    return response;
  }

  async #reach<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await answer;
    } catch {
      signal.throwIfAborted();
      throw new AstrBotError(`AstrBot cannot be reached at ${this.#options.url}`);
    }
  }
}

function isOf(response: Response, type: string): boolean {
  return (response.headers.get('content-type') ?? '').startsWith(type);
}

/** Null for what is no JSON. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** AstrBot answers some refusals with status 200 and `{status: "error", message}`. */
function refusalIn(answer: Json): string {
  const said = isJsonObject(answer) && typeof answer.message === 'string' ? `: ${answer.message.slice(0, 300)}` : '';
  return `AstrBot refused the message${said}`;
}

function isAttachmentType(type: unknown): type is AttachmentType {
  return type === 'image' || type === 'record' || type === 'video' || type === 'file';
}

function readEvent(text: string): ChatEvent[] {
  const event = parsed(text);
  // Keep-alives and the like.
  if (!isJsonObject(event)) return [];
  const { type, data = null } = event;
  const words = typeof data === 'string' ? data : '';
  // `[FILE]name where it is kept|name that people see`
  if (isAttachmentType(type)) return [{ kind: 'attachment', type, name: words.replace(LABEL, '').split('|').at(-1) ?? '' }];
  switch (type) {
    case 'session_id': {
      const id = words !== '' ? words : event.session_id;
      return typeof id === 'string' ? [{ kind: 'session', id }] : [];
    }
    case 'plain':
      return [{ kind: 'text', text: words }];
    case 'complete':
      return [{ kind: 'complete', text: words }];
    case 'attachment_saved':
      return isJsonObject(data) && typeof data.id === 'string' ? [{ kind: 'saved', id: data.id }] : [];
    case 'error':
      return [{ kind: 'error', message: words || (typeof event.message === 'string' ? event.message : 'AstrBot could not answer') }];
    default:
      return [];
  }
}
