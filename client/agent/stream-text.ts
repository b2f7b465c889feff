/** Says a text while it is being written: deltas as it grows, and the whole of it at the end. */
import type { Connection } from '../core/connection.ts';
import { Closing } from './run.ts';
import { TextStream } from './text-stream.ts';

/** UTF-16 units of one streamed message: in the most wasteful JSON spelling (six bytes each) still well within a frame. */
const MAX_STREAM_UNITS = 32_768;

/** What a streamed text needs of its run. */
export interface StreamGround {
  signal: AbortSignal;
  /** The id of the next message. */
  nextId: () => string;
  sendNow: Connection['sendNow'];
  /** Says a finished text. */
  send: (content: string, id: string) => Promise<void>;
  /** Streams that are being written. */
  streams: Set<TextStream>;
}

/** Streams a source to its end, or until the signal is aborted. Returns the id of the last message. */
export async function streamText(source: AsyncIterable<string>, ground: StreamGround): Promise<string> {
  let stream = open(ground);
  try {
    for await (const delta of endingWith(source, ground.signal)) {
      for (let at = 0; at < delta.length; at += MAX_STREAM_UNITS) {
        const part = delta.slice(at, at + MAX_STREAM_UNITS);
        if (stream.content.length + part.length > MAX_STREAM_UNITS) {
          await finish(stream, ground);
          stream = open(ground);
        }
        stream.write(part);
      }
    }
  } finally {
    await finish(stream, ground);
  }
  ground.signal.throwIfAborted();
  return stream.messageId;
}

function open({ sendNow, nextId, streams }: StreamGround): TextStream {
  const stream = new TextStream(sendNow, nextId());
  streams.add(stream);
  return stream;
}

async function finish(stream: TextStream, { signal, send, streams }: StreamGround): Promise<void> {
  stream.end();
  streams.delete(stream);
  // The next process writes the whole of it again under the same id.
  if (signal.reason instanceof Closing || stream.content === '') return;
  await send(stream.content.toWellFormed(), stream.messageId);
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
