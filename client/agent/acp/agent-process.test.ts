import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messagesOf } from './agent-process.ts';

async function read(chunks: Uint8Array[]): Promise<{ messages: unknown[]; noise: string[] }> {
  const noise: string[] = [];
  const messages: unknown[] = [];
  const source = (async function* () {
    for (const chunk of chunks) yield chunk;
  })();
  for await (const message of messagesOf(source, (line) => noise.push(line))) messages.push(message);
  return { messages, noise };
}

describe('what an agent prints', () => {
  test('messages and noise are told apart, however the bytes come', async () => {
    const line = fc.oneof(
      fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(), result: fc.string({ unit: 'grapheme' }) }).map((message) => JSON.stringify(message)),
      fc.constantFrom('', 'Starting…', '{"half":', '[1,2]', '42', '{"a":1}', '\u0000'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 8 }), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
        const { messages, noise } = await read(ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)));
        const isMessage = (each: string) => each.startsWith('{"jsonrpc"');
        expect(messages).toEqual(lines.filter(isMessage).map((each) => JSON.parse(each) as unknown));
        expect(noise).toEqual(lines.filter((each) => !isMessage(each) && each.trim() !== ''));
      }),
    );
  });

  test('a line without an end is read, and one beyond all measure is passed over', async () => {
    expect((await read([Buffer.from('{"jsonrpc":"2.0","method":"m"}')])).messages).toHaveLength(1);
    const long = Buffer.alloc(1024 * 1024, 'x');
    const { messages, noise } = await read([...Array.from({ length: 33 }, () => long), Buffer.from('\n{"jsonrpc":"2.0","method":"m"}\n')]);
    expect([messages.length, noise]).toEqual([1, ['a line that is too long']]);
  });
});
