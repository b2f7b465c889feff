import { describe, expect, it } from 'vitest';
import { flatten, isSeen, type DocumentNode } from './tree.ts';

const text = (value: string): DocumentNode => ({ type: 'text', value });
const element = (tagName: string, ...children: DocumentNode[]): DocumentNode => ({ type: 'element', tagName, children });
const root = (...children: DocumentNode[]): DocumentNode => ({ type: 'root', children });

describe('whether anything of a document is seen', () => {
  it.each([
    ['nothing', root(), false],
    ['white space', root(element('p', text(' \n'))), false],
    ['a character that takes no room', root(element('p', text('\u200B'))), false],
    ['a link without words', root(element('p', element('a'))), false],
    ['a word', root(element('blockquote', element('p', element('strong', text('a'))))), true],
    ['a picture', root(element('p', element('img'))), true],
    ['a rule', root(element('hr')), true],
    ['an empty item', root(element('ul', element('li'))), true],
    ['empty code', root(element('pre', element('code'))), true],
  ])('%s', (_name, tree, seen) => {
    expect(isSeen(tree)).toBe(seen);
  });
});

it('what lies deeper than anybody can make out is text, in its order', () => {
  let tree = element('p', text('the'), element('em', text(' deepest ')), text('words'));
  for (let i = 0; i < 20_000; i++) tree = element('blockquote', tree);
  tree = root(tree, text('after'));
  flatten(tree);
  let depth = 0;
  let at: DocumentNode | undefined = tree;
  for (; at?.children; at = at.children[0]) depth += 1;
  expect(depth).toBeLessThan(60);
  expect(at).toEqual(text('the deepest words'));
  expect(tree.children?.at(-1)).toEqual(text('after'));
});
