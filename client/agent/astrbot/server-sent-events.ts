/** Reads a stream of server-sent events. */
import { StringDecoder } from 'node:string_decoder';

/** Longest line, in UTF-16 units. */
const MAX_LINE_UNITS = 16 * 1024 * 1024;

/** A line is longer than anybody means it to be. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong';
}

/** The `data` of each event. Lines end with LF, CRLF or CR; several `data` lines are one text. @throws EventTooLong */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.write(Buffer.from(chunk));
    if (rest.length > MAX_LINE_UNITS) throw new EventTooLong();
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
