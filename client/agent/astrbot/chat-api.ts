/** AstrBot's HTTP chat API: one request for each message, answered by server-sent events. */
import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';

/** One event of an answer. */
export type ChatEvent =
  | { kind: 'session'; id: string }
  /** A piece of the answer. */
  | { kind: 'text'; text: string }
  /** The end of the answer, with all of it once more. */
  | { kind: 'complete'; text: string }
  | { kind: 'image'; url: string }
  | { kind: 'error'; message: string };

/** AstrBot could not be reached, or refused. One sentence. */
export class AstrBotError extends Error {
  override readonly name = 'AstrBotError';
}

/** Longest line of an answer, in UTF-16 units. */
const MAX_LINE_UNITS = 16 * 1024 * 1024;

/** Where AstrBot is, and as whom it is asked. */
export interface ChatApiOptions {
  /** Its address, such as `http://localhost:6185`. */
  url: string;
  /** An API key, `abk_…`. */
  key: string;
  username: string;
}

/** See the file's head. */
export class ChatApi {
  readonly #options: ChatApiOptions;

  constructor(options: ChatApiOptions) {
    this.#options = options;
  }

  /** Says a message and gives what is answered. @throws AstrBotError, and the signal's reason */
  async *chat(message: string, sessionId: string | undefined, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const { url, key, username } = this.#options;
    const response = await this.#reach(
      fetch(new URL('/api/v1/chat', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ username, message, enable_streaming: true, ...(sessionId !== undefined && { session_id: sessionId }) }),
        signal,
      }),
      signal,
    );
    if (response.status === 401 || response.status === 403)
      throw new AstrBotError('AstrBot does not take this key: ASTRBOT_API_KEY must be one with the chat scope');
    if (!response.ok || !response.body) throw new AstrBotError(`AstrBot answered with HTTP status ${response.status}`);
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) throw new AstrBotError(await this.#reach(refusalOf(response), signal));
    try {
      for await (const data of eventsOf(response.body)) yield* readEvent(data);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof AstrBotError ? error : new AstrBotError('The connection with AstrBot broke in the middle of the answer');
    }
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

/** AstrBot answers some refusals with status 200 and `{status: "error", message}`. */
async function refusalOf(response: Response): Promise<string> {
  const answer: unknown = await response.json().catch(() => null);
  const said = isJsonObject(answer) && typeof answer.message === 'string' ? `: ${answer.message.slice(0, 300)}` : '';
  return `AstrBot refused the message${said}`;
}

/** The `data` of each event. Lines end with LF, CRLF or CR; several `data` lines are one text. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.write(Buffer.from(chunk));
    if (rest.length > MAX_LINE_UNITS) throw new AstrBotError('AstrBot sent a line that is too long');
    // A CR at the end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join('\n');
}

function readEvent(text: string): ChatEvent[] {
  let event: JsonObject;
  try {
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value)) return [];
    event = value;
  } catch {
    // Keep-alives and the like.
    return [];
  }
  const { type, data = null } = event;
  const words = typeof data === 'string' ? data : '';
  switch (type) {
    case 'session_id': {
      const id = words !== '' ? words : event.session_id;
      return typeof id === 'string' ? [{ kind: 'session', id }] : [];
    }
    case 'plain':
      return [{ kind: 'text', text: words }];
    case 'complete':
      return [{ kind: 'complete', text: words }];
    case 'image':
      return [{ kind: 'image', url: words }];
    case 'error':
      return [{ kind: 'error', message: words || (typeof event.message === 'string' ? event.message : 'AstrBot could not answer') }];
    default:
      return [];
  }
}
