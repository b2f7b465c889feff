import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/protocol/limits.ts';
import { UnsendableError } from './errors.ts';
import { frameText, type Outgoing } from './sendable.ts';

const outgoing = (type: string, payload: object): Outgoing => ({ id: 'm1', type, conversationId: 'cv_1', payload });

function refusal(type: string, payload: object): Pick<UnsendableError, 'code' | 'limit' | 'allowed' | 'message'> {
  try {
    frameText(outgoing(type, payload), DEFAULT_LIMITS);
  } catch (error) {
    if (error instanceof UnsendableError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('what is over a limit is refused before it is sent', () => {
  it('names the frame limit', () => {
    const error = refusal('status', { state: 'idle', detail: 'é'.repeat(140_000) });
    expect(error).toMatchObject({ code: 'frame_too_large', limit: 'max_frame_bytes', allowed: 262_144 });
    expect(error.message).toContain('max_frame_bytes');
  });

  it('allows a frame of exactly the limit', () => {
    const empty = frameText(outgoing('status', { state: 'idle', detail: '' }), DEFAULT_LIMITS).length;
    const most = { state: 'idle', detail: 'x'.repeat(262_144 - empty) };
    expect(frameText(outgoing('status', most), DEFAULT_LIMITS)).toHaveLength(262_144);
    expect(refusal('status', { ...most, detail: `${most.detail}x` }).code).toBe('frame_too_large');
  });

  it('counts the characters of a text, not its UTF-16 units', () => {
    expect(() => frameText(outgoing('text', { content: '😀'.repeat(65_500) }), { ...DEFAULT_LIMITS, max_frame_bytes: 1e6 })).not.toThrow();
    expect(refusal('text', { content: 'x'.repeat(65_537) })).toMatchObject({
      code: 'invalid_payload',
      limit: 'max_text_characters',
      allowed: 65_536,
    });
  });

  it('names the limits of surfaces and their events', () => {
    const app = { id: 'com.example.app', name: 'A', version: '1.0.0', html: 'x'.repeat(100_000), js: 'y'.repeat(63_841) };
    expect(refusal('lineup.v1.ui.open', { instance_id: 'i', app, state: {} })).toMatchObject({ code: 'bundle_too_large', limit: 'max_bundle_bytes' });
    const data = { text: 'x'.repeat(16_384 - '{"text":""}'.length) };
    expect(refusal('lineup.v1.ui.event', { instance_id: 'i', event: 'e', data })).toMatchObject({ code: 'event_too_large', allowed: 16_383 });
  });
});

describe('what is not fit for JSON is refused with its place', () => {
  it.each([
    ['a split emoji', { content: '\ud83d' }, 'payload.content: lone surrogate'],
    ['NaN', { n: [1, Number.NaN] }, 'payload.n[1]: expected a finite number'],
    ['2^53', { n: 2 ** 53 }, 'payload.n: integer beyond'],
    ['a BigInt', { n: 1n }, 'payload: not JSON'],
  ])('%s', (_name, payload, message) => {
    expect(refusal('text', payload).message).toContain(message);
  });

  it('nesting below the envelope counts from the envelope', () => {
    let value: object = {};
    for (let level = 2; level < 32; level++) value = { value };
    expect(() => frameText(outgoing('text', value), DEFAULT_LIMITS)).not.toThrow();
    expect(refusal('text', { value }).code).toBe('invalid_payload');
  });
});

it('a frame carries its conversation, and a target only when there is one', () => {
  expect(JSON.parse(frameText(outgoing('text', { content: 'x', n: -0 }), DEFAULT_LIMITS))).toEqual({
    v: 1,
    id: 'm1',
    type: 'text',
    conversation_id: 'cv_1',
    payload: { content: 'x', n: -0 },
  });
  const aimed = frameText({ ...outgoing('text', { content: 'x' }), target: { kind: 'app', id: 'dv_1' } }, DEFAULT_LIMITS);
  expect(JSON.parse(aimed)).toMatchObject({ target: { kind: 'app', id: 'dv_1' } });
});
