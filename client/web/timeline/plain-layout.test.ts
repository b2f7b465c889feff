import { expect, it } from 'vitest';
import { plainLayout } from './plain-layout.ts';

it.each([
  ['one sentence', 'Done. The lamp is off.', 'prose'],
  ['a paragraph that is long', 'word '.repeat(400), 'prose'],
  ['a sentence with a line end', 'Done.\n', 'prose'],
  ['a log', '12:00:01 INFO start\n12:00:02 WARN slow', 'lines'],
  ['a table', 'name   size\nlog      12', 'lines'],
  ['columns in one line', 'cpu\t12 %\tmem\t40 %', 'lines'],
  ['a letter', `Dear Ada,\n\n${'word '.repeat(100)}\n\nYours`, 'wrapped'],
])('%s', (_name, text, layout) => {
  expect(plainLayout(text)).toBe(layout);
});
