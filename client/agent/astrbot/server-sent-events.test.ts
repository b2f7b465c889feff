import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsOf } from './server-sent-events.ts';

async function read(chunks: Uint8Array[]): Promise<string[]> {
  const source = (async function* () {
    for (const chunk of chunks) yield chunk;
  })();
  const events: string[] = [];
  for await (const event of eventsOf(source)) events.push(event);
  return events;
}

test('server-sent events, however the bytes come and whatever ends their lines', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((each) => !/[\r\n]/.test(each));
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.nat(), { maxLength: 8 }),
      async (texts, end, cuts) => {
        const bytes = Buffer.from(texts.map((each) => `: comment${end}event: x${end}data: ${each}${end}${end}`).join(''));
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
        expect(await read(ends.map((at, i) => bytes.subarray(ends[i - 1] ?? 0, at)))).toEqual(texts);
      },
    ),
  );
});

test('several data lines are one text, and the last event needs no end', async () => {
  expect(await read([Buffer.from('data: a\ndata:b\n\ndata: c')])).toEqual(['a\nb', 'c']);
});
