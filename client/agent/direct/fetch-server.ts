/** Node's HTTP as `Request` and `Response`, which the relay's routes speak. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** Headers of the platform that the routes trust: what a client writes there counts for nothing. */
const PLATFORM_HEADER = /^(?:cf-|lineup-)/;
/** How long a client may go on sending what is not read, in ms. */
const UNREAD_MS = 10_000;
/** Where the routes look for the client's address. */
const ADDRESS_HEADER = 'cf-connecting-ip';

/**
 * A request as the routes read it.
 * @param origin the scheme and authority that links in the answer begin with
 */
export function toRequest(message: IncomingMessage, origin: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (value === undefined || PLATFORM_HEADER.test(name)) continue;
    for (const one of [value].flat()) headers.append(name, one);
  }
  headers.set(ADDRESS_HEADER, message.socket.remoteAddress ?? 'unknown');
  const method = message.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  // What a client sends as a path may be anything; what is no URL is a path that does not exist.
  const path = message.url?.startsWith('/') ? message.url : '/';
  const url = URL.canParse(origin + path) ? origin + path : `${origin}/v1/`;
  return new Request(url, { method, headers, ...(hasBody && { body: bodyOf(message), duplex: 'half' }) } as RequestInit);
}

/**
 * A body that is read as it is asked for. One that nobody wants to read to its end is thrown away as it comes: to cut the connection
 * would cost a client that still sends the answer that says why.
 */
function bodyOf(message: IncomingMessage): globalThis.ReadableStream<Uint8Array> {
  const chunks = message.iterator({ destroyOnReturn: false });
  return new globalThis.ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = (await chunks.next()) as IteratorResult<Uint8Array, undefined>;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return?.();
        message.resume();
        setTimeout(() => void (message.complete || message.destroy()), UNREAD_MS).unref();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Sends an answer. A client that goes away in the middle of it is no error. */
export async function sendResponse(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) {
    response.end();
    return;
  }
  try {
    await pipeline(Readable.fromWeb(answer.body as ReadableStream<Uint8Array>), response);
  } catch (error) {
    if (!response.destroyed) throw error;
  }
}
