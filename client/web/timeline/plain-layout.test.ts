import { expect, it } from 'vitest';
import { plainLayout } from './plain-layout.ts';

it.each([
  ['one sentence', 'Done. The lamp is off.', 'prose'],
  ['a paragraph that is long', 'word '.repeat(400), 'prose'],
  ['a sentence with a line end', 'Done.\n', 'prose'],
  ['a log', '12:00:01 INFO start\n12:00:02 WARN slow', 'prose'],
  ['sentences on lines of their own', 'The lamp in the kitchen is on.\n\nIt was switched on at nine. Shall I turn it off?', 'prose'],
  ['a list with an indent', 'Found:\n  - one\n  - two', 'lines'],
  ['a frame', '┌──┐\n│ab│\n└──┘', 'lines'],
  ['a table of bars', '|a|b|\n|-|-|\n|1|2|', 'lines'],
  ['a table', 'name   size\nlog      12', 'lines'],
  ['columns in one line', 'cpu\t12 %\tmem\t40 %', 'lines'],
  ['a letter', `Dear Ada,\n\n${'word '.repeat(100)}\n\nYours`, 'prose'],
  ['a table with a long line', `name\tsize\n${'word '.repeat(100)}\t12`, 'wrapped'],
])('%s', (_name, text, layout) => {
  expect(plainLayout(text)).toBe(layout);
});
