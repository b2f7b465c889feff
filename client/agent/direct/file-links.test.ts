import { expect, it } from 'vitest';
import { FileLinks } from './file-links.ts';

const CONVERSATION = 'cv_aaaaaaaaaaaaaaaa';
const FILE = 'fl_aaaaaaaaaaaaaaaa';

it('an address opens the file that it was made for, and no other', () => {
  const links = new FileLinks('token');
  const path = links.path(CONVERSATION, FILE);
  expect(links.read(path)).toEqual({ conversationId: CONVERSATION, fileId: FILE });
  for (const other of [
    path.replace(FILE, 'fl_bbbbbbbbbbbbbbbb'),
    path.replace(CONVERSATION, 'cv_bbbbbbbbbbbbbbbb'),
    path.slice(0, -1),
    `${path}A`,
    `${path}/`,
    '/files/',
    '/',
  ]) {
    expect([other, links.read(other)]).toEqual([other, null]);
  }
});

it('holds nothing of the token, and ends with it', () => {
  const path = new FileLinks('a-token-that-is-secret').path(CONVERSATION, FILE);
  expect(path).not.toContain('secret');
  expect(new FileLinks('another').read(path)).toBeNull();
});
