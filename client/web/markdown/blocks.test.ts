import { describe, expect, it } from 'vitest';
import { splitBlocks } from './blocks.ts';

const document = `# Plan

First a paragraph
with two lines.

1. one

   still one

2. two

> quoted

> again

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

The end.
`;

describe('cutting a text into blocks', () => {
  it('loses nothing', () => {
    expect(splitBlocks(document).join('')).toBe(document);
    expect(splitBlocks('').join('')).toBe('');
    expect(splitBlocks('\n\n\na\n\n')).toEqual(['\n\n\n', 'a\n\n']);
  });

  it('keeps lists and code together', () => {
    const pieces = splitBlocks(document);
    expect(pieces.find((piece) => piece.includes('1. one'))).toContain('2. two');
    expect(pieces.find((piece) => piece.includes('const a'))).toContain('const b');
    expect(pieces.at(-1)).toBe('The end.\n');
  });

  it('does not close a code block by a shorter or another fence', () => {
    const code = '````\na\n```\n\nb\n~~~~\n\nc\n````\n';
    expect(splitBlocks(code)).toEqual([code]);
  });

  it('leaves a text whole that refers to something further down', () => {
    const text = 'See [it].\n\nMore.\n\n[it]: https://example.com\n';
    expect(splitBlocks(text)).toEqual([text]);
  });

  it('never changes a finished piece when text is added', () => {
    let before: string[] = [];
    for (let length = 1; length <= document.length; length++) {
      const pieces = splitBlocks(document.slice(0, length));
      expect(pieces.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = pieces;
    }
  });
});
