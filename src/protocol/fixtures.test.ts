/** The golden frames of test/fixtures/frames, each read as the relay reads it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeIssue, readFrame } from './envelope.ts';
import { hello } from './handshake.ts';
import type { Json, JsonObject } from './json.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { MESSAGE_TYPES, type ParticipantKind } from './messages.ts';

interface Example {
  name: string;
  from: ParticipantKind;
  frame?: JsonObject;
  /** The frame's text, where JSON cannot spell what matters. */
  text?: string;
  /** Puts `text` `times` over at a place of the frame: long values are described, not stored. */
  fill?: { at: string[]; text: string; times: number };
}
interface Refused extends Example {
  error: { code: string; at: string };
}
interface FixtureFile {
  type?: string;
  class?: string;
  from?: ParticipantKind[];
  valid: Example[];
  invalid: Refused[];
}

const FOLDER = join(import.meta.dirname, '../../test/fixtures/frames');
const CONVERSATION = 'cv_000000000000000000000001';

const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name): [string, FixtureFile] => [name.replace(/\.json$/, ''), JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as FixtureFile]);

function frameText({ frame, text, fill }: Example): string {
  if (text !== undefined) return text;
  const filled = structuredClone(frame) as JsonObject;
  if (fill) {
    const last = fill.at.at(-1)!;
    const parent = fill.at.slice(0, -1).reduce<Json>((value, key) => (value as JsonObject)[key]!, filled) as JsonObject;
    parent[last] = fill.text.repeat(fill.times);
  }
  return JSON.stringify(filled);
}

/** Reads a frame as the relay does; a hello's payload is read by whoever opens the socket. */
function read(example: Example) {
  const result = readFrame(frameText(example), { conversationId: CONVERSATION, from: example.from, limits: DEFAULT_LIMITS });
  if (!result.ok || result.value.envelope.type !== 'system.hello') return result;
  const said = hello.safeParse(result.value.envelope.payload);
  if (said.success) return result;
  return {
    ok: false as const,
    error: { ref: result.value.envelope.id, error: { code: 'invalid_payload' as const, message: describeIssue(said.error) } },
  };
}

test('every type that a client may send has a fixture', () => {
  const sendable = [...MESSAGE_TYPES].filter(([, type]) => type.from.length > 0).map(([name]) => name);
  expect(
    files
      .map(([name]) => name)
      .filter((name) => name !== 'envelope')
      .toSorted(),
  ).toEqual(sendable.toSorted());
});

describe.each(files)('%s', (_name, file) => {
  test.runIf(file.type)('is in the table with its class and its senders', () => {
    const type = MESSAGE_TYPES.get(file.type!);
    expect({ class: type?.class, from: type?.from }).toEqual({ class: file.class, from: file.from });
  });

  test.each(file.valid)('takes: $name ($from)', (example) => {
    const sent = JSON.parse(frameText(example)) as JsonObject;
    const result = read(example);
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    const { envelope } = result.value;
    expect(envelope).toEqual({
      id: sent.id,
      type: file.type ?? sent.type,
      payload: sent.payload,
      ...(sent.target !== undefined && { target: sent.target }),
    });
  });

  test.each(file.invalid)('refuses: $name ($from)', (example) => {
    const result = read(example);
    expect(result).toMatchObject({ ok: false, error: { error: { code: example.error.code } } });
    if (result.ok) return;
    const { ref, error } = result.error;
    expect(error.message.slice(0, example.error.at.length + 2)).toBe(`${example.error.at}: `);
    if (typeof example.frame?.id === 'string' && !example.fill) expect(ref).toBe(example.frame.id);
  });
});
