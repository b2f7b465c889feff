import { describe, expect, it } from 'vitest';
import { addDelta, shownText } from './stream.ts';

const start = { content: '', gap: false };

describe('a streamed text', () => {
  it('grows by pieces in order', () => {
    expect(addDelta(addDelta(start, 0, 'Hel'), 3, 'lo')).toEqual({ content: 'Hello', gap: false });
  });

  it('takes a repeated piece once', () => {
    const hello = addDelta(addDelta(start, 0, 'Hel'), 3, 'lo');
    expect(addDelta(hello, 3, 'lo')).toBe(hello);
    expect(addDelta(hello, 0, 'Hel')).toBe(hello);
  });

  it('adds only what is new of a piece that overlaps', () => {
    expect(addDelta(addDelta(start, 0, 'Hel'), 1, 'ello').content).toBe('Hello');
  });

  it('waits at a gap for a piece that joins on', () => {
    const waiting = addDelta(addDelta(start, 0, 'Hel'), 4, 'o');
    expect(waiting).toEqual({ content: 'Hel', gap: true });
    expect(addDelta(waiting, 5, ' there')).toBe(waiting);
    expect(addDelta(waiting, 0, 'Hello there')).toEqual({ content: 'Hello there', gap: false });
  });

  it('takes the new words of a writer that begins again', () => {
    expect(addDelta(addDelta(start, 0, 'Good morning'), 0, 'Good ')).toEqual({ content: 'Good morning', gap: false });
    expect(addDelta(addDelta(start, 0, 'Good morning'), 5, 'evening').content).toBe('Good evening');
  });

  it('stops a text that is longer than any finished text can be', () => {
    expect(addDelta({ content: 'a'.repeat(131_072), gap: false }, 131_072, 'a').gap).toBe(true);
  });

  it('shows no half of a character', () => {
    expect(shownText('ok 👍'.slice(0, -1))).toBe('ok ');
    expect(shownText('ok 👍')).toBe('ok 👍');
  });
});
