import { describe, expect, it } from 'vitest';
import { addDelta, shownText } from './stream.ts';

const start = { content: '', broken: false };

describe('a streamed text', () => {
  it('grows by pieces in order', () => {
    expect(addDelta(addDelta(start, 0, 'Hel'), 3, 'lo')).toEqual({ content: 'Hello', broken: false });
  });

  it('takes a repeated piece once', () => {
    const hello = addDelta(addDelta(start, 0, 'Hel'), 3, 'lo');
    expect(addDelta(hello, 3, 'lo')).toBe(hello);
    expect(addDelta(hello, 0, 'Hel')).toBe(hello);
  });

  it('adds only what is new of a piece that overlaps', () => {
    expect(addDelta(addDelta(start, 0, 'Hel'), 1, 'ello').content).toBe('Hello');
  });

  it('stops at a gap and waits for the finished text', () => {
    const broken = addDelta(addDelta(start, 0, 'Hel'), 4, 'o');
    expect(broken).toEqual({ content: 'Hel', broken: true });
    expect(addDelta(broken, 3, 'lo')).toBe(broken);
  });

  it('stops a text that is longer than any finished text can be', () => {
    expect(addDelta({ content: 'a'.repeat(131_072), broken: false }, 131_072, 'a').broken).toBe(true);
  });

  it('shows no half of a character', () => {
    expect(shownText('ok 👍'.slice(0, -1))).toBe('ok ');
    expect(shownText('ok 👍')).toBe('ok 👍');
  });
});
