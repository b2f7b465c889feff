import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader, frameOf, type Found, type Framing } from './framing.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (found: Found) => (found.kind === 'body' ? new TextDecoder().decode(found.bytes) : `broken: ${found.reason}`);

function readAll(stream: Uint8Array, cuts: readonly number[] = [], reader = new FrameReader()): Found[] {
  const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1))), stream.length].toSorted((a, b) => a - b);
  let at = 0;
  return ends.flatMap((end) => {
    const found = reader.push(stream.subarray(at, end));
    at = end;
    return found;
  });
}

const message = fc.record({ body: fc.string({ unit: 'grapheme', maxLength: 60 }), framing: fc.constantFrom<Framing>('header', 'json-line') });

describe('both framings', () => {
  test('any split of the stream gives the same messages, each in its framing', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (messages, cuts) => {
        const stream = Buffer.concat(messages.map(({ body, framing }) => frameOf(body, framing)));
        const found = readAll(stream, cuts);
        expect(found.map((each) => [text(each), each.framing])).toEqual(messages.map(({ body, framing }) => [body, framing]));
      }),
    );
  });

  test('any bytes at all: never throws, and the split makes no difference', () => {
    const noise = fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.string({ maxLength: 80 }).map(bytes));
    const piece = fc.oneof(
      noise,
      message.map(({ body, framing }) => frameOf(body, framing)),
      fc.constantFrom(bytes('Content-Length: '), bytes('{"content-length": 3}\n'), bytes('\r\n\r\n')),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 12 }), (pieces, cuts) => {
        const stream = Buffer.concat(pieces);
        expect(readAll(stream, cuts)).toEqual(readAll(stream));
      }),
    );
  });

  test('bytes are counted, not characters', () => {
    expect(new TextDecoder().decode(frameOf('"你好"', 'header'))).toBe('Content-Length: 8\r\n\r\n"你好"');
    expect(new TextDecoder().decode(frameOf('"你好"', 'json-line'))).toBe('{"content-length": 8}\n"你好"');
  });
});

describe('headers', () => {
  test.each([
    ['content-length:2\r\n\r\n{}', '{}'],
    ['Content-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}', '{}'],
    ['Content-Length: 2\n\n{}', '{}'],
    ['\r\n  Content-Length: 2\r\n\r\n{}', '{}'],
    ['Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}', '{}'],
    ['Content-Length: 0\r\n\r\n', ''],
    ['{"Content-Length": 2, "content-type": "json"}\n{}', '{}'],
  ])('%j is read', (stream, body) => {
    expect(readAll(bytes(stream)).map(text)).toEqual([body]);
  });

  test.each([
    ['GET / HTTP/1.1\r\n\r\n', 'a message begins with Content-Length or with {"content-length": N}'],
    ['Content-Length: two\r\n\r\n', 'Content-Length is a number of bytes'],
    ['Content-Length: -1\r\n\r\n', 'Content-Length is a number of bytes'],
    ['Content-Length: 2\r\nContent-Length: 3\r\n\r\n', 'Content-Length comes once'],
    ['Content-Type: json\r\n\r\n', 'Content-Length is missing'],
    ['Content-Length 2\r\n\r\n', 'a header line has a name, a colon and a value'],
    ['Content-Length: 8388609\r\n\r\n', 'a message has at most 8388608 bytes'],
    ['Content-Length: 999999999999999\r\n\r\n', 'a message has at most 8388608 bytes'],
    ['Content-Length: 9999999999999999999999\r\n\r\n', 'Content-Length is a number of bytes'],
    ['{"jsonrpc": "2.0"}\n', 'content-length is missing, or no number of bytes'],
    ['{"content-length": 1e99}\n', 'content-length is missing, or no number of bytes'],
    ['{oops\n', 'the header line is JSON: {"content-length": N}'],
    [`Content-Length: ${' '.repeat(9_000)}`, 'a header has at most 8192 bytes'],
  ])('%j breaks the stream, once', (stream, reason) => {
    expect(readAll(bytes(`${stream}Content-Length: 2\r\n\r\n{}`)).map(text)).toEqual([`broken: ${reason}`]);
  });

  test('half a header or half a body is waited for', () => {
    for (const half of ['Content-Le', 'Content-Length: 2\r\n', 'Content-Length: 2\r\n\r\n{', '{"content-length"']) {
      const reader = new FrameReader();
      expect(reader.push(bytes(half))).toEqual([]);
      expect(reader.isInside).toBe(true);
    }
  });
});
